import type {
  ClientAction,
  Commands,
  CreateSessionParams,
  ForkSessionParams,
  ImportSessionParams,
  ListSessionsParams,
  ListSessionsResult,
  Snapshot,
  URI,
} from '@agenthost/protocol';
import type { Subscriber } from '../state/publisher.js';
import type { MissingInIndex } from './indexing/openSessionIndex.js';
import type { TurnsRoom } from './stateBytes.js';

/** Something with a URI that a client can subscribe to. */
export interface SubscribableResource {
  subscribe(subscriber: Subscriber, room: TurnsRoom): Snapshot;
  resume(subscriber: Subscriber): void;
  unsubscribe(subscriber: Subscriber): void;
}

/** A session for the clients of this host, whichever host owns it. */
export interface OpenSession extends SubscribableResource {
  /** About how large its snapshot is. */
  readonly bytes: number;
  dispatchFromClient(sender: Subscriber, clientSeq: number, action: ClientAction): void;
}

type Command<M extends keyof Commands> = (params: Commands[M]['params']) => Promise<Commands[M]['result']>;

/** The sessions that clients of this host see. */
export interface Sessions {
  /** No session is loaded, being loaded or being unloaded. */
  readonly isUnused: boolean;
  /** The session if it is loaded. */
  loaded(uri: URI): OpenSession | undefined;
  /** Rejects with the error to answer when there is no such session. */
  open(uri: URI): Promise<OpenSession>;
  /** Keeps a session in memory until the function that it returns is called. */
  hold(uri: URI): () => void;
  create(params: CreateSessionParams): Promise<void>;
  fork(params: ForkSessionParams): Promise<void>;
  import(params: ImportSessionParams, owner: object): Promise<void>;
  remove(uri: URI): Promise<void>;
  readonly fetchTurns: Command<'fetchTurns'>;
  readonly fetchParts: Command<'fetchParts'>;
  readonly listArtifacts: Command<'listArtifacts'>;
  readonly fetchContent: Command<'fetchContent'>;
  list(params: ListSessionsParams): ListSessionsResult | Promise<ListSessionsResult>;
  /** The same list with the current summaries. */
  withNewestSummaries(result: ListSessionsResult): ListSessionsResult;
  /** The folder that a user would have to trust before a new session of that agent works in `cwd`. */
  untrustedFolder(provider: string, cwd: string): Promise<string | undefined>;
  /** By session, the client's newest accepted actions. */
  acceptedFrom(key: string, wanted: readonly URI[]): Record<URI, readonly number[]>;
  /** Indexes the stored sessions that the index lacks. `indexFilled` resolves when that is done. */
  fillIndex(missing: MissingInIndex): void;
  stopFilling(): Promise<void>;
  indexFilled(patienceMs?: number): Promise<void>;
  storageLost(error: unknown): void;
  /** A client has disconnected: its unfinished imports are removed. */
  connectionClosed(owner: object): Promise<void>;
  close(): Promise<void>;
}
