import type { SessionFs } from '../sessionFs/sessionFs.js';
import { readWorkspaceFile, writeWorkspaceFile } from '../sessionFs/workspaceFile.js';

const COPIED = ['plan.md', 'checkpoints', 'files', 'research'];
const CHECKPOINTS = 'checkpoints';
/** What is copied at once at the most: a tool's output may be larger than the memory. */
const PIECE_BYTES = 4 * 1024 * 1024;

export interface ForkFilesOptions {
  readonly sessionId: string;
  readonly name: string;
  readonly now: number;
  /** The last checkpoint that stays; those after it summarise what the fork does not have. */
  readonly lastCheckpoint: string | undefined;
  /** Whether the fork is cut: without a cut every checkpoint stays. */
  readonly isCut: boolean;
}

/** What a session keeps beside its log, for its fork: by operations of SessionFs alone, so that every backend is one path. */
export async function forkFiles(source: SessionFs, target: SessionFs, options: ForkFilesOptions): Promise<void> {
  const [from, to] = [source.sessionStatePath, target.sessionStatePath];
  if (from === undefined || to === undefined) return;
  for (const name of COPIED) await copy(source, source.join(from, name), target, target.join(to, name));
  if (options.isCut) await removeLaterCheckpoints(target, target.join(to, CHECKPOINTS), options.lastCheckpoint);
  await forkWorkspace(source, target, options);
}

/** Without what ties the source to its agent's own session: the fork's agent begins anew. */
async function forkWorkspace(source: SessionFs, target: SessionFs, options: ForkFilesOptions): Promise<void> {
  const found = await readWorkspaceFile(source);
  if (!found) return;
  const { nativeSessionId: _, ...kept } = found;
  const { sessionId: id, name, now } = options;
  await writeWorkspaceFile(target, { ...kept, id, name, createdAt: now, updatedAt: now });
}

async function copy(source: SessionFs, from: string, target: SessionFs, to: string): Promise<void> {
  if (!(await source.exists(from))) return;
  const { isFile, size } = await source.stat(from);
  if (isFile) {
    await copyFile(source, from, target, to, size);
    return;
  }
  await target.mkdir(to, { recursive: true });
  for (const { name } of await source.readdirWithTypes(from)) {
    await copy(source, source.join(from, name), target, target.join(to, name));
  }
}

async function copyFile(source: SessionFs, from: string, target: SessionFs, to: string, size: number): Promise<void> {
  if (!source.readRange || size <= PIECE_BYTES) {
    await target.writeFile(to, await source.readFileBytes(from));
    return;
  }
  await target.writeFile(to, '');
  for (let offset = 0; offset < size; offset += PIECE_BYTES) {
    const length = Math.min(PIECE_BYTES, size - offset);
    await target.appendFile(to, await source.readRange(from, offset, length));
  }
}

/** Checkpoints are numbered (`001-…`), so their names are their order. */
async function removeLaterCheckpoints(fs: SessionFs, folder: string, last: string | undefined): Promise<void> {
  if (!(await fs.exists(folder))) return;
  const lastName = last?.split(/[\\/]/).at(-1) ?? '';
  for (const name of await fs.readdir(folder)) {
    if (/^\d+-/.test(name) && name > lastName) await fs.rm(fs.join(folder, name));
  }
}
