import { dateOf, errorMessage } from '@agenthost/protocol/internal';
import { jsonValues } from '@agenthost/rpc/internal';
import { errorCode } from '../fs/errnoFailure.js';
import { replaceFile } from '../fs/replaceFile.js';
import type { SessionFs } from '../fs/sessionFs.js';
import { requireStatePath, StorageFailure } from './storageFailure.js';

export interface WorkspaceInfo {
  readonly id: string;
  readonly name: string;
  readonly cwd: string;
  readonly gitRoot?: string;
  readonly repository?: string;
  readonly branch?: string;
  /** The agent's own id of the session. */
  readonly nativeSessionId?: string;
  /** Milliseconds since 1970; the file has readable dates. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** A copy of the log's first record, in case that line is damaged: the session can't be opened without it. */
  readonly start?: Readonly<Record<string, unknown>>;
}

const FILE_NAME = 'workspace.yaml';
const REQUIRED_TEXTS = ['id', 'name', 'cwd'] as const;
const OPTIONAL_TEXTS = ['gitRoot', 'repository', 'branch', 'nativeSessionId'] as const;
/** In the order of their lines. */
const KNOWN: readonly (keyof WorkspaceInfo)[] = [
  ...REQUIRED_TEXTS,
  ...OPTIONAL_TEXTS,
  'createdAt',
  'updatedAt',
  'metadata',
  'start',
];

/** `undefined` when there is no such file. */
export async function readWorkspaceYaml(fs: SessionFs): Promise<WorkspaceInfo | undefined> {
  const path = workspacePath(fs);
  const content = await readMapping(fs, path);
  return content && toWorkspace(content, path);
}

/** Replaces the file as a whole. Unknown keys are kept. The lines have one order, whichever of their facts was known first. */
export async function writeWorkspaceYaml(fs: SessionFs, workspace: WorkspaceInfo): Promise<void> {
  const path = workspacePath(fs);
  const others = await unknownKeys(fs, path);
  const known = { ...workspace, createdAt: toDate(workspace.createdAt), updatedAt: toDate(workspace.updatedAt) };
  const ordered = Object.fromEntries(KNOWN.map((key) => [key, known[key]]));
  await attempt(path, () => replaceFile(fs, path, workspaceText({ ...ordered, ...others })));
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
    content = await parseWorkspaceText(text);
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
    return Object.fromEntries(Object.entries(content).filter(([key]) => !KNOWN.some((known) => known === key)));
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

function damaged(path: string, reason: string, cause?: unknown): StorageFailure {
  return new StorageFailure('DAMAGED', `${path} is damaged: ${reason}`, { cause });
}

async function attempt<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const message = errorMessage(error);
    throw new StorageFailure(errorCode(error) ?? 'UNKNOWN', `${path}: ${message}`, { cause: error });
  }
}

const MAX_LENGTH = 8 * 1024 * 1024;
const MAX_VALUES = 262_144;

// Files of earlier versions are read with `yaml`, whose time is polynomial in the nesting. These limits are far above what they wrote.
const MAX_YAML_LENGTH = 8 * 1024;
const MAX_YAML_INDENT = 160;
const MAX_YAML_MARKS = 64;
const MAX_YAML_MARKS_OF_LINE = 8;
const MAX_YAML_KEY_MARKS = 3;

const LINE = /^("(?:[^"\\]|\\.)*"|[\w-]+): (.*)$/;
/** Characters that open a nested value, where they can. `[]` and `{}` open nothing. */
const MARK = /(?<=^|[\s[{])(?:[?-](?=\s|$)|\[(?!\])|\{(?!\})|[&*!])/g;

/** One line of YAML per key, with its value as JSON, which is valid YAML: both are read and written fast for any value. */
function workspaceText(content: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(content).flatMap(([key, value]) => {
    const json = JSON.stringify(value) as string | undefined;
    return json === undefined ? [] : [`${/^[\w-]+$/.test(key) ? key : JSON.stringify(key)}: ${json}\n`];
  });
  return lines.join('');
}

/** Throws for unreadable text, and for text that no host has written and that would take long. */
async function parseWorkspaceText(text: string): Promise<unknown> {
  if (text.length > MAX_LENGTH || jsonValues(text, MAX_VALUES) > MAX_VALUES) throw new Error('it is too large');
  const lines = text.split('\n');
  return parseLines(lines) ?? parseYaml(text, lines);
}

/** `undefined` when a line is not in the format of `workspaceText`. */
function parseLines(lines: readonly string[]): Record<string, unknown> | undefined {
  const entries: [string, unknown][] = [];
  for (const line of lines) {
    if (line === '') continue;
    const [, key = '', json = ''] = LINE.exec(line) ?? [];
    try {
      entries.push([key.startsWith('"') ? (JSON.parse(key) as string) : key, JSON.parse(json)]);
    } catch {
      return undefined;
    }
  }
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

async function parseYaml(text: string, lines: readonly string[]): Promise<unknown> {
  if (text.length > MAX_YAML_LENGTH) throw new Error('it is too large');
  let [marks, keyMarks] = [0, 0];
  for (const line of lines) {
    const found = line.match(MARK) ?? [];
    marks += found.filter((mark) => mark !== '-').length;
    keyMarks += found.filter((mark) => mark === '?').length;
    const isDeep = line.search(/[^ ]|$/) > MAX_YAML_INDENT || found.length > MAX_YAML_MARKS_OF_LINE;
    if (isDeep || marks > MAX_YAML_MARKS || keyMarks > MAX_YAML_KEY_MARKS) throw new Error('it is nested too deeply');
  }
  // Loaded only here: files as this version writes them are read without it.
  const { parse } = await import('yaml');
  // Checking for duplicate keys is quadratic in their number.
  return parse(text, { uniqueKeys: false, prettyErrors: false });
}
