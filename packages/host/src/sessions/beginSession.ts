import { pathToFileURL } from 'node:url';
import {
  type CreateSessionParams,
  ERROR_CODE,
  type ForkSessionParams,
  MAX_SEVERAL,
  PROTOCOL_VERSION,
  parseSessionUri,
  severalOf,
  type URI,
} from '@agenthost/protocol';
import { DEFAULT_SPACE, MAX_CONFIG_LENGTH, MAX_METADATA_LENGTH } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { AgentRegistry } from '../agents/agentRegistry.js';
import type { SessionStartRecord } from '../storage/log/eventLog.js';
import { OwnedElsewhere, type SessionStorage, type StoredSession } from '../storage/sessionStorage.js';
import { requestedWorktree } from '../work/worktrees/isolation.js';
import type { NewWorktree, Worktrees } from '../work/worktrees/worktrees.js';
import { givenMetadata } from './folder/folderMetadata.js';
import { workingDirectoryOf } from './folder/workingDirectory.js';
import { isLost } from './turn/notStored.js';

export interface BeginSessionOptions {
  readonly storage: SessionStorage;
  readonly provider: string;
  readonly sessionId: string;
  readonly space: string;
  readonly defaultDirectory: string;
  readonly now: number;
  readonly newId: () => string;
  readonly worktrees: Pick<Worktrees, 'make' | 'release'>;
  /** Removes what was made of the session. */
  readonly discard: (sessionId: string) => Promise<void>;
}

/** Stores the first record of a new session. When that fails, its files are removed. */
export async function beginSession(
  params: CreateSessionParams,
  { storage, provider, sessionId, space, defaultDirectory, now, newId, worktrees, discard }: BeginSessionOptions,
): Promise<{ readonly stored: StoredSession; readonly start: SessionStartRecord }> {
  checkSeveral(params);
  const wanted = requestedWorktree(params.config);
  const folder = await workingDirectoryOf(params.workingDirectory, defaultDirectory);
  const made = wanted && (await worktrees.make(sessionId, folder, wanted));
  const cwd = made?.cwd ?? folder;
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
    metadata: { workingDirectoryPath: cwd, ...isolationMetadata(made), ...givenMetadata(params.metadata) },
    ...(params.config && { config: params.config }),
    ...(params.provisional && { provisional: true }),
    ...spaceField(space),
  };
  const fill = async ({ log }: StoredSession) => {
    const { v: _, n: __, ...record } = start;
    log.append(record);
    await log.flush();
  };
  try {
    const options = { storage, session: params.session, sessionId, space, discard };
    return { stored: await openNewSession(options, fill), start };
  } catch (error) {
    if (made) await worktrees.release(made.worktree, 'discard');
    throw error;
  }
}

/** That its folder was made for it, and the branch that its work is compared with. */
function isolationMetadata(made: NewWorktree | undefined): {
  readonly isolation?: 'worktree';
  readonly baseBranchName?: string;
} {
  return made ? { isolation: 'worktree', baseBranchName: made.worktree.base } : {};
}

/** The ids of a session and of its fork, which may be for another agent: the conversation is then handed over. */
export function checkFork(
  { source, session }: ForkSessionParams,
  agents: Pick<AgentRegistry, 'get'>,
): { readonly from: string; readonly to: string } {
  const [from, to] = [parseSessionUri(source), parseSessionUri(session)];
  if (!from || !to) throw new RpcError(ERROR_CODE.invalidParams, 'params: a session is <provider>:/<id>');
  const ids = { from: from.sessionId, to: to.sessionId };
  // A fork of a session whose agent is gone can still be read.
  if (from.provider === to.provider) return ids;
  const agent = agents.get(to.provider);
  if (!agent) throw new RpcError(ERROR_CODE.noAgentForProvider, `no agent for provider ${to.provider}`);
  if (!agent.descriptor.runsInput) return ids;
  const { displayName } = agent.descriptor;
  throw new RpcError(
    ERROR_CODE.invalidParams,
    `params.session: ${displayName} runs what it gets; it takes no conversation`,
  );
}

/** What the first record of a log says of the session's space. */
export function spaceField(space: string): { readonly space?: string } {
  return space === DEFAULT_SPACE ? {} : { space };
}

interface OpenNewOptions {
  readonly storage: SessionStorage;
  readonly session: URI;
  readonly sessionId: string;
  readonly space: string;
  /** The log becomes visible when it is closed, not before. */
  readonly isDraft?: boolean;
  /** Removes what was made of the session. */
  readonly discard: (sessionId: string) => Promise<void>;
}

/** Creates and fills the files of a new session. When that fails, they are removed, unless they are another host's. */
export async function openNewSession(
  { storage, session, sessionId, space, isDraft = false, discard }: OpenNewOptions,
  fill: (stored: StoredSession) => Promise<void>,
): Promise<StoredSession> {
  let stored: StoredSession | undefined;
  try {
    stored = await storage.open(sessionId, { create: true, isDraft, space });
    if (!stored) throw new RpcError(ERROR_CODE.sessionAlreadyExists, `session ${session} already exists`);
    await fill(stored);
    return stored;
  } catch (error) {
    // An open log would retry its writes later, into the file of another session with this name.
    await stored?.log.close().catch(() => undefined);
    await stored?.fs.dispose();
    if (!isElsewhere(error)) await discard(sessionId);
    throw error;
  }
}

/** Whether what is there under the name of a session that was to be made is, or may be, another host's. */
export function isElsewhere(error: unknown): boolean {
  return error instanceof OwnedElsewhere || isLost(error);
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

/** The space of a session that is not open. */
export async function storedSpace(storage: SessionStorage, uri: URI): Promise<string | undefined> {
  const sessionId = parseSessionUri(uri)?.sessionId;
  if (sessionId === undefined) return undefined;
  if (storage.spaceOf) return storage.spaceOf(sessionId);
  return (await storage.exists(sessionId)) ? DEFAULT_SPACE : undefined;
}

/** Rejects a session that nobody could tell from those of `default` before it is opened. */
export function checkSpace(space: string, storage: Pick<SessionStorage, 'spaceOf'>): void {
  if (space === DEFAULT_SPACE || storage.spaceOf) return;
  throw new RpcError(
    ERROR_CODE.invalidRequest,
    `the sessions of this host are kept where there is only the space ${DEFAULT_SPACE}: use a token of that space`,
  );
}

type NewSessionParams = Pick<CreateSessionParams, 'session' | 'provider' | 'metadata' | 'config'>;
type SessionUriParts = NonNullable<ReturnType<typeof parseSessionUri>>;

/** What each client that compares them relies on, and how many there may be. */
function checkSeveral({ session, metadata }: CreateSessionParams): void {
  if (metadata?.['several'] === undefined || severalOf({ resource: session, metadata })) return;
  const what = `a title and from 2 to ${MAX_SEVERAL} members, each once, this session among them`;
  throw new RpcError(ERROR_CODE.invalidParams, `params.metadata.several: ${what}`);
}

function checkLength(name: string, value: object | undefined, most: number): void {
  const length = value ? JSON.stringify(value).length : 0;
  if (length <= most) return;
  throw new RpcError(ERROR_CODE.invalidParams, `params.${name}: ${length} characters as JSON, more than ${most}`);
}
