import { dateOf, errorMessage } from '@agenthost/protocol';
import { errorCode } from '../fs/errnoFailure.js';
import { replaceFile } from '../fs/replaceFile.js';
import type { SessionFs } from '../fs/sessionFs.js';
import { requireStatePath, WorkspaceFailure } from './storageFailure.js';
import { parseWorkspaceText, workspaceText } from './workspaceText.js';

export interface WorkspaceInfo {
  readonly id: string;
  readonly name: string;
  readonly cwd: string;
  readonly gitRoot?: string;
  readonly repository?: string;
  readonly branch?: string;
  /** The agent's own id of the session. */
  readonly nativeSessionId?: string;
  /** Milliseconds since 1970; in the file they are dates that a person can read. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** A copy of the log's first record, in case that line is damaged: the session can't be opened without it. */
  readonly start?: Readonly<Record<string, unknown>>;
}

const FILE_NAME = 'workspace.yaml';
const REQUIRED_TEXTS = ['id', 'name', 'cwd'] as const;
const OPTIONAL_TEXTS = ['gitRoot', 'repository', 'branch', 'nativeSessionId'] as const;
const KNOWN: ReadonlySet<string> = new Set<keyof WorkspaceInfo>([
  ...REQUIRED_TEXTS,
  ...OPTIONAL_TEXTS,
  'createdAt',
  'updatedAt',
  'metadata',
  'start',
]);

/** `undefined` when there is no such file. */
export async function readWorkspaceFile(fs: SessionFs): Promise<WorkspaceInfo | undefined> {
  const path = workspacePath(fs);
  const content = await readMapping(fs, path);
  return content && toWorkspace(content, path);
}

/** Replaces the file as a whole. Keys in it that this version doesn't know stay. */
export async function writeWorkspaceFile(fs: SessionFs, workspace: WorkspaceInfo): Promise<void> {
  const path = workspacePath(fs);
  const others = await unknownKeys(fs, path);
  const dates = { createdAt: toDate(workspace.createdAt), updatedAt: toDate(workspace.updatedAt) };
  await attempt(path, () => replaceFile(fs, path, workspaceText({ ...workspace, ...dates, ...others })));
}

function workspacePath(fs: SessionFs): string {
  return fs.join(requireStatePath(fs), FILE_NAME);
}

async function readMapping(fs: SessionFs, path: string): Promise<Record<string, unknown> | undefined> {
  let content: unknown;
  const text = await attempt(path, () => fs.readFile(path)).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    content = parseWorkspaceText(text);
  } catch (error) {
    throw damaged(path, error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error), error);
  }
  if (!isMapping(content)) throw damaged(path, 'it holds no mapping');
  return content;
}

function toWorkspace(content: Record<string, unknown>, path: string): WorkspaceInfo {
  const required = (key: string): string => {
    const value = content[key];
    if (typeof value !== 'string') throw damaged(path, `${key} is missing or not a text`);
    return value;
  };
  const { metadata, start } = content;
  const createdAt = toTime(content['createdAt']);
  if (createdAt === undefined) throw damaged(path, 'createdAt is missing or not a date');
  return {
    id: required('id'),
    name: required('name'),
    cwd: required('cwd'),
    ...optionalTexts(content),
    createdAt,
    updatedAt: toTime(content['updatedAt']) ?? createdAt,
    ...(isMapping(metadata) && { metadata }),
    ...(isMapping(start) && { start }),
  };
}

function optionalTexts(content: Record<string, unknown>): Partial<Record<(typeof OPTIONAL_TEXTS)[number], string>> {
  return Object.fromEntries(
    OPTIONAL_TEXTS.flatMap((key) => (typeof content[key] === 'string' ? [[key, content[key]]] : [])),
  );
}

async function unknownKeys(fs: SessionFs, path: string): Promise<Record<string, unknown>> {
  try {
    const content = (await readMapping(fs, path)) ?? {};
    return Object.fromEntries(Object.entries(content).filter(([key]) => !KNOWN.has(key)));
  } catch (error) {
    if (errorCode(error) === 'DAMAGED') return {};
    throw error;
  }
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toDate(time: number): string {
  return dateOf(time).toISOString();
}

function toTime(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : value;
  return typeof time === 'number' && Number.isFinite(time) ? time : undefined;
}

function damaged(path: string, reason: string, cause?: unknown): WorkspaceFailure {
  return new WorkspaceFailure('DAMAGED', `${path} is damaged: ${reason}`, { cause });
}

async function attempt<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const message = errorMessage(error);
    throw new WorkspaceFailure(errorCode(error) ?? 'UNKNOWN', `${path}: ${message}`, { cause: error });
  }
}
