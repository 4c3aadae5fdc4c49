import type {
  ClientAction,
  ClientTool,
  Commands,
  CreateSessionParams,
  ForkSessionParams,
  ImportSessionParams,
  ListSessionsParams,
  ListSessionsResult,
  Snapshot,
  URI,
} from '@agenthost/protocol';
import type { ToolClient } from '../clientTools/toolOffer.js';
import type { Subscriber } from '../state/publisher.js';
import type { MissingInIndex } from './indexing/openSessionIndex.js';
import type { SessionRemoval } from './removedSession.js';
import type { TurnsRoom } from './stateBytes.js';

/** Something with a URI that a client can subscribe to. */
export interface SubscribableResource {
  subscribe(subscriber: Subscriber, room: TurnsRoom): Snapshot;
  resume(subscriber: Subscriber): void;
  unsubscribe(subscriber: Subscriber): void;
}

/** A session for the clients of this host, whichever host owns it. */
export interface OpenSession extends SubscribableResource {
  /** Whose tokens see it. */
  readonly space: string;
  /** About how large its snapshot is. */
  readonly bytes: number;
  /** Where clients offer tools to its agent. */
  readonly tools: { set(client: ToolClient, tools: readonly ClientTool[]): void | Promise<void> };
  dispatchFromClient(sender: Subscriber, clientSeq: number, action: ClientAction): void;
  /** The folder that it works in, on this machine; absent when another host owns it. */
  readonly directory?: () => string;
  /** The name of its machines, when none of them is here. */
  readonly awayAt?: string | undefined;
  /** A subscriber's user looks at it now, or no longer. */
  looksChanged?(): void;
}

/** A client that asks for something. */
export type AskingClient = Pick<Subscriber, 'author' | 'protocolVersion' | 'role' | 'tokenName'>;

/** The client on whose behalf a command is carried out, here or at another host. */
export interface CommandClient extends AskingClient {
  /** What it makes is made there. */
  readonly space: string;
}

type Command<M extends keyof Commands, C> = (
  params: Commands[M]['params'],
  client: C,
) => Promise<Commands[M]['result']>;

/** A command about the files of a session's folder. */
export type WorkCommand = ReadsWork | RestoresWork | LandsWork | ShowsFiles | RunsTests;
type ReadsWork = 'listChanges' | 'fetchDiff' | 'fetchVersion' | 'fetchChanges';
type RestoresWork = 'restoreFiles' | 'revertChanges' | 'rewindSession';
type ShowsFiles = 'listFolder' | 'readFile' | 'findFiles' | 'checkFiles';
type RunsTests = 'fetchTestCommand' | 'runTests' | 'stopTests';
type LandsWork = 'commitChanges' | 'previewMerge' | 'mergeChanges' | 'pushChanges' | 'pullRequest';

/** Shows a folder of this machine. */
export type Browse = (params: Commands['browseDirectory']['params']) => Promise<Commands['browseDirectory']['result']>;

/** What can be done with sessions on behalf of a client `C`. */
interface SessionCommands<C> {
  /** The session if it is loaded. */
  loaded(uri: URI): OpenSession | undefined;
  /** Rejects with the error to answer when there is no such session. */
  open(uri: URI): Promise<OpenSession>;
  /** Keeps a session in memory until the function that it returns is called, and at this host unless it `mayMove`. */
  hold(uri: URI, mayMove?: boolean): () => void;
  create(params: CreateSessionParams, client: C): Promise<void>;
  fork(params: ForkSessionParams, client: C): Promise<void>;
  /** `how`: what becomes of work that only its worktree has, and of the conversation in its agent's own store. */
  remove(uri: URI, client: C, how?: SessionRemoval): Promise<void>;
  readonly fetchTurns: Command<'fetchTurns', C>;
  readonly fetchEvents: Command<'fetchEvents', C>;
  readonly fetchParts: Command<'fetchParts', C>;
  readonly listArtifacts: Command<'listArtifacts', C>;
  readonly fetchContent: Command<'fetchContent', C>;
  work<M extends WorkCommand>(method: M, params: Commands[M]['params'], client: C): Promise<Commands[M]['result']>;
  /** By session, the client's newest accepted actions. */
  acceptedFrom(key: string, wanted: readonly URI[]): Record<URI, readonly number[]>;
}

/** The sessions of one space. This is all that a connection gets: a session of another space is one that does not exist. */
export interface VisibleSessions extends SessionCommands<AskingClient> {
  /** `nativeSessionId`: the agent continues its own conversation of that id. With the last piece. */
  import(params: ImportSessionParams, owner: object, nativeSessionId?: string): Promise<void>;
  /** Whether there is such a session, without opening it. */
  exists(uri: URI): Promise<boolean>;
  list(params: ListSessionsParams): ListSessionsResult | Promise<ListSessionsResult>;
  /** The same list with the current summaries. */
  withNewestSummaries(result: ListSessionsResult): ListSessionsResult;
}

/** The sessions of all spaces. */
export interface Sessions extends SessionCommands<CommandClient> {
  /** No session is loaded, being loaded or being unloaded. */
  readonly isUnused: boolean;
  /** Nothing may be opened any more: what it needs may be gone. */
  readonly isClosing: boolean;
  /** The space of a session, without opening it; `undefined` when there is none. */
  spaceOf(uri: URI): string | undefined | Promise<string | undefined>;
  import(params: ImportSessionParams, owner: object, space: string, nativeSessionId?: string): Promise<void>;
  list(params: ListSessionsParams, space: string): ListSessionsResult | Promise<ListSessionsResult>;
  /** The same list with the current summaries. */
  withNewestSummaries(result: ListSessionsResult, space: string): ListSessionsResult;
  /** The folder that a user would have to trust before a new session of that agent works in `cwd`. */
  untrustedFolder(provider: string, cwd: string): Promise<string | undefined>;
  /** Indexes the stored sessions that the index lacks. `indexFilled` resolves when that is done. */
  fillIndex(missing: MissingInIndex): void;
  stopFilling(): Promise<void>;
  indexFilled(patienceMs?: number): Promise<void>;
  storageLost(error: unknown): void;
  /** A person has logged in to an agent, or out. After a log-in, messages that failed without it are sent again. */
  loginChanged(provider: string, isLoggedIn: boolean): void;
  /** A client has disconnected: its unfinished imports are removed. */
  connectionClosed(owner: object): Promise<void>;
  close(): Promise<void>;
}
