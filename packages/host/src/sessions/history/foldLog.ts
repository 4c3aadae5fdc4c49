import {
  createSessionState,
  type SessionAction,
  type SessionState,
  sessionReducer,
  sessionUri,
} from '@agenthost/protocol';
import type { LogRecord, SessionStartRecord } from '../../storage/log/eventLog.js';
import { AcceptedSequences, acceptedKey, actionFingerprint } from '../turn/acceptedSequences.js';

export interface FoldedLog {
  readonly start: SessionStartRecord;
  readonly state: SessionState;
  readonly accepted: AcceptedSequences;
  readonly lastServerSeq: number;
}

/** The state after the last record of a log. `undefined` for a log without a first record. */
export async function foldLog(
  records: AsyncIterable<LogRecord>,
  keep: (state: SessionState) => SessionState = (state) => state,
): Promise<FoldedLog | undefined> {
  const fold = new LogFold(keep);
  for await (const record of records) fold.take(record);
  return fold.result;
}

/** Folds the records of a log in order, from the first one or from an earlier result. */
export class LogFold {
  readonly #keep: (state: SessionState) => SessionState;
  #result: FoldedLog | undefined;

  constructor(keep: (state: SessionState) => SessionState, from?: FoldedLog) {
    this.#keep = keep;
    this.#result = from && { ...from, state: keep(from.state) };
  }

  get result(): FoldedLog | undefined {
    return this.#result;
  }

  take(record: LogRecord): void {
    const before = this.#result;
    if (record.type === 'session.start' && !before) {
      this.#result = {
        start: record,
        state: newSessionState(record),
        accepted: new AcceptedSequences(),
        lastServerSeq: 0,
      };
    } else if (record.type === 'action' && before) {
      const { origin, serverSeq, action } = record;
      const { accepted } = before;
      this.#result = {
        ...before,
        state: this.#keep(reduceLogged(before.state, action)),
        lastServerSeq: Math.max(before.lastServerSeq, serverSeq),
      };
      if (origin && origin.clientSeq > accepted.highest(acceptedKey(origin))) {
        const { clientSeq } = origin;
        accepted.add(acceptedKey(origin), { clientSeq, serverSeq, fingerprint: actionFingerprint(action) });
      }
    }
  }
}

/**
 * Reduces an action of the log. A logged start of a turn was accepted once. If the state does not allow it now, the records before it
 * are damaged, such as the end of the turn before: that turn is ended here, so that it does not hide all later turns.
 */
export function reduceLogged(state: SessionState, action: SessionAction): SessionState {
  const next = sessionReducer(state, action);
  if (next !== state || action.type !== 'session/turnStarted') return next;
  const { session, at, queuedMessageId: _, ...started } = action;
  const { activeTurn, lifecycle } = state;
  if (activeTurn?.id === action.turnId) return state;
  const ready = lifecycle === 'creating' ? sessionReducer(state, { type: 'session/ready', session, at }) : state;
  const ended = activeTurn
    ? sessionReducer(ready, { type: 'session/error', session, at, turnId: activeTurn.id, error: END_IS_LOST })
    : ready;
  return sessionReducer(ended, { ...started, session, at });
}

const END_IS_LOST = { errorType: 'damagedLog', message: 'The end of this turn is lost: the log is damaged there.' };

export function newSessionState(
  start: Omit<SessionStartRecord, 'v' | 'n' | 'id' | 'at' | 'versions' | 'type' | 'cwd'>,
): SessionState {
  const { sessionId, provider, createdAt, title, model, workingDirectory, metadata } = start;
  return createSessionState({
    resource: sessionUri(provider, sessionId),
    provider,
    createdAt,
    ...(title !== undefined && { title }),
    ...(model !== undefined && { model }),
    ...(workingDirectory !== undefined && { workingDirectory }),
    ...(metadata && { metadata }),
  });
}

/** Whether the log is that of a provisional session, which has no message yet (rules PROV1 and PROV2). */
export function isProvisional({ start, state }: Pick<FoldedLog, 'start' | 'state'>): boolean {
  return start.provisional === true && !hasMessage(state);
}

export function hasMessage(state: SessionState): boolean {
  const { turns, earlierTurns = 0, activeTurn, steeringMessage, queuedMessages } = state;
  return turns.length + earlierTurns > 0 || Boolean(activeTurn || steeringMessage || queuedMessages);
}
