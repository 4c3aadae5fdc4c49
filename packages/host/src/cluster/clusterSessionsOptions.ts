import type { AgentInfo, URI } from '@agenthost/protocol';
import type { Browse } from '../sessions/sessions.js';
import type { Broadcast } from '../state/broadcast.js';
import type { Publisher, SequenceSource } from '../state/publisher.js';
import type { SessionStorage } from '../storage/sessionStorage.js';
import type { LinksOptions } from './links/links.js';

export interface ClusterSessionsOptions extends Omit<LinksOptions, 'eventsOf' | 'runCommand' | 'take' | 'agents'> {
  readonly storage: Pick<SessionStorage, 'findTaken' | 'giveUpWaiting'>;
  readonly publisher: Publisher;
  readonly sequence: SequenceSource;
  /** For sessions without one of their own: a `file:` URI. */
  readonly defaultDirectory: URI;
  /** To the clients of this host. */
  readonly broadcast: Broadcast;
  /** Shows a folder of this machine. */
  readonly browse: Browse;
  /** Called with the agents of all living hosts, when they have changed. */
  readonly onAgents: (agents: readonly AgentInfo[]) => void;
}

export const TIMES = {
  /** How long a client waits for a session whose host can't be reached. */
  patienceMs: 10_000,
  retryMs: 200,
  /** After this it is looked up again who has the session. */
  followMs: 5_000,
  /** A session that nobody here looks at is followed for this much longer. */
  idleMs: 30_000,
  sweepMs: 5_000,
  /** How long a list waits until other hosts tell this one of changes. */
  listenMs: 500,
} as const;
