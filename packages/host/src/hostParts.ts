import type { ClusterSessions } from './cluster/clusterSessions.js';
import type { HostServices } from './connection/hostServices.js';
import type { HostBackend } from './hostBackend.js';
import type { HostLog } from './hostLog.js';
import type { Sessions } from './sessions/sessions.js';
import type { StateRoot } from './storage/stateRoot/stateRoot.js';
import type { TempRoot } from './storage/stateRoot/tempRoot.js';

/** What a host is made of. */
export interface HostParts {
  readonly stateRoot: StateRoot;
  readonly tempRoot: TempRoot;
  readonly backend: HostBackend;
  readonly log: HostLog;
  readonly services: HostServices;
  /** With a database. */
  readonly cluster: ClusterSessions | undefined;
  /** Those of all spaces. They are others when a client keeps them. */
  readonly sessions: () => Sessions;
}
