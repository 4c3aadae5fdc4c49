import { randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { type CreateSessionParams, ERROR_CODE, PROTOCOL_VERSION } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import type { SessionStartRecord } from '../sessionFs/eventLog.js';
import type { SessionStorage, StoredSession } from '../sessionFs/sessionStorage.js';
import { workingDirectoryOf } from './workingDirectory.js';

export interface BeginSessionOptions {
  readonly storage: SessionStorage;
  readonly provider: string;
  readonly sessionId: string;
  readonly defaultDirectory: string;
  readonly now: number;
}

/** Puts the beginning of a session on disk. When that fails, nothing of it is left. */
export async function beginSession(
  params: CreateSessionParams,
  { storage, provider, sessionId, defaultDirectory, now }: BeginSessionOptions,
): Promise<{ readonly stored: StoredSession; readonly start: SessionStartRecord }> {
  const cwd = await workingDirectoryOf(params.workingDirectory, defaultDirectory);
  const stored = await storage.open(sessionId, { create: true });
  if (!stored) throw new RpcError(ERROR_CODE.sessionAlreadyExists, `session ${params.session} already exists`);
  const start: SessionStartRecord = {
    v: 1,
    n: 1,
    id: randomUUID(),
    at: now,
    type: 'session.start',
    provider,
    sessionId,
    cwd,
    versions: { log: 1, protocol: PROTOCOL_VERSION },
    createdAt: now,
    workingDirectory: pathToFileURL(cwd).href,
    ...(params.model !== undefined && { model: params.model }),
    metadata: { workingDirectoryPath: cwd, ...params.metadata },
    ...(params.config && { config: params.config }),
  };
  try {
    const { v: _, n: __, ...record } = start;
    stored.log.append(record);
    await stored.log.flush();
    return { stored, start };
  } catch (error) {
    await stored.fs.dispose();
    await storage.remove(sessionId).catch(() => {});
    throw error;
  }
}
