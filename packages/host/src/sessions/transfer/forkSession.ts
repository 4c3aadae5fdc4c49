import { ERROR_CODE, type ForkSessionParams, parseSessionUri, type SessionState } from '@agenthost/protocol';
import { artifactTimes, MAX_TITLE_LENGTH, withArtifactTime } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { SessionStorage, StoredSession } from '../../storage/sessionStorage.js';
import { openNewSession } from '../beginSession.js';
import { forkFiles } from './forkFiles.js';
import { copyLog, type ForkPoint, type ForkTarget, findForkPoint, rebasePath } from './forkLog.js';

const MARK = ' (fork)';

export interface ForkSource {
  readonly stored: StoredSession;
  readonly sessionId: string;
  readonly state: SessionState;
  /** The id of a copy of its agent's memory; the fork resumes it when it has all turns. */
  readonly memory?: string | undefined;
}

export interface ForkOptions {
  readonly storage: SessionStorage;
  readonly sessionId: string;
  /** The source's. */
  readonly space: string;
  readonly now: number;
  /** Removes what was made of the session. */
  readonly discard: (sessionId: string) => Promise<void>;
}

/** Creates the files of a session that begins with the turns of another one. When it fails, they are removed. */
export async function forkSession(source: ForkSource, params: ForkSessionParams, options: ForkOptions): Promise<void> {
  const { sessionId, now } = options;
  const { stored: from, state } = source;
  const [before, provider] = [parseSessionUri(params.source)?.provider, parseSessionUri(params.session)?.provider];
  const handOverTo = before === provider ? undefined : provider;
  await from.log.flush();
  const point = await findForkPoint(from.log.load(), params.toTurnId);
  if (!point) throw new RpcError(ERROR_CODE.notFound, `no ended turn ${params.toTurnId} in ${params.source}`);
  const fill = async (to: StoredSession) => {
    const title = titleOf(state, point, handOverTo);
    const target: ForkTarget = {
      source: { uri: params.source, sessionId: source.sessionId, statePath: from.fs.sessionStatePath ?? '' },
      session: params.session,
      sessionId,
      statePath: to.fs.sessionStatePath ?? '',
      createdAt: now,
      ...(handOverTo !== undefined && { handOverTo }),
      ...(params.group !== undefined && { group: params.group }),
      ...(state.titleByUser && { title }),
    };
    const lastCheckpoint = point.lastCheckpoint === undefined ? undefined : rebasePath(point.lastCheckpoint, target);
    const isWhole = !point.isCut && point.lastTurnId === state.turns.at(-1)?.id;
    const nativeSessionId = isWhole && handOverTo === undefined ? source.memory : undefined;
    await forkFiles(from.fs, to.fs, {
      sessionId,
      name: title,
      now,
      lastCheckpoint,
      isCut: point.isCut,
      ...(nativeSessionId !== undefined && { nativeSessionId }),
    });
    // Last: without a log under its name it is no session yet.
    const serverSeq = await copyLog(from.log.load(), to.log, point, target);
    await endLog(
      to,
      { ...params, serverSeq, at: now },
      {
        artifacts: artifactTimesOf(state, point),
        point,
        // A title that a user gave is in the first record.
        ...(!state.titleByUser && { title }),
      },
    );
  };
  const made = await openNewSession({ ...options, session: params.session, isDraft: true }, fill);
  await made.fs.dispose();
}

/** Notes the fork in the source's log, when the fork can be used. */
export function noteFork({ stored: from }: ForkSource, params: ForkSessionParams): void {
  const data = { session: params.session, ...(params.toTurnId !== undefined && { toTurnId: params.toTurnId }) };
  from.log.append({ type: 'session.info', kind: 'fork', message: `forked to ${params.session}`, data });
}

async function endLog(
  { log }: StoredSession,
  { source, session, serverSeq, at }: ForkSessionParams & { readonly serverSeq: number; readonly at: number },
  about: { readonly title?: string; readonly artifacts: ArtifactMetadata; readonly point: ForkPoint },
): Promise<void> {
  const { title, artifacts: metadata, point } = about;
  if (title) log.append({ type: 'action', serverSeq, action: { type: 'session/titleChanged', session, at, title } });
  log.append({ type: 'action', serverSeq, action: { type: 'session/metadataChanged', session, at, metadata } });
  const data = { source, ...(point.lastTurnId !== undefined && { lastTurnId: point.lastTurnId }) };
  log.append({ type: 'session.info', kind: 'fork', message: `forked from ${source}`, data });
  await log.close();
}

/** For a source without a title: from its first message, as for any session. */
function titleOf({ summary }: SessionState, { derivedTitle = '' }: ForkPoint, handOverTo?: string): string {
  if (summary.title === '') return derivedTitle;
  // The list shows which agent a session has.
  if (handOverTo !== undefined) return summary.title;
  return `${summary.title.slice(0, MAX_TITLE_LENGTH - MARK.length)}${MARK}`;
}

type ArtifactMetadata = ReturnType<typeof withArtifactTime>;

/** The files are copied as they are now, not as they were at the turn where the log was cut. */
function artifactTimesOf({ summary }: SessionState, { isCut, lastCheckpoint }: ForkPoint): ArtifactMetadata {
  const times = artifactTimes(summary);
  const hasCheckpoints = !isCut || lastCheckpoint !== undefined;
  return withArtifactTime(times, 'checkpoint', hasCheckpoints ? times.checkpoint : undefined);
}
