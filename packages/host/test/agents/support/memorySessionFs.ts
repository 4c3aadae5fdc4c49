import { posix } from 'node:path';
import { type SessionFs, type SessionFsEntry, SessionFsFailure } from '../../../src/storage/fs/sessionFs.js';

/** Files in memory, for agents under test. `files` may be changed to see what an agent makes of it. */
export function memorySessionFs(files: Map<string, Uint8Array> = new Map()): SessionFs & {
  readonly files: Map<string, Uint8Array>;
} {
  const folders = new Set(['/']);
  const read = (path: string) => {
    const content = files.get(path);
    if (!content) throw new SessionFsFailure('ENOENT', `no such file: ${path}`);
    return content;
  };
  const entries = (path: string): SessionFsEntry[] =>
    [...files.keys()]
      .filter((file) => posix.dirname(file) === path)
      .map((file) => ({ name: posix.basename(file), type: 'file' }));
  return {
    files,
    conventions: 'posix',
    sessionStatePath: '/state',
    tmpdir: '/tmp',
    initialCwd: () => '/',
    join: (...parts) => posix.join(...parts),
    lockKey: (path) => path,
    readFile: async (path) => Buffer.from(read(path)).toString(),
    readFileBytes: async (path) => read(path),
    writeFile: async (path, content) => void files.set(path, Buffer.from(content as string)),
    appendFile: async (path, content) => {
      files.set(path, Buffer.concat([files.get(path) ?? Buffer.alloc(0), Buffer.from(content as string)]));
    },
    exists: async (path) => files.has(path) || folders.has(path),
    stat: async (path) => ({
      isFile: !folders.has(path),
      isDirectory: folders.has(path),
      size: folders.has(path) ? 0 : read(path).length,
      mtime: 0,
      birthtime: 0,
    }),
    mkdir: async (path) => void folders.add(path),
    readdir: async (path) => entries(path).map(({ name }) => name),
    readdirWithTypes: async (path) => entries(path),
    rm: async (path) => void files.delete(path),
    rename: async (source, target) => {
      files.set(target, read(source));
      files.delete(source);
    },
    readLines: async function* (path) {
      yield* Buffer.from(read(path)).toString().split('\n');
    },
    dispose: async () => {},
  };
}
