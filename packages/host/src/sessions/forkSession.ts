import { ERROR_CODE, type ForkSessionParams, type SessionState } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import type { NewLogRecord } from '../sessionFs/eventLog.js';
import type { SessionStorage, StoredSession } from '../sessionFs/sessionStorage.js';
import { writeWholeLog } from '../sessionFs/wholeLog.js';
import { forkFiles } from './forkFiles.js';
import { type ForkedLog, forkLog } from './forkLog.js';
import { openNewSession } from './openNewSession.js';

export interface ForkSource {
  readonly stored: StoredSession;
  readonly sessionId: string;
  readonly state: SessionState;
}

export interface ForkOptions {
  readonly storage: SessionStorage;
  readonly sessionId: string;
  readonly now: number;
  readonly newId: () => string;
  /** Removes what was made of the session. */
  readonly discard: (sessionId: string) => Promise<void>;
}

/** Makes the files of a session that begins with the turns of another one. When it fails, nothing of it is left. */
export async function forkSession(source: ForkSource, params: ForkSessionParams, options: ForkOptions): Promise<void> {
  const { sessionId, now, newId } = options;
  const { stored: from, state } = source;
  await from.log.flush();
  const { records } = await from.log.loadAll();
  const fill = async (target: StoredSession) => {
    const title = `${state.summary.title} (fork)`.trim();
    const forked = forkLog(records, {
      source: { uri: params.source, sessionId: source.sessionId, statePath: from.fs.sessionStatePath ?? '' },
      session: params.session,
      sessionId,
      statePath: target.fs.sessionStatePath ?? '',
      createdAt: now,
      ...(params.toTurnId !== undefined && { toTurnId: params.toTurnId }),
    });
    if (!forked) throw new RpcError(ERROR_CODE.notFound, `no ended turn ${params.toTurnId} in ${params.source}`);
    const isCut = params.toTurnId !== undefined;
    const { lastCheckpoint } = forked;
    await forkFiles(from.fs, target.fs, { sessionId, name: title, now, lastCheckpoint, isCut });
    // Last, and as a whole: a folder without a log is no session yet, and a part of the log would be another one.
    await writeLog(target, forked, params, { title, at: now, newId });
  };
  const made = await openNewSession({ ...options, session: params.session }, fill);
  await made.fs.dispose();
}

/** In the source's own log; once the fork can be used. */
export function noteFork({ stored: from }: ForkSource, params: ForkSessionParams): void {
  const data = { session: params.session, ...(params.toTurnId !== undefined && { toTurnId: params.toTurnId }) };
  from.log.append({ type: 'session.info', kind: 'fork', message: `forked to ${params.session}`, data });
}

async function writeLog(
  { fs }: StoredSession,
  { start, records, lastTurnId }: ForkedLog,
  { source, session }: ForkSessionParams,
  { title, at, newId }: { readonly title: string; readonly at: number; readonly newId: () => string },
): Promise<void> {
  const serverSeq = records.findLast((record) => record.type === 'action')?.serverSeq ?? 0;
  const data = { source, ...(lastTurnId !== undefined && { lastTurnId }) };
  const all: NewLogRecord[] = [
    start,
    ...records,
    { type: 'action', serverSeq, action: { type: 'session/titleChanged', session, at, title } },
    { type: 'session.info', kind: 'fork', message: `forked from ${source}`, data },
  ];
  await writeWholeLog(fs, all, { at, newId });
}
