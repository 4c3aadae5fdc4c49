import type { ClientInfo } from '@agenthost/protocol';
import type { Schedule } from '@agenthost/rpc';
import type { TransportFactory } from './connection/connection.js';
import type { SessionFsConfig } from './sessionFs/sessionFsHandler.js';
import type { ClientSeqStore } from './sync/outbox.js';

interface Common {
  /**
   * Identifies this client for as long as its actions should be recognised. Random by default. One that outlives the
   * process should have a `clientSeq` that does too, and must not be used by two connections at once: each ends the other.
   */
  readonly clientId?: string;
  readonly clientSeq?: ClientSeqStore;
  /** What others see of this client. */
  readonly clientInfo?: ClientInfo;
  /**
   * Announcements of changed and added sessions are only for the newest so many, and for those that are open here: for a
   * list of a fixed length, where there are very many sessions. What was listed beyond them gets out of date. Without it
   * every change is announced.
   */
  readonly watch?: { readonly limit: number };
  /** How long a command may take, including the wait for a connection. Default 30,000. */
  readonly commandTimeoutMs?: number;
  /** How long one attempt to connect may take. Default 15,000. */
  readonly connectTimeoutMs?: number;
  /** How often the host is pinged. Default 20,000; 0 for never. */
  readonly keepAliveMs?: number;
  /** Actions of one session that may wait for the host. Default 1,000. */
  readonly maxPendingActions?: number;
  /** Commands that may wait for a connection. Default 100. */
  readonly maxWaitingCommands?: number;
  /**
   * This client keeps the files of all sessions, and the host none. Then every session that is made or opened needs its
   * `createSessionFsHandler`. When the connection is lost, the host can't continue and has to be restarted.
   */
  readonly sessionFs?: SessionFsConfig;
  /** Gets errors that have no caller: listeners that throw, frames that make no sense. */
  readonly onError?: (error: unknown) => void;
  /** From 0 to below 1, for the pauses between attempts. Default `Math.random`. */
  readonly random?: () => number;
  /** Default `setTimeout`. */
  readonly schedule?: Schedule;
}

interface ByAddress {
  /** `http(s):` or `ws(s):`; the path is `/ws` when it has none. */
  readonly url: string | URL;
  readonly token?: string;
  readonly transport?: never;
}

interface ByTransport {
  readonly transport: TransportFactory;
  readonly url?: never;
  readonly token?: never;
}

export type HostClientOptions = Common & (ByAddress | ByTransport);
