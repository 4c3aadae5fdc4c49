import { readWorkspaceYaml } from './artifacts/workspaceYaml.js';
import type { KeyedLock } from './fs/keyedLock.js';
import type { SessionFs } from './fs/sessionFs.js';
import { CORRUPT_SUFFIX } from './log/corruptFile.js';
import type { DamageReport, SessionStartRecord } from './log/eventLog.js';
import { type Durability, JsonlEventLog, LOG_FILE } from './log/jsonlEventLog.js';
import type { StoredSession } from './sessionStorage.js';

/** How a storage keeps the logs of its sessions, wherever their files are. */
export interface StoredLogOptions {
  readonly durability: Durability;
  /** The clock and the ids of the records. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly onDamage: (sessionId: string, damage: DamageReport) => void;
}

/** Opens the log of a session in its file system, and disposes the file system when that fails. */
export async function openStored(
  sessionId: string,
  fs: SessionFs,
  { durability, now, newId, onDamage }: StoredLogOptions,
  where: { readonly lock: KeyedLock; readonly isDraft: boolean },
): Promise<StoredSession> {
  try {
    const damaged = (damage: DamageReport) => onDamage(sessionId, damage);
    const readStart = () => recoverStartRecord(fs, sessionId);
    return {
      fs,
      log: await JsonlEventLog.open({ fs, durability, now, newId, onDamage: damaged, readStart, ...where }),
    };
  } catch (error) {
    await fs.dispose();
    throw error;
  }
}

/**
 * Recovers the first record of a log whose first line is damaged, from the copy in workspace.yaml. Sessions of older versions have
 * no copy: for them the damaged line is parsed without its checksum. Returns `undefined` when neither works.
 */
export async function recoverStartRecord(fs: SessionFs, sessionId: string): Promise<SessionStartRecord | undefined> {
  const info = await readWorkspaceYaml(fs).catch(() => undefined);
  const copy = info?.start && asStart(info.start, sessionId);
  if (copy) return copy;
  for (const name of [LOG_FILE, `${LOG_FILE}${CORRUPT_SUFFIX}`]) {
    const line = await firstLine(fs, fs.join(fs.sessionStatePath ?? '', name));
    const start = line !== undefined && asStart(parsed(line), sessionId);
    if (start) return start;
  }
  return undefined;
}

/** Returns `undefined` unless the value belongs to this session and has every field that can't be guessed. */
function asStart(value: unknown, sessionId: string): SessionStartRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const start = { ...value, v: 1, n: 1, type: 'session.start', sessionId } as SessionStartRecord;
  const { id, at, provider, cwd, createdAt } = start;
  const isWhole =
    [id, provider, cwd].every((text) => typeof text === 'string' && text !== '') &&
    [at, createdAt].every((time) => Number.isFinite(time));
  const isOfAnother = 'sessionId' in value && value.sessionId !== sessionId;
  return isWhole && !isOfAnother ? start : undefined;
}

async function firstLine(fs: SessionFs, path: string): Promise<string | undefined> {
  try {
    for await (const line of fs.readLines(path)) return line;
  } catch {
    // The file does not exist, or its first line is too long.
  }
  return undefined;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
