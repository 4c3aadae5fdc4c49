import type { SessionFs } from '../storage/fs/sessionFs.js';

const PIECE_BYTES = 1024 * 1024;

/** The folders and files of a session, by their names in its folder, each folder before what it holds. */
export interface SessionTree {
  readonly folders: readonly (readonly string[])[];
  readonly files: readonly SessionFile[];
}

export interface SessionFile {
  readonly names: readonly string[];
  readonly size: number;
  readonly mtime: number;
}

export async function readTree(fs: SessionFs): Promise<SessionTree> {
  const folders: string[][] = [];
  const files: SessionFile[] = [];
  const waiting: string[][] = [[]];
  for (let at = waiting.pop(); at; at = waiting.pop()) {
    const entries = await fs.readdirWithTypes(pathOf(fs, at));
    for (const { name, type } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const names = [...at, name];
      if (type === 'directory') {
        folders.push(names);
        waiting.push(names);
      } else {
        const { size, mtime } = await fs.stat(pathOf(fs, names));
        files.push({ names, size, mtime });
      }
    }
  }
  return { folders, files };
}

export function pathOf(fs: SessionFs, names: readonly string[]): string {
  return fs.join(fs.sessionStatePath ?? '', ...names);
}

/** Empty for an empty file. */
export async function* piecesOf(fs: SessionFs, path: string, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const piece = await fs.readRange?.(path, at, Math.min(PIECE_BYTES, size - at));
    if (!piece || piece.length === 0) throw new Error(`${path} ends at ${at}, before its ${size} bytes`);
    yield piece;
    at += piece.length;
  }
}

/** The names of what differs between two sessions: a file or a folder that only one has, or other bytes. */
export async function differenceOf(a: SessionFs, b: SessionFs): Promise<string | undefined> {
  const [one, two] = [await readTree(a), await readTree(b)];
  const nameOf = (names: readonly string[]) => names.join('/');
  const [ours, theirs] = [one, two].map(({ folders }) => folders.map(nameOf).sort());
  const folder = ours?.find((name, at) => theirs?.[at] !== name) ?? theirs?.[ours?.length ?? 0];
  if (folder !== undefined) return folder;
  const others = new Map(two.files.map((file) => [nameOf(file.names), file]));
  for (const { names, size } of one.files) {
    const name = nameOf(names);
    const other = others.get(name);
    others.delete(name);
    if (other?.size !== size || !(await isSameFile(a, pathOf(a, names), b, pathOf(b, names), size))) return name;
  }
  for (const name of others.keys()) return name;
  return undefined;
}

/** Reads both, piece by piece. */
export async function isSameFile(a: SessionFs, pathA: string, b: SessionFs, pathB: string, size: number) {
  if ((await b.stat(pathB)).size !== size) return false;
  const others = piecesOf(b, pathB, size);
  for await (const piece of piecesOf(a, pathA, size)) {
    const other = await others.next();
    if (other.done || Buffer.compare(piece, other.value) !== 0) return false;
  }
  return true;
}
