import { pathToFileURL } from 'node:url';
import { type CreateSessionParams, ERROR_CODE, PROTOCOL_VERSION, parseSessionUri, type URI } from '@agenthost/protocol';
import { MAX_CONFIG_LENGTH, MAX_METADATA_LENGTH, withoutUntrustedFolder } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { AgentRegistry } from '../agents/agentRegistry.js';
import type { SessionStartRecord } from '../storage/log/eventLog.js';
import type { SessionStorage, StoredSession } from '../storage/sessionStorage.js';
import { workingDirectoryOf } from './folder/workingDirectory.js';

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

/** Stores the first record of a new session. When that fails, its files are removed. */
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

interface OpenNewOptions {
  readonly storage: SessionStorage;
  readonly session: URI;
  readonly sessionId: string;
  /** The log becomes visible when it is closed, not before. */
  readonly isDraft?: boolean;
  /** Removes what was made of the session. */
  readonly discard: (sessionId: string) => Promise<void>;
}

/** Creates and fills the files of a new session. When that fails, they are removed. */
export async function openNewSession(
  { storage, session, sessionId, isDraft = false, discard }: OpenNewOptions,
  fill: (stored: StoredSession) => Promise<void>,
): Promise<StoredSession> {
  let stored: StoredSession | undefined;
  try {
    stored = await storage.open(sessionId, { create: true, isDraft });
    if (!stored) throw new RpcError(ERROR_CODE.sessionAlreadyExists, `session ${session} already exists`);
    await fill(stored);
    return stored;
  } catch (error) {
    // An open log would retry its writes later, into the file of another session with this name.
    await stored?.log.close().catch(() => undefined);
    await stored?.fs.dispose();
    await discard(sessionId);
    throw error;
  }
}

/** Rejects metadata and config that would make the session's summary, or the first record of its log, too large. */
export function checkBeginning(params: NewSessionParams, agents: Pick<AgentRegistry, 'get'>): SessionUriParts {
  const parts = parseSessionUri(params.session);
  if (!parts) throw new RpcError(ERROR_CODE.invalidParams, 'params.session: a session is <provider>:/<id>');
  const { provider } = parts;
  if (params.provider !== undefined && params.provider !== provider) {
    throw new RpcError(ERROR_CODE.invalidParams, `params.provider: the session's URI says ${provider}`);
  }
  if (!agents.get(provider)) throw new RpcError(ERROR_CODE.noAgentForProvider, `no agent for provider ${provider}`);
  checkLength('metadata', params.metadata, MAX_METADATA_LENGTH);
  checkLength('config', params.config, MAX_CONFIG_LENGTH);
  return parts;
}

type NewSessionParams = Pick<CreateSessionParams, 'session' | 'provider' | 'metadata' | 'config'>;
type SessionUriParts = NonNullable<ReturnType<typeof parseSessionUri>>;

function checkLength(name: string, value: object | undefined, most: number): void {
  const length = value ? JSON.stringify(value).length : 0;
  if (length <= most) return;
  throw new RpcError(ERROR_CODE.invalidParams, `params.${name}: ${length} characters as JSON, more than ${most}`);
}
