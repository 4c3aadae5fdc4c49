import { pathToFileURL } from 'node:url';
import { type CreateSessionParams, PROTOCOL_VERSION, withoutUntrustedFolder } from '@agenthost/protocol';
import type { SessionStartRecord } from '../storage/log/eventLog.js';
import type { SessionStorage, StoredSession } from '../storage/sessionStorage.js';
import { workingDirectoryOf } from './folder/workingDirectory.js';
import { openNewSession } from './openNewSession.js';

export interface BeginSessionOptions {
  readonly storage: SessionStorage;
  readonly provider: string;
  readonly sessionId: string;
  readonly defaultDirectory: string;
  readonly now: number;
  readonly newId: () => string;
  /** Removes what was made of the session. */
  readonly discard: (sessionId: string) => Promise<void>;
}

/** Puts the beginning of a session on disk. When that fails, nothing of it is left. */
export async function beginSession(
  params: CreateSessionParams,
  { storage, provider, sessionId, defaultDirectory, now, newId, discard }: BeginSessionOptions,
): Promise<{ readonly stored: StoredSession; readonly start: SessionStartRecord }> {
  const cwd = await workingDirectoryOf(params.workingDirectory, defaultDirectory);
  const start: SessionStartRecord = {
    v: 1,
    n: 1,
    id: newId(),
    at: now,
    type: 'session.start',
    provider,
    sessionId,
    cwd,
    versions: { log: 1, protocol: PROTOCOL_VERSION },
    createdAt: now,
    workingDirectory: pathToFileURL(cwd).href,
    ...(params.model !== undefined && { model: params.model }),
    metadata: { workingDirectoryPath: cwd, ...withoutUntrustedFolder(params.metadata ?? {}) },
    ...(params.config && { config: params.config }),
    ...(params.provisional && { provisional: true }),
  };
  const fill = async ({ log }: StoredSession) => {
    const { v: _, n: __, ...record } = start;
    log.append(record);
    await log.flush();
  };
  return { stored: await openNewSession({ storage, session: params.session, sessionId, discard }, fill), start };
}
