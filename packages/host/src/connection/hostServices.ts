import type { ServerInfo, URI } from '@agenthost/protocol';
import type { RpcPeerOptions } from '@agenthost/rpc';
import type { AgentRegistry } from '../agents/agentRegistry.js';
import type { AgentInstallations } from '../agents/install/agentInstallations.js';
import type { HostLog } from '../hostLog.js';
import type { Sessions, SubscribableResource } from '../sessions/sessions.js';
import type { Delivery } from '../state/delivery.js';
import type { SequenceSource } from '../state/publisher.js';
import type { ReplayBuffer } from '../state/replayBuffer.js';
import type { RootStore } from '../state/rootStore.js';
import type { ClientConnection } from './clientConnection.js';
import type { ClientRegistry } from './clientRegistry.js';
import type { HostSessions } from './hostSessions.js';
import type { LoadFailures } from './loadFailures.js';

export interface SubscribableResources {
  readonly root: SubscribableResource;
  readonly sessions: {
    open(uri: URI): Promise<SubscribableResource>;
    /** Keeps it in memory until the returned function is called. */
    hold(uri: URI): () => void;
  };
}

/** The services that connections use. */
export interface HostServices {
  readonly serverInfo: ServerInfo;
  readonly defaultDirectory: URI;
  readonly root: RootStore;
  /** The hub of `hostSessions`. */
  readonly sessions: Sessions;
  readonly hostSessions: HostSessions;
  readonly agents: AgentRegistry;
  readonly installations: AgentInstallations;
  readonly clients: ClientRegistry;
  readonly delivery: Delivery;
  readonly replay: ReplayBuffer;
  readonly sequence: SequenceSource;
  /** Other hosts share the storage, which may be away for a while. */
  readonly isShared: boolean;
  readonly loadFailures: LoadFailures;
  readonly peerLimits: Partial<RpcPeerOptions>;
  readonly log: HostLog;
  readonly onConnectionClosed: (connection: ClientConnection) => void;
}
