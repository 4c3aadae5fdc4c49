import type { Agent } from './agents/agent.js';
import type { AgentSource } from './agents/agentSource.js';
import type { HostLog } from './hostLog.js';
import type { PushOptions } from './push/pushLimits.js';
import type { SocketRoute } from './server/socketRoute.js';
import type { GuestLimits } from './server/sockets/guestConnections.js';
import type { WebSocketLimits } from './server/sockets/webSocketTransport.js';
import type { ReplayLimits } from './state/replayBuffer.js';
import type { SessionStorage } from './storage/sessionStorage.js';
import type { WebhookOptions } from './webhooks/webhookLimits.js';
import type { SnapshotMode } from './work/openWork.js';

export interface HostOptions {
  /** The state folder. Defaults to `$AGENTHOST_HOME`, `$XDG_STATE_HOME/agenthost` or `~/.agenthost`. */
  readonly stateDir?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly agents: readonly Agent[];
  /** Where sessions are stored. Defaults to folders of the state root. */
  readonly storage?: SessionStorage;
  /** A PostgreSQL database, `postgres://…`, that keeps sessions, index, tokens and trusted folders instead of the state root. */
  readonly database?: string;
  /** The name of machines that see the same folders. Defaults to the name of this machine. */
  readonly place?: string;
  /** With a database: how long a host may be silent before others take its sessions (default: 10 s). */
  readonly leaseMs?: number;
  /** Agents that are found in the state root or on the machine, and may change while the host runs. */
  readonly agentSources?: readonly AgentSource[];
  readonly durability?: 'write' | 'fsync';
  /**
   * How long the commands of the shell agent go on when the host is killed: the next host on the state root goes on with their turns.
   * A host that is closed ends them. Not with a database. Without it they end with the host.
   */
  readonly agentsOutliveHostMs?: number;
  readonly defaultDirectory?: string;
  readonly sessionIdleMs?: number;
  readonly agentIdleMs?: number;
  readonly abortGraceMs?: number;
  /** Maximum bytes of pasted and attached content per session. */
  readonly maxPastedBytes?: number;
  /** Bytes that the state of all sessions in memory may take (default: 64 MiB). */
  readonly maxSessionBytes?: number;
  readonly replayLimits?: ReplayLimits;
  /** How long the start waits for a session index that is being rebuilt; the rebuild continues while the host serves. */
  readonly indexPatienceMs?: number;
  /** Lists conversations that agents keep in the user's home, for owners. Not with a database. Off by default. */
  readonly nativeSessions?: boolean;
  /**
   * Keeps the files of a session's folder before and after each turn, as references of its git repository (`git`), in folders
   * without one also in a repository of the host's (`all`). Default: `none`.
   */
  readonly snapshots?: SnapshotMode;
  /** How long a run of a project's tests may take. Default 15 minutes. */
  readonly testLimitMs?: number;
  /** Push notifications. */
  readonly push?: PushOptions;
  /** What is sent to other programs. */
  readonly webhooks?: WebhookOptions;
  readonly now?: () => number;
  /** Ids of a session's records, parts and contents. Random by default. */
  readonly newId?: () => string;
  readonly log?: HostLog;
}

export interface ListenOptions {
  readonly address?: string;
  readonly port?: number;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly publicUrl?: URL;
  /** Other names of this machine under which clients may reach the address, without the port, such as `desk.local`. */
  readonly names?: readonly string[];
  /** With a database: where other hosts reach this one. Defaults to the address, with the machine's name where it is a wildcard. */
  readonly linkUrl?: URL;
  readonly allowedOrigins?: readonly string[];
  /** Maximum number of sockets with a token. */
  readonly maxConnections?: number;
  /** Maximum number of connections without a token, on top of those. */
  readonly guestLimits?: Partial<GuestLimits>;
  readonly webSocketLimits?: Partial<WebSocketLimits>;
  /** The folder of the built page, served at `/`. */
  readonly pageFolder?: string;
  /** Other paths that accept WebSockets, for gateways of other protocols. */
  readonly socketRoutes?: readonly SocketRoute[];
  /** The owner's token. Defaults to the one in the state root; a new one there takes effect at once. */
  readonly token?: string;
}

export interface Listening {
  readonly url: URL;
  readonly token: string;
}
