import type { Agent } from './agents/agent.js';
import type { AgentSource } from './agents/agentSource.js';
import type { HostLog } from './hostLog.js';
import type { SocketRoute } from './server/socketRoute.js';
import type { GuestLimits } from './server/sockets/guestConnections.js';
import type { WebSocketLimits } from './server/sockets/webSocketTransport.js';
import type { ReplayLimits } from './state/replayBuffer.js';
import type { SessionStorage } from './storage/sessionStorage.js';

export interface HostOptions {
  /** Where the host keeps everything; `$AGENTHOST_HOME`, `$XDG_STATE_HOME/agenthost` or `~/.agenthost` without it. */
  readonly stateDir?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly agents: readonly Agent[];
  /** Where sessions are kept; folders of the state root without it. */
  readonly storage?: SessionStorage;
  /** Agents that are found in the state root or on the machine, and may change while the host runs. */
  readonly agentSources?: readonly AgentSource[];
  readonly durability?: 'write' | 'fsync';
  readonly defaultDirectory?: string;
  readonly sessionIdleMs?: number;
  readonly agentIdleMs?: number;
  readonly abortGraceMs?: number;
  /** Bytes that a session keeps of what clients paste and attach. */
  readonly maxPastedBytes?: number;
  /** Bytes that the state of all sessions in memory may take (default: 64 MiB). */
  readonly maxSessionBytes?: number;
  readonly replayLimits?: ReplayLimits;
  /** How long the start waits for a session index that has to be made anew; it goes on while the host serves. */
  readonly indexPatienceMs?: number;
  readonly now?: () => number;
  /** Ids of what a session keeps: records, parts, contents. Random by default. */
  readonly newId?: () => string;
  readonly log?: HostLog;
}

export interface ListenOptions {
  readonly address?: string;
  readonly port?: number;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly publicUrl?: URL;
  readonly allowedOrigins?: readonly string[];
  /** Sockets that came with a token. */
  readonly maxConnections?: number;
  /** Connections that have shown no token, on top of those. */
  readonly guestLimits?: Partial<GuestLimits>;
  readonly webSocketLimits?: Partial<WebSocketLimits>;
  /** The folder of the built page, served at `/`. */
  readonly pageFolder?: string;
  /** Other paths that take WebSockets, for what speaks another protocol in front of this host. */
  readonly socketRoutes?: readonly SocketRoute[];
  /** The owner's token. Without it the one in the state root is, and a new one there takes effect at once. */
  readonly token?: string;
}

export interface Listening {
  readonly url: URL;
  readonly token: string;
}
