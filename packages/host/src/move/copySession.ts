import { CORRUPT_SUFFIX } from '../storage/log/corruptFile.js';
import { draftOf, LOG_FILE } from '../storage/log/jsonlEventLog.js';
import { decodeLine } from '../storage/log/lineFormat.js';
import { MoveError, type MoveSide, type SessionFiles } from './moveSide.js';
import { differenceOf, isSameFile, pathOf, piecesOf, readTree, type SessionFile } from './sessionTree.js';

/** `differs` names a file that the target has with other bytes, or that only one of the two has. */
export type CopyOutcome = 'copied' | 'same' | { readonly differs: string };

const LOG_DRAFT = draftOf(LOG_FILE);
/** What makes a session exist. Written under other names, which it loses at the end: an interrupted copy is no session. */
const LAST: readonly string[] = [LOG_FILE, `${LOG_FILE}${CORRUPT_SUFFIX}`];

/** Copies a session, and reads every file back. Nothing that is there is overwritten. */
export async function copySession(
  sessionId: string,
  from: MoveSide,
  to: MoveSide,
  signal: AbortSignal,
): Promise<CopyOutcome> {
  const source = await from.openSession(sessionId);
  try {
    if (await to.hasSession(sessionId)) {
      const target = await to.openSession(sessionId);
      const difference = await differenceOf(source.fs, target.fs).finally(() => target.fs.dispose());
      return difference === undefined ? 'same' : { differs: difference };
    }
    await to.raiseSequence(await highestNumber(source));
    const target = await to.createSession(sessionId, await from.spaceOf(sessionId));
    try {
      await copyFiles(source, target, signal);
      await source.assertOwned();
      return 'copied';
    } finally {
      await target.fs.dispose();
    }
  } finally {
    await source.fs.dispose();
  }
}

async function copyFiles(source: SessionFiles, target: SessionFiles, signal: AbortSignal): Promise<void> {
  const tree = await readTree(source.fs);
  const files = tree.files.filter(({ names }) => names.join('/') !== LOG_DRAFT);
  for (const names of tree.folders) await target.fs.mkdir(pathOf(target.fs, names), { recursive: true });
  for (const file of files) await copyFile(source, target, file, signal);
  for (const name of LAST) {
    const file = files.find(({ names }) => names.join('/') === name);
    if (file) await target.fs.rename(writtenAs(target, file), pathOf(target.fs, file.names));
  }
  // The names last: with them the copy is on the disk.
  for (const { names } of files) if (LAST.includes(names.join('/'))) await target.fs.sync?.(pathOf(target.fs, names));
}

async function copyFile(
  source: SessionFiles,
  target: SessionFiles,
  file: SessionFile,
  signal: AbortSignal,
): Promise<void> {
  const { names, size, mtime } = file;
  const [from, to] = [pathOf(source.fs, names), writtenAs(target, file)];
  await target.fs.writeFile(to, '');
  for await (const piece of piecesOf(source.fs, from, size)) {
    signal.throwIfAborted();
    await target.fs.appendFile(to, piece);
  }
  await target.fs.sync?.(to);
  await target.setTime(to, mtime);
  if (await isSameFile(source.fs, from, target.fs, to, size)) return;
  throw new MoveError(
    `${names.join('/')} of a session was read back with other bytes than were written.`,
    'Nothing was lost: run it again, and check the disk or the database if it happens twice.',
  );
}

function writtenAs({ fs }: SessionFiles, { names }: SessionFile): string {
  const path = pathOf(fs, names);
  return LAST.includes(names.join('/')) ? draftOf(path) : path;
}

/** The highest number of an envelope in the log. Unreadable lines have none. */
async function highestNumber({ fs }: SessionFiles): Promise<number> {
  const log = pathOf(fs, [LOG_FILE]);
  if (!(await fs.exists(log))) return 0;
  let highest = 0;
  for await (const line of linesOf(fs.readLines(log))) {
    for (const { record } of decodeLine(line).records) {
      if (record?.type === 'action') highest = Math.max(highest, record.serverSeq);
    }
  }
  return highest;
}

/** Ends where a line is too long to be one: nobody reads further. */
async function* linesOf(lines: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* lines;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'EFBIG') throw error;
  }
}
