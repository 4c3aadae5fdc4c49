import { createSessionState, type SessionState, sessionReducer, sessionUri } from '@agenthost/protocol';
import type { LogRecord, SessionStartRecord } from '../sessionFs/eventLog.js';
import { AcceptedSequences } from './acceptedSequences.js';

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
  let start: SessionStartRecord | undefined;
  let state: SessionState | undefined;
  let lastServerSeq = 0;
  const accepted = new AcceptedSequences();
  for await (const record of records) {
    if (record.type === 'session.start' && !start) {
      start = record;
      state = newSessionState(record);
    } else if (record.type === 'action' && state) {
      state = keep(sessionReducer(state, record.action));
      lastServerSeq = Math.max(lastServerSeq, record.serverSeq);
      const { origin } = record;
      if (origin && origin.clientSeq > accepted.highest(origin.clientId))
        accepted.add(origin.clientId, origin.clientSeq);
    }
  }
  return start && state && { start, state, accepted, lastServerSeq };
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
