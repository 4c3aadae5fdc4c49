import { createSessionState, type SessionState, sessionReducer, sessionUri } from '@agenthost/protocol';
import type { LogRecord, SessionStartRecord } from '../sessionFs/eventLog.js';
import { AcceptedSequences, acceptedKey } from './acceptedSequences.js';
import { actionFingerprint } from './actionFingerprint.js';

export interface FoldedLog {
  readonly start: SessionStartRecord;
  readonly state: SessionState;
  readonly accepted: AcceptedSequences;
  readonly lastServerSeq: number;
}

/** What a log says: the state after its last record. `undefined` for a log that has no beginning. */
export async function foldLog(
  records: AsyncIterable<LogRecord>,
  keep: (state: SessionState) => SessionState = (state) => state,
): Promise<FoldedLog | undefined> {
  const fold = new LogFold(keep);
  for await (const record of records) fold.take(record);
  return fold.result;
}

/** Takes the records of a log in order, from the first one on or from where another one was. */
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
        state: this.#keep(sessionReducer(before.state, action)),
        lastServerSeq: Math.max(before.lastServerSeq, serverSeq),
      };
      if (origin && origin.clientSeq > accepted.highest(acceptedKey(origin))) {
        const { clientSeq } = origin;
        accepted.add(acceptedKey(origin), { clientSeq, serverSeq, fingerprint: actionFingerprint(action) });
      }
    }
  }
}

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
