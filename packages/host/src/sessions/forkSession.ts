import {
  artifactTimes,
  ERROR_CODE,
  type ForkSessionParams,
  type SessionAction,
  type SessionState,
  withArtifactTime,
} from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import type { SessionStorage, StoredSession } from '../sessionFs/sessionStorage.js';
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
  /** Removes what was made of the session. */
  readonly discard: (sessionId: string) => Promise<void>;
}

/** Makes the files of a session that begins with the turns of another one. When it fails, nothing of it is left. */
export async function forkSession(source: ForkSource, params: ForkSessionParams, options: ForkOptions): Promise<void> {
  const { sessionId, now } = options;
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
    const { lastCheckpoint, isCut } = forked;
    await forkFiles(from.fs, target.fs, { sessionId, name: title, now, lastCheckpoint, isCut });
    // Last: without its log, under its name, it is no session yet.
    const artifacts = artifactTimesOf(state, forked);
    await writeLog(target, forked, params, { title, artifacts, at: now });
  };
  const made = await openNewSession({ ...options, session: params.session, isDraft: true }, fill);
  await made.fs.dispose();
}

/** In the source's own log; once the fork can be used. */
export function noteFork({ stored: from }: ForkSource, params: ForkSessionParams): void {
  const data = { session: params.session, ...(params.toTurnId !== undefined && { toTurnId: params.toTurnId }) };
  from.log.append({ type: 'session.info', kind: 'fork', message: `forked to ${params.session}`, data });
}

async function writeLog(
  { log }: StoredSession,
  { start, records, lastTurnId }: ForkedLog,
  { source, session }: ForkSessionParams,
  { title, artifacts, at }: { readonly title: string; readonly artifacts: ArtifactMetadata; readonly at: number },
): Promise<void> {
  const serverSeq = records.findLast((record) => record.type === 'action')?.serverSeq ?? 0;
  log.append(start);
  for (const record of records) log.append(record);
  log.append({ type: 'action', serverSeq, action: { type: 'session/titleChanged', session, at, title } });
  const metadata: SessionAction = { type: 'session/metadataChanged', session, at, metadata: artifacts };
  log.append({ type: 'action', serverSeq, action: metadata });
  const data = { source, ...(lastTurnId !== undefined && { lastTurnId }) };
  log.append({ type: 'session.info', kind: 'fork', message: `forked from ${source}`, data });
  await log.close();
}

type ArtifactMetadata = ReturnType<typeof withArtifactTime>;

/** The files were copied as they are now, whatever the log said of them at the turn where it was cut. */
function artifactTimesOf({ summary }: SessionState, { isCut, lastCheckpoint }: ForkedLog): ArtifactMetadata {
  const times = artifactTimes(summary);
  const hasCheckpoints = !isCut || lastCheckpoint !== undefined;
  return withArtifactTime(times, 'checkpoint', hasCheckpoints ? times.checkpoint : undefined);
}
