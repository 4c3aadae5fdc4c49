import { access, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { errorMessage, isSessionId } from '@agenthost/protocol/internal';
import { isWithin } from './storage/fs/confinement.js';
import { readForeignFile } from './storage/fs/foreignFile.js';
import { LocalSessionFs } from './storage/fs/localSessionFs.js';
import { SESSION_STATE_FOLDER, sessionFolder } from './storage/fs/sessionFolder.js';
import { splitLines } from './storage/fs/splitLines.js';
import { JsonlEventLog, LOG_FILE } from './storage/log/jsonlEventLog.js';
import { LogScanner } from './storage/log/logScanner.js';
import { readStateVersion, STATE_VERSION } from './storage/stateRoot/stateVersion.js';
import { findLeftWorktrees, type LeftWorktree } from './work/worktrees/leftWorktrees.js';

// Finds and fixes problems of a state root while no host holds it. Only functions that say so write.

export { type DatabaseReport, reportDatabase } from './cluster/operators/databaseReport.js';
export { drainHost } from './cluster/operators/drainHost.js';
export { findHosts, type NamedHost } from './cluster/operators/findHosts.js';
export type { HostReport } from './cluster/operators/hostReport.js';
export { type FoundSession, findSession, moveSession } from './cluster/operators/moveSession.js';
export { DatabaseError, hasPassword, withoutPassword } from './database/connectionConfig.js';
export { Database } from './database/database.js';
export { migrate } from './database/migrate.js';
export { PgDeviceTokens, PgOwnerToken } from './database/pgTokens.js';
export { silentLog } from './hostLog.js';
export { MoveError } from './move/moveSide.js';
export { isDatabaseAddress, type MoveReport, moveState } from './move/moveState.js';
export { isSameProcess } from './processes/processStat.js';
export { findRunningHost } from './runningHost.js';
export { type DeviceToken, DeviceTokenError } from './server/access/deviceToken.js';
export { DeviceTokens } from './server/access/deviceTokens.js';
export { checkToken, TokenFile, WeakTokenError } from './server/access/tokenFile.js';
export { TokenUse } from './server/access/tokenUse.js';
export { SESSION_STATE_FOLDER } from './storage/fs/sessionFolder.js';
export { writePrivateFile } from './storage/fs/writePrivateFile.js';
export type { LeftWorktree } from './work/worktrees/leftWorktrees.js';

/** Why this program may not fix anything in a state root; `undefined` if it may. */
export async function examineVersion(stateDir: string): Promise<string | undefined> {
  const version = await readStateVersion(stateDir);
  if (typeof version === 'string') return `its version file says ${JSON.stringify(version.slice(0, 40))}`;
  if (version === undefined || version <= STATE_VERSION) return undefined;
  return `it was written by a newer agenthost (version ${version}; this one knows ${STATE_VERSION})`;
}

const INDEX_FILE = 'index.sqlite';
/** Of a log: its first record begins with what a session is and where it works. */
const START_BYTES = 64 * 1024;

export async function listSessionIds(stateDir: string): Promise<string[]> {
  const entries = await readdir(join(stateDir, SESSION_STATE_FOLDER), { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  return entries.filter((entry) => entry.isDirectory() && isSessionId(entry.name)).map(({ name }) => name);
}

export interface LogCondition {
  /** Numbers of unreadable lines, and why. */
  readonly broken: readonly { readonly line: number; readonly reason: string }[];
  /** The last line has no end: a host is writing it, or was killed while it did. */
  readonly isTorn: boolean;
  /** A copy of the damage was kept, so the host has seen it. */
  readonly isKept: boolean;
}

/** `undefined` for a valid log, and for a folder without a log. */
export async function examineLog(stateDir: string, sessionId: string): Promise<LogCondition | undefined> {
  const path = join(sessionFolder(stateDir, sessionId), LOG_FILE);
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return undefined;
  const scanner = new LogScanner();
  let endsWithNewline = true;
  try {
    const chunks = file.createReadStream({ autoClose: false }) as AsyncIterable<Uint8Array>;
    const watched = (async function* () {
      for await (const chunk of chunks) {
        if (chunk.length > 0) endsWithNewline = chunk.at(-1) === 0x0a;
        yield chunk;
      }
    })();
    for await (const line of splitLines(watched)) scanner.take(line);
  } catch (error) {
    scanner.report(errorMessage(error));
  } finally {
    await file.close();
  }
  if (scanner.broken.length === 0 && endsWithNewline) return undefined;
  const isKept = await access(`${path}.corrupt`).then(
    () => true,
    () => false,
  );
  return { broken: scanner.broken, isTorn: !endsWithNewline, isKept };
}

/** Writes: cuts off a torn end, and keeps a copy of all unreadable parts, as the host does when it opens a session. */
export async function repairLog(stateDir: string, sessionId: string): Promise<void> {
  const fs = await LocalSessionFs.open({ stateRoot: stateDir, sessionId, create: false });
  try {
    const log = await JsonlEventLog.open({ fs });
    for await (const _ of log.load());
    await log.close();
  } finally {
    await fs.dispose();
  }
}

/** What is wrong with the session index; `undefined` when it is valid, or there is none yet. */
export async function examineIndex(stateDir: string): Promise<string | undefined> {
  const path = join(stateDir, INDEX_FILE);
  try {
    await access(path);
  } catch {
    return undefined;
  }
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const [first] = database.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[];
      return first?.quick_check === 'ok' ? undefined : (first?.quick_check ?? 'it does not answer');
    } finally {
      database.close();
    }
  } catch (error) {
    return errorMessage(error);
  }
}

/**
 * The worktrees that no session works in; `undefined` when that can't be told: the index has all sessions, also those whose logs are
 * kept by a client.
 */
export async function leftWorktrees(stateDir: string): Promise<LeftWorktree[] | undefined> {
  const folders = await workingFolders(stateDir);
  if (!folders) return undefined;
  const isUsed = (path: string) => folders.some((folder) => isWithin(path, folder));
  return findLeftWorktrees(stateDir, { env: process.env, isUsed });
}

/** Of all sessions, as the index and the beginnings of the logs have them. */
async function workingFolders(stateDir: string): Promise<readonly string[] | undefined> {
  const indexed = await indexedFolders(stateDir);
  if (!indexed) return undefined;
  const stored: string[] = [];
  for (const id of await listSessionIds(stateDir)) {
    const first = await readForeignFile(join(sessionFolder(stateDir, id), LOG_FILE), START_BYTES).catch(() => '');
    const [, cwd] = /"cwd":"((?:[^"\\\p{Cc}]|\\["\\/bfnrt])*)"/u.exec(first) ?? [];
    if (cwd !== undefined) stored.push(JSON.parse(`"${cwd}"`) as string);
  }
  return [...indexed, ...stored];
}

async function indexedFolders(stateDir: string): Promise<readonly string[] | undefined> {
  const path = join(stateDir, INDEX_FILE);
  try {
    await access(path);
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const rows = database.prepare("SELECT DISTINCT json_extract(summary, '$.workingDirectory') AS uri FROM sessions");
      return rows.all().flatMap(({ uri }) => (String(uri).startsWith('file:') ? [fileURLToPath(String(uri))] : []));
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

/** Writes: the next host rebuilds it from the sessions. */
export async function removeIndex(stateDir: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await rm(join(stateDir, `${INDEX_FILE}${suffix}`), { force: true });
}
