import { describe, expect, it } from 'vitest';
import { sessionFsContract } from '../../contract/sessionFsContract.js';
import { MemorySessionFs } from '../../src/storage/fs/memorySessionFs.js';
import type { SessionFs, SessionFsStat } from '../../src/storage/fs/sessionFs.js';
import { SessionFsFailure } from '../../src/storage/fs/sessionFs.js';

type Content = string | Uint8Array;
type Break = (fs: MemorySessionFs) => Partial<SessionFs>;

/** Each has one mistake that the author of a backend may make. */
const MUTANTS: Readonly<Record<string, Break>> = {
  'joins with the wrong separator': () => ({ join: (...parts) => parts.join('\\') }),
  'joins without cleaning up': () => ({ join: (...parts) => parts.join('/') }),
  'has one lock for all': () => ({ lockKey: () => 'the lock' }),
  'has the same locks in every session': () => ({ lockKey: (path) => path.split('/').at(-1) ?? '' }),
  'forgets the folder that it was started in': () => ({ initialCwd: () => '/' }),
  'appends by writing': (fs) => ({ appendFile: (path, content) => fs.writeFile(path, content) }),
  'writes by appending': (fs) => ({ writeFile: (path, content) => fs.appendFile(path, content) }),
  'does not cut what was longer': (fs) => ({
    writeFile: async (path, content) => {
      const before = Buffer.from(await fs.readFileBytes(path).catch(() => new Uint8Array()));
      const bytes = Buffer.from(content as string);
      await fs.writeFile(path, Buffer.concat([bytes, before.subarray(bytes.length)]));
    },
  }),
  'appends only to what exists': (fs) => ({
    appendFile: async (path, content) => {
      await fs.stat(path);
      await fs.appendFile(path, content);
    },
  }),
  'appends what it read before, whoever wrote meanwhile': (fs) => {
    const seen = new Map<string, Buffer>();
    return {
      appendFile: async (path: string, content: Content) => {
        const before = seen.get(path) ?? Buffer.from(await fs.readFileBytes(path).catch(() => new Uint8Array()));
        const after = Buffer.concat([before, Buffer.from(content as string)]);
        seen.set(path, after);
        await fs.writeFile(path, after);
      },
    };
  },
  'does not wait for its writes': (fs) => ({
    appendFile: async (path, content) => void setTimeout(() => void fs.appendFile(path, content).catch(() => {}), 1),
  }),
  'takes bytes for text': (fs) => ({
    writeFile: (path, content) =>
      fs.writeFile(path, typeof content === 'string' ? content : Buffer.from(content).toString()),
  }),
  'drops a byte order mark': (fs) => ({ readFile: async (path) => (await fs.readFile(path)).replace(/^\uFEFF/, '') }),
  'turns \\r\\n into \\n': (fs) => ({ readFile: async (path) => (await fs.readFile(path)).replaceAll('\r\n', '\n') }),
  'writes the whole buffer of a part': (fs) => ({
    writeFile: (path, content) =>
      fs.writeFile(path, typeof content === 'string' ? content : new Uint8Array(content.buffer)),
  }),
  'keeps no more than a megabyte': (fs) => ({
    writeFile: (path, content) => fs.writeFile(path, Buffer.from(content as string).subarray(0, 1 << 20)),
  }),
  'cuts text into pieces at any byte': (fs) => ({
    writeFile: async (path, content) => {
      if (typeof content !== 'string') return fs.writeFile(path, content);
      const bytes = Buffer.from(content);
      await fs.writeFile(path, '');
      for (let at = 0; at < bytes.length; at += 65_536) {
        await fs.appendFile(path, bytes.subarray(at, at + 65_536).toString());
      }
    },
  }),
  'hands out its own memory': () => {
    const held = new Map<string, Buffer>();
    return {
      writeFile: async (path, content) => {
        const bytes = Buffer.from(content as string);
        const before = held.get(path);
        if (before?.length === bytes.length) bytes.copy(before);
        else held.set(path, bytes);
      },
      readFileBytes: async (path) => held.get(path) ?? new Uint8Array(),
    };
  },
  'ends lines at \\r\\n as well': (fs) => ({
    readLines: async function* (path, fromByte) {
      for await (const line of fs.readLines(path, fromByte)) yield line.replace(/\r$/, '');
    },
  }),
  'ends lines at what Unicode calls a line end': (fs) => ({
    readLines: async function* (path, fromByte) {
      for await (const line of fs.readLines(path, fromByte)) yield* line.split(/\u2028/);
    },
  }),
  'gives an empty line at the end': (fs) => ({
    readLines: async function* (path, fromByte) {
      yield* fs.readLines(path, fromByte);
      yield '';
    },
  }),
  'gives no last line without an end': (fs) => ({
    readLines: async function* (path, fromByte = 0) {
      const text = Buffer.from(await fs.readFileBytes(path)).subarray(fromByte);
      yield* text.toString().split('\n').slice(0, -1);
    },
  }),
  'leaves out empty lines': (fs) => ({
    readLines: async function* (path, fromByte) {
      for await (const line of fs.readLines(path, fromByte)) if (line !== '') yield line;
    },
  }),
  'counts characters from where lines are read': (fs) => ({
    readLines: async function* (path, fromByte = 0) {
      const lines = (await fs.readFile(path)).slice(fromByte).split('\n');
      if (lines.at(-1) === '') lines.pop();
      yield* lines;
    },
  }),
  'reads lines of any length': (fs) => ({
    readLines: async function* (path, fromByte = 0) {
      const lines = Buffer.from(await fs.readFileBytes(path))
        .subarray(fromByte)
        .toString()
        .split('\n');
      if (lines.at(-1) === '') lines.pop();
      yield* lines;
    },
  }),
  'counts characters as the size': (fs) => ({
    stat: async (path) => {
      const stat = await fs.stat(path);
      return stat.isFile ? { ...stat, size: (await fs.readFile(path)).length } : stat;
    },
  }),
  'says that folders are files': (fs) => ({ stat: async (path) => ({ ...(await fs.stat(path)), isFile: true }) }),
  'gives times in seconds': (fs) => ({
    stat: async (path): Promise<SessionFsStat> => {
      const stat = await fs.stat(path);
      return { ...stat, mtime: stat.mtime / 1_000, birthtime: stat.birthtime / 1_000 };
    },
  }),
  'is born anew with each write': (fs) => {
    let time = Date.now();
    return { stat: async (path) => ({ ...(await fs.stat(path)), birthtime: ++time, mtime: time }) };
  },
  'always makes folders on the way': (fs) => ({ mkdir: (path) => fs.mkdir(path, { recursive: true }) }),
  'empties a folder that it makes again': (fs) => ({
    mkdir: async (path, options) => {
      if (options?.recursive) await fs.rm(path, { recursive: true, force: true });
      await fs.mkdir(path, options);
    },
  }),
  'lists all that is below': (fs) => {
    const all = async (path: string): Promise<string[]> => {
      const names: string[] = [];
      for (const { name, type } of await fs.readdirWithTypes(path)) {
        names.push(name, ...(type === 'directory' ? await all(fs.join(path, name)) : []));
      }
      return names;
    };
    return { readdir: all };
  },
  'lists everything as files': (fs) => ({
    readdirWithTypes: async (path) =>
      (await fs.readdirWithTypes(path)).map(({ name }) => ({ name, type: 'file' as const })),
  }),
  'lists names in one form': (fs) => ({
    readdir: async (path) => (await fs.readdir(path)).map((name) => name.normalize('NFC')),
  }),
  'lists no more than a page': (fs) => ({ readdir: async (path) => (await fs.readdir(path)).slice(0, 256) }),
  'decodes names': (fs) => ({
    readdir: async (path) => (await fs.readdir(path)).map((name) => decodeURIComponent(name)),
  }),
  'keeps names in an object': (fs) => ({
    readdir: async (path) => {
      const names: Record<string, unknown> = {};
      for (const name of await fs.readdir(path)) names[name] = {};
      return Object.keys(names);
    },
  }),
  'removes folders without being told to': (fs) => ({
    rm: (path, options) => fs.rm(path, { ...options, recursive: true }),
  }),
  'always forgives that there is nothing': (fs) => ({
    rm: (path, options) => fs.rm(path, { ...options, force: true }),
  }),
  'never forgives that there is nothing': (fs) => ({
    rm: (path, options) => fs.rm(path, { recursive: options?.recursive ?? false }),
  }),
  'removes what begins with the same name': (fs) => ({
    rm: async (path, options) => {
      await fs.rm(path, options);
      const parent = fs.join(path, '..');
      for (const name of await fs.readdir(parent)) {
        if (fs.join(parent, name).startsWith(path)) await fs.rm(fs.join(parent, name), { recursive: true });
      }
    },
  }),
  'copies instead of renaming': (fs) => ({
    rename: async (source, target) => fs.writeFile(target, await fs.readFileBytes(source)),
  }),
  'renames over nothing': (fs) => ({
    rename: async (source, target) => {
      if (source !== target && (await fs.exists(target))) throw new SessionFsFailure('EEXIST', 'there is one');
      await fs.rename(source, target);
    },
  }),
  'loses what it renames to itself': (fs) => ({
    rename: async (source, target) => {
      if (source === target) await fs.rm(source);
      else await fs.rename(source, target);
    },
  }),
  'replaces whatever has the name': (fs) => ({
    rename: async (source, target) => {
      await fs.stat(source);
      if (source !== target) await fs.rm(target, { recursive: true, force: true });
      await fs.rename(source, target);
    },
  }),
  'reads nothing as empty': (fs) => ({ readFile: (path) => fs.readFile(path).catch(() => '') }),
  'says a failure without a code': (fs) => ({
    stat: (path) =>
      fs.stat(path).catch((error: unknown) => {
        throw new Error(String(error));
      }),
  }),
  'says EIO to all that is missing': (fs) => ({
    readdir: (path) =>
      fs.readdir(path).catch(() => {
        throw new SessionFsFailure('EIO', 'something is wrong');
      }),
  }),
  'makes the folder of a file': (fs) => ({
    writeFile: async (path, content) => {
      await fs.mkdir(fs.join(path, '..'), { recursive: true }).catch(() => {});
      await fs.writeFile(path, content);
    },
  }),
  'finds everything': () => ({ exists: async () => true }),
  'is broken for good by one failure': (fs) => {
    let failed: unknown;
    return {
      appendFile: async (path, content) => {
        if (failed) throw failed;
        await fs.appendFile(path, content).catch((error: unknown) => {
          failed = error;
          throw error;
        });
      },
    };
  },
  'ends names at a NUL': (fs) => ({
    readFile: (path) => fs.readFile(path.split('\0')[0] ?? ''),
  }),
};

/** The real one, with the broken methods in front of it. */
function broken(mutate: Break | undefined) {
  return sessionFsContract(async (options) => {
    const fs = new MemorySessionFs(options);
    const overrides: Partial<SessionFs> = mutate?.(fs) ?? {};
    const mutant = new Proxy<SessionFs>(fs, {
      get: (_, key) => {
        const value: unknown = Reflect.get(overrides, key) ?? Reflect.get(fs, key);
        return typeof value === 'function' ? value.bind(fs) : value;
      },
    });
    return { fs: mutant };
  });
}

async function failures(mutate?: Break): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of broken(mutate)) await run().catch(() => failed.push(name));
  return failed;
}

describe('the contract of a SessionFs refuses a backend that', () => {
  it('(but not a correct one)', async () => expect(await failures()).toEqual([]));

  it.each(Object.entries(MUTANTS))('%s', async (_, mutate) => {
    const failed = await failures(mutate);
    expect(failed).not.toEqual([]);
    // One mistake is not all: most of the cases tell of something else.
    expect(failed.length).toBeLessThan(broken(undefined).length * 0.7);
  });
});
