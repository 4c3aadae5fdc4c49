import type {
  CreateSessionParams,
  ForkSessionParams,
  ImportSessionParams,
  ListSessionsParams,
  ListSessionsResult,
  URI,
} from '@agenthost/protocol';
import { stopping } from '../hubDrain.js';
import type { SessionRemoval } from '../removedSession.js';
import { noContent, notFound, sessionOfContent } from '../sessionLoader.js';
import type { AskingClient, CommandClient, OpenSession, Sessions, VisibleSessions } from '../sessions.js';

/**
 * Sessions as one space sees them: those of others are answered as if they did not exist, before they are opened. It is the only way
 * from a client to a session, of this host or over a link.
 */
export class SpaceSessions implements VisibleSessions {
  readonly #all: () => Sessions;
  readonly #space: string;
  /** Being opened. Who asks meanwhile waits for the same: actions of one client must not overtake each other. */
  readonly #opening = new Map<URI, Promise<OpenSession>>();

  /** `all`: they may be others later. */
  constructor(all: () => Sessions, space: string) {
    this.#all = all;
    this.#space = space;
  }

  loaded(uri: URI): OpenSession | undefined {
    return this.#opening.has(uri) ? undefined : this.#seen(this.#all().loaded(uri));
  }

  open(uri: URI): Promise<OpenSession> {
    const before = this.#opening.get(uri);
    if (before) return before;
    const opening = this.#open(uri);
    this.#opening.set(uri, opening);
    const end = () => this.#opening.delete(uri);
    opening.then(end, end);
    return opening;
  }

  hold(uri: URI, mayMove = false): () => void {
    return this.#all().hold(uri, mayMove);
  }

  create(params: CreateSessionParams, client: AskingClient): Promise<void> {
    return this.#all().create(params, this.#as(client));
  }

  /** The source is looked for in the space of the client: the fork has to be known at once, before that is. */
  fork(params: ForkSessionParams, client: AskingClient): Promise<void> {
    return this.#all().fork(params, this.#as(client));
  }

  import(params: ImportSessionParams, owner: object, nativeSessionId?: string): Promise<void> {
    return this.#all().import(params, owner, this.#space, nativeSessionId);
  }

  async exists(uri: URI): Promise<boolean> {
    return (await this.#all().spaceOf(uri)) === this.#space;
  }

  remove(uri: URI, client: AskingClient, how?: SessionRemoval): Promise<void> {
    return this.#with(uri, (all) => all.remove(uri, this.#as(client), how));
  }

  fetchTurns: VisibleSessions['fetchTurns'] = (params, client) =>
    this.#with(params.session, (all) => all.fetchTurns(params, this.#as(client)));

  fetchParts: VisibleSessions['fetchParts'] = (params, client) =>
    this.#with(params.session, (all) => all.fetchParts(params, this.#as(client)));

  fetchEvents: VisibleSessions['fetchEvents'] = (params, client) =>
    this.#with(params.session, (all) => all.fetchEvents(params, this.#as(client)));

  listArtifacts: VisibleSessions['listArtifacts'] = (params, client) =>
    this.#with(params.session, (all) => all.listArtifacts(params, this.#as(client)));

  fetchContent: VisibleSessions['fetchContent'] = async (params, client) => {
    const missing = noContent(params.uri);
    const session = sessionOfContent(params.uri);
    if (session === undefined) throw missing;
    return this.#with(session, (all) => all.fetchContent(params, this.#as(client)), missing);
  };

  work: VisibleSessions['work'] = (method, params, client) =>
    this.#with(params.session, (all) => all.work(method, params, this.#as(client)));

  list(params: ListSessionsParams): ListSessionsResult | Promise<ListSessionsResult> {
    return this.#all().list(params, this.#space);
  }

  withNewestSummaries(result: ListSessionsResult): ListSessionsResult {
    return this.#all().withNewestSummaries(result, this.#space);
  }

  acceptedFrom(key: string, wanted: readonly URI[]): Record<URI, readonly number[]> {
    const all = this.#all();
    const accepted = Object.entries(all.acceptedFrom(key, wanted));
    return Object.fromEntries(accepted.filter(([uri]) => this.#seen(all.loaded(uri)) !== undefined));
  }

  async #open(uri: URI): Promise<OpenSession> {
    // Its log is the truth, wherever the first answer came from.
    const session = this.#seen(await this.#with(uri, (all) => all.open(uri)));
    if (!session) throw notFound(uri);
    return session;
  }

  /** Does something with a session of this space. For any other there is the answer for one that does not exist. */
  async #with<T>(uri: URI, work: (all: Sessions) => Promise<T>, missing = notFound(uri)): Promise<T> {
    const all = this.#all();
    const space = await all.spaceOf(uri);
    // In the same tick as the work: what is opened after the others were closed would stay open.
    if (all.isClosing) throw stopping();
    if (space !== this.#space) throw missing;
    return work(all);
  }

  #seen(session: OpenSession | undefined): OpenSession | undefined {
    return session?.space === this.#space ? session : undefined;
  }

  #as({ author, protocolVersion, role, tokenName }: AskingClient): CommandClient {
    return { author, protocolVersion, tokenName, ...(role && { role }), space: this.#space };
  }
}
