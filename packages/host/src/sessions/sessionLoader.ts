import {
  type CreateSessionParams,
  ERROR_CODE,
  type ForkSessionParams,
  parseSessionUri,
  sessionUri,
  type URI,
} from '@agenthost/protocol';
import { parseArtifactUri, parseContentUri } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { StoredSession } from '../storage/sessionStorage.js';
import type { AbandonedSessions } from './abandonedSessions.js';
import { assembleSession } from './assembleSession.js';
import { beginSession } from './beginSession.js';
import { isProvisional, newSessionState } from './history/foldLog.js';
import type { LogChecks } from './history/logChecks.js';
import { type OpenedHistory, SessionHistory } from './history/sessionHistory.js';
import { indexLog } from './indexing/indexLog.js';
import type { Session } from './session.js';
import type { SessionServices } from './sessionServices.js';
import type { SummaryNotifier } from './summaryNotifier.js';

/** What the loader shares with the hub. */
export interface SessionLoaderDeps {
  readonly notifier: SummaryNotifier;
  readonly checks: LogChecks;
  readonly abandoned: AbandonedSessions;
  /** Called when another host has taken a session. */
  readonly onLost: (uri: URI) => void;
  /** Called before a loaded session acts, so that those who ask for it find it. */
  readonly onLoaded: (uri: URI, session: Session) => void;
}

/** Brings sessions into memory: new ones, forks, and those on disk. The hub decides which ones, and when. */
export class SessionLoader {
  readonly #services: SessionServices;
  readonly #deps: SessionLoaderDeps;

  constructor(services: SessionServices, deps: SessionLoaderDeps) {
    this.#services = services;
    this.#deps = deps;
  }

  async create(
    params: CreateSessionParams,
    parts: { readonly provider: string; readonly sessionId: string; readonly space: string },
  ): Promise<Session> {
    const { storage, index, now, newId, defaultDirectory, worktrees } = this.#services;
    index.expect(params.session);
    const discard = (id: string) => this.#deps.abandoned.discard(id);
    const options = { storage, ...parts, defaultDirectory, now: now(), newId, worktrees, discard };
    const beginning = beginSession(params, options);
    const { stored, start } = await beginning.catch((error: unknown) => {
      index.remove(params.session);
      throw error;
    });
    const state = newSessionState(start);
    const history = this.#historyOf(params.session, stored);
    history.begin(start);
    const { notifier } = this.#deps;
    const session = await assembleSession(
      { uri: params.session, stored, start, state, history },
      this.#services,
      notifier,
    );
    session.onLost = () => this.#deps.onLost(params.session);
    if (start.provisional) notifier.provisional.add(params.session);
    else {
      index.put(state.summary, parts.space);
      void index.flush();
      notifier.added(state.summary, parts.space);
    }
    return session;
  }

  async fork(params: ForkSessionParams, original: Session, sourceId: string, sessionId: string): Promise<Session> {
    const { storage, now, index, broadcast } = this.#services;
    if (original.state.lifecycle !== 'ready') {
      throw new RpcError(ERROR_CODE.invalidRequest, `${params.source} is not ready: there is nothing to fork yet`);
    }
    await original.filesWritten();
    index.expect(params.session);
    const { stored, state, space } = original;
    const isHandOver = parseSessionUri(params.session)?.provider !== parseSessionUri(params.source)?.provider;
    const canCopy = params.toTurnId === undefined && !isHandOver;
    const memory = canCopy ? await original.forkMemory() : undefined;
    const { forkSession, noteFork } = await import('./transfer/forkSession.js');
    const source = { stored, sessionId: sourceId, state, memory };
    const discard = (id: string) => this.#deps.abandoned.discard(id);
    try {
      await forkSession(source, params, { storage, sessionId, space, now: now(), discard });
      const fork = await this.load(params.session).catch(async (error: unknown) => {
        await discard(sessionId);
        throw error;
      });
      noteFork(source, params);
      void index.flush();
      broadcast({ type: 'notify/sessionAdded', summary: fork.state.summary }, { space });
      return fork;
    } catch (error) {
      index.remove(params.session);
      throw error;
    }
  }

  /** Rejects with the error to answer when there is no such session. */
  async load(uri: URI): Promise<Session> {
    const parts = parseSessionUri(uri);
    const isThere = parts && !this.#deps.abandoned.has(parts.sessionId);
    const stored = isThere && (await this.#services.storage.open(parts.sessionId));
    if (!stored) throw notFound(uri);
    const history = this.#historyOf(uri, stored);
    try {
      const opened = await history.open();
      if (opened?.folded.start.provider !== parts.provider) throw notFound(uri);
      return await this.#loaded(uri, stored, history, opened);
    } catch (error) {
      await history.settled();
      await stored.fs.dispose();
      throw error;
    }
  }

  async #loaded(uri: URI, stored: StoredSession, history: SessionHistory, opened: OpenedHistory): Promise<Session> {
    const { folded, skipped } = opened;
    const { index, log, publisher, sequence } = this.#services;
    const { notifier } = this.#deps;
    // FEN5: what this host told of it before is not all that happened since.
    if (stored.isShared) publisher.end(uri, sequence.next());
    const isHidden = isProvisional(folded);
    if (isHidden) notifier.provisional.add(uri);
    else if (!index.isComplete(uri)) {
      await indexLog(index, stored.log, () => folded.state.summary).catch((error: unknown) =>
        log.error(`${uri} can't be searched`, error),
      );
    }
    const session = await assembleSession({ uri, stored, ...folded, history }, this.#services, notifier);
    session.onLost = () => this.#deps.onLost(uri);
    if (!isHidden) {
      index.put(folded.state.summary, session.space);
      notifier.know(folded.state.summary, session.space);
    }
    this.#deps.onLoaded(uri, session);
    session.recover();
    if (skipped) {
      this.#deps.checks.add(uri, async (options) => {
        const damage = await stored.log.check(skipped, options);
        if (damage?.altered) await history.giveUp();
      });
    }
    return session;
  }

  #historyOf(uri: URI, stored: StoredSession): SessionHistory {
    const { hostVersion, log } = this.#services;
    return new SessionHistory({ uri, stored, hostVersion, log });
  }
}

export function notFound(uri: URI): RpcError {
  return new RpcError(ERROR_CODE.sessionNotFound, `no session ${uri.slice(0, 200)}`);
}

export function noContent(uri: URI): RpcError {
  return new RpcError(ERROR_CODE.contentNotFound, `no content at ${uri.slice(0, 200)}`);
}

/** The session that the URI of a content or an artifact names. */
export function sessionOfContent(uri: URI): URI | undefined {
  const parts = parseContentUri(uri) ?? parseArtifactUri(uri);
  return parts && sessionUri(parts.provider, parts.sessionId);
}

export function isNotFound(error: unknown): boolean {
  return error instanceof RpcError && error.code === ERROR_CODE.sessionNotFound;
}

export function alreadyExists(uri: URI): RpcError {
  return new RpcError(ERROR_CODE.sessionAlreadyExists, `session ${uri} already exists`);
}

/** Throws `notFound` if it is not the URI of a session. */
export function partsOf(uri: URI): { readonly provider: string; readonly sessionId: string } {
  const parts = parseSessionUri(uri);
  if (!parts) throw notFound(uri);
  return parts;
}
