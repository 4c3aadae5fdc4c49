import { ERROR_CODE, type ListSessionsResult, type URI } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { noContent, notFound, sessionOfContent } from '../sessionLoader.js';
import type { OpenSession, Sessions, VisibleSessions } from '../sessions.js';
import { SpaceSessions } from './spaceSessions.js';

/** What a client sees: the sessions of its space, or the one of its link. */
export function visibleSessions(all: () => Sessions, space: string, only?: URI): VisibleSessions {
  const ofSpace = new SpaceSessions(all, space);
  return only === undefined ? ofSpace : new SharedSession(ofSpace, only);
}

/** The one session of a read-only link. All others are answered as if they did not exist. */
class SharedSession implements VisibleSessions {
  readonly #ofSpace: VisibleSessions;
  readonly #only: URI;

  constructor(ofSpace: VisibleSessions, only: URI) {
    this.#ofSpace = ofSpace;
    this.#only = only;
  }

  loaded(uri: URI): OpenSession | undefined {
    return this.#isShown(uri) ? this.#ofSpace.loaded(uri) : undefined;
  }

  async open(uri: URI): Promise<OpenSession> {
    return this.#shown(uri).open(uri);
  }

  async exists(uri: URI): Promise<boolean> {
    return this.#isShown(uri) && this.#ofSpace.exists(uri);
  }

  hold(uri: URI, mayMove = false): () => void {
    return this.#isShown(uri) ? this.#ofSpace.hold(uri, mayMove) : () => {};
  }

  fetchTurns: VisibleSessions['fetchTurns'] = async (params, client) =>
    this.#shown(params.session).fetchTurns(params, client);

  fetchParts: VisibleSessions['fetchParts'] = async (params, client) =>
    this.#shown(params.session).fetchParts(params, client);

  fetchEvents: VisibleSessions['fetchEvents'] = async (params, client) =>
    this.#shown(params.session).fetchEvents(params, client);

  listArtifacts: VisibleSessions['listArtifacts'] = async (params, client) =>
    this.#shown(params.session).listArtifacts(params, client);

  fetchContent: VisibleSessions['fetchContent'] = async (params, client) => {
    const session = sessionOfContent(params.uri);
    if (session === undefined || !this.#isShown(session)) throw noContent(params.uri);
    return this.#ofSpace.fetchContent(params, client);
  };

  acceptedFrom(key: string, wanted: readonly URI[]): Record<URI, readonly number[]> {
    const shown = wanted.filter((uri) => this.#isShown(uri));
    return this.#ofSpace.acceptedFrom(key, shown);
  }

  work(): Promise<never> {
    return refused();
  }

  create(): Promise<void> {
    return refused();
  }

  fork(): Promise<void> {
    return refused();
  }

  import(): Promise<void> {
    return refused();
  }

  remove(): Promise<void> {
    return refused();
  }

  list(): ListSessionsResult {
    return { items: [], total: 0 };
  }

  withNewestSummaries(): ListSessionsResult {
    return this.list();
  }

  #shown(uri: URI): VisibleSessions {
    if (!this.#isShown(uri)) throw notFound(uri);
    return this.#ofSpace;
  }

  #isShown(uri: URI): boolean {
    return uri === this.#only;
  }
}

async function refused(): Promise<never> {
  throw new RpcError(ERROR_CODE.permissionDenied, 'a read-only link changes nothing');
}
