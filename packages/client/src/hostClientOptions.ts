import type { ClientInfo } from '@agenthost/protocol';
import type { Schedule } from '@agenthost/rpc';
import type { TransportFactory } from './connection/connection.js';
import type { SessionFsConfig } from './sessionFs/sessionFsHandler.js';
import type { ClientSeqStore } from './sync/outbox.js';

interface Common {
  /**
   * Who this client is, for as long as it wants its actions to be recognised. Random unless told. One that outlives the
   * process should have a `clientSeq` that does too, and must not be used by two connections at once: each ends the other.
   */
  readonly clientId?: string;
  readonly clientSeq?: ClientSeqStore;
  /** What others see of this client. */
  readonly clientInfo?: ClientInfo;
  /** How long a command may take, the wait for a connection included; 30,000 unless told. */
  readonly commandTimeoutMs?: number;
  /** How long one attempt to connect may take; 15,000 unless told. */
  readonly connectTimeoutMs?: number;
  /** How often the host is asked for a sign of life; 20,000 unless told, 0 for never. */
  readonly keepAliveMs?: number;
  /** Actions of one session that may wait for the host; 1,000 unless told. */
  readonly maxPendingActions?: number;
  /** Commands that may wait for a connection; 100 unless told. */
  readonly maxWaitingCommands?: number;
  /**
   * This client keeps the files of all sessions, and the host none. Then every session that is made or opened needs its
   * `createSessionFsHandler`. When the connection is lost, the host can't go on: it has to be started anew.
   */
  readonly sessionFs?: SessionFsConfig;
  /** Told what has no caller to be told to: listeners that throw, frames that make no sense. */
  readonly onError?: (error: unknown) => void;
  /** From 0 to below 1, for the pauses between attempts. `Math.random` unless told. */
  readonly random?: () => number;
  /** `setTimeout` unless told. */
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
