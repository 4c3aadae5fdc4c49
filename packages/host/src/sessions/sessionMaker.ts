import {
  type CreateSessionParams,
  ERROR_CODE,
  type ForkSessionParams,
  type Notification,
  parseSessionUri,
  type SessionState,
  type SessionSummary,
  type URI,
} from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import type { SessionIndex } from '../sessionIndex/sessionIndex.js';
import type { SessionStorage, StoredSession } from '../storage/sessionStorage.js';
import type { AbandonedSessions } from './abandonedSessions.js';
import { beginSession } from './beginSession.js';
import { newSessionState } from './history/foldLog.js';
import type { LogChecks } from './history/logChecks.js';
import { type OpenedHistory, SessionHistory } from './history/sessionHistory.js';
import { indexLog } from './indexing/indexLog.js';
import { hasMessage, isProvisional, type ProvisionalSessions } from './provisionalSessions.js';
import type { Session } from './session.js';
import { createSession, type SessionFactoryOptions } from './sessionFactory.js';
import type { SummaryNotifier } from './summaryNotifier.js';
import { forkSession, noteFork } from './transfer/forkSession.js';

export interface SessionMakerOptions
  extends Omit<SessionFactoryOptions, 'onSummaryChanged' | 'onTurn' | 'onTurnTakenBack' | 'isTurnIndexed'> {
  readonly storage: SessionStorage;
  readonly index: SessionIndex;
  /** To everybody, or to the subscribers of one session. */
  readonly broadcast: (notification: Notification, subscribersOf?: URI) => void;
  readonly defaultDirectory: string;
  /** What is kept of a session beside its log is used by the same version alone. */
  readonly hostVersion: string;
}

interface Surroundings {
  readonly notifier: SummaryNotifier;
  readonly checks: LogChecks;
  readonly abandoned: AbandonedSessions;
  readonly provisional: ProvisionalSessions;
  /** Called before a loaded session acts: what it does then is told to whoever asks. */
  readonly onLoaded: (uri: URI, session: Session) => void;
}

/** Brings sessions into memory: new ones, forks, and those on disk. Who may ask for which, and when, is the hub's. */
export class SessionMaker {
  readonly #options: SessionMakerOptions;
  readonly #around: Surroundings;

  constructor(options: SessionMakerOptions, around: Surroundings) {
    this.#options = options;
    this.#around = around;
  }

  async create(params: CreateSessionParams, parts: { provider: string; sessionId: string }): Promise<Session> {
    const { storage, index, now, newId, defaultDirectory } = this.#options;
    index.expect(params.session);
    const discard = (id: string) => this.#around.abandoned.discard(id);
    const beginning = beginSession(params, { storage, ...parts, defaultDirectory, now: now(), newId, discard });
    const { stored, start } = await beginning.catch((error: unknown) => {
      index.remove(params.session);
      throw error;
    });
    const state = newSessionState(start);
    const history = this.#historyOf(params.session, stored);
    history.begin(start);
    const contents = { uri: params.session, start, state, history };
    const session = await createSession(stored, contents, this.#factoryOptions());
    if (start.provisional) this.#around.provisional.add(params.session);
    else this.#announce(state.summary);
    return session;
  }

  async fork(params: ForkSessionParams, original: Session, sourceId: string, sessionId: string): Promise<Session> {
    const { storage, now, index, broadcast } = this.#options;
    if (original.state.lifecycle !== 'ready') {
      throw new RpcError(ERROR_CODE.invalidRequest, `${params.source} is not ready: there is nothing to fork yet`);
    }
    await original.filesWritten();
    index.expect(params.session);
    const source = { stored: original.stored, sessionId: sourceId, state: original.state };
    const discard = (id: string) => this.#around.abandoned.discard(id);
    try {
      await forkSession(source, params, { storage, sessionId, now: now(), discard });
      const fork = await this.load(params.session).catch(async (error: unknown) => {
        await discard(sessionId);
        throw error;
      });
      noteFork(source, params);
      index.flush();
      broadcast({ type: 'notify/sessionAdded', summary: fork.state.summary });
      return fork;
    } catch (error) {
      index.remove(params.session);
      throw error;
    }
  }

  /** Rejects with the error to answer when there is no such session. */
  async load(uri: URI): Promise<Session> {
    const parts = parseSessionUri(uri);
    const isThere = parts && !this.#around.abandoned.has(parts.sessionId);
    const stored = isThere && (await this.#options.storage.open(parts.sessionId));
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
    const { index, log } = this.#options;
    const isHidden = isProvisional(folded);
    if (isHidden) this.#around.provisional.add(uri);
    else if (!index.isComplete(uri)) {
      await indexLog(index, stored.log, () => folded.state.summary).catch((error: unknown) =>
        log.error(`${uri} can't be searched`, error),
      );
    }
    const session = await createSession(stored, { uri, ...folded, history }, this.#factoryOptions());
    if (!isHidden) {
      index.put(folded.state.summary);
      this.#around.notifier.know(folded.state.summary);
    }
    this.#around.onLoaded(uri, session);
    session.recover();
    if (skipped) {
      this.#around.checks.add(uri, async (options) => {
        const damage = await stored.log.check(skipped, options);
        if (damage?.altered) await history.giveUp();
      });
    }
    return session;
  }

  #historyOf(uri: URI, stored: StoredSession): SessionHistory {
    const { hostVersion, log } = this.#options;
    return new SessionHistory({ uri, stored, hostVersion, log });
  }

  #factoryOptions(): SessionFactoryOptions {
    return {
      ...this.#options,
      onSummaryChanged: (state) => this.#summaryChanged(state),
      onTurn: (uri, turn, dropped) => this.#options.index.putTurn(uri, turn, dropped),
      isTurnIndexed: (uri, turnId) => this.#options.index.hasTurn(uri, turnId),
      onTurnTakenBack: (uri, turnId) => this.#options.index.forgetTurn(uri, turnId),
    };
  }

  #summaryChanged(state: SessionState): void {
    const { summary } = state;
    const { provisional, notifier } = this.#around;
    if (provisional.has(summary.resource)) {
      if (!hasMessage(state)) return;
      provisional.delete(summary.resource);
      this.#announce(summary);
      return;
    }
    this.#options.index.put(summary);
    notifier.changed(summary);
  }

  /** From now on everybody knows of it. */
  #announce(summary: SessionSummary): void {
    const { index, broadcast } = this.#options;
    index.put(summary);
    index.flush();
    this.#around.notifier.know(summary);
    broadcast({ type: 'notify/sessionAdded', summary });
  }
}

export function notFound(uri: URI): RpcError {
  return new RpcError(ERROR_CODE.sessionNotFound, `no session ${uri.slice(0, 200)}`);
}

export function alreadyExists(uri: URI): RpcError {
  return new RpcError(ERROR_CODE.sessionAlreadyExists, `session ${uri} already exists`);
}

/** Throws `notFound` for what is no URI of a session. */
export function partsOf(uri: URI): { readonly provider: string; readonly sessionId: string } {
  const parts = parseSessionUri(uri);
  if (!parts) throw notFound(uri);
  return parts;
}
