import { pathToFileURL } from 'node:url';
import { type CreateSessionParams, PROTOCOL_VERSION } from '@agenthost/protocol';
import type { NewLogRecord } from '../sessionFs/eventLog.js';
import type { SessionStorage, StoredSession } from '../sessionFs/sessionStorage.js';
import { openNewSession } from './openNewSession.js';
import { workingDirectoryOf } from './workingDirectory.js';

export interface BeginSessionOptions {
  readonly storage: SessionStorage;
  readonly provider: string;
  readonly sessionId: string;
  readonly defaultDirectory: string;
  readonly now: number;
  /** Removes what was made of the session. */
  readonly discard: (sessionId: string) => Promise<void>;
}

type Start = Extract<NewLogRecord, { type: 'session.start' }>;

/** Puts the beginning of a session on disk. When that fails, nothing of it is left. */
export async function beginSession(
  params: CreateSessionParams,
  { storage, provider, sessionId, defaultDirectory, now, discard }: BeginSessionOptions,
): Promise<{ readonly stored: StoredSession; readonly start: Start }> {
  const cwd = await workingDirectoryOf(params.workingDirectory, defaultDirectory);
  const start: Start = {
    type: 'session.start',
    provider,
    sessionId,
    cwd,
    versions: { log: 1, protocol: PROTOCOL_VERSION },
    createdAt: now,
    workingDirectory: pathToFileURL(cwd).href,
    ...(params.model !== undefined && { model: params.model }),
    ...(params.metadata && { metadata: params.metadata }),
    ...(params.config && { config: params.config }),
  };
  const fill = async ({ log }: StoredSession) => {
    log.append(start);
    await log.flush();
  };
  return { stored: await openNewSession({ storage, session: params.session, sessionId, discard }, fill), start };
}
