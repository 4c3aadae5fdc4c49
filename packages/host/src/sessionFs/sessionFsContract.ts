import { deepEqual, equal, ok } from 'node:assert/strict';
import { KeyedLock } from './keyedLock.js';
import type { SessionFs } from './sessionFs.js';
import { SessionFsFailure } from './sessionFs.js';
import { MAX_LINE_BYTES } from './splitLines.js';

export interface ContractSessionFs {
  readonly fs: SessionFs;
  dispose?(): Promise<void>;
}

export interface CreateContractSessionFs {
  readonly sessionId: string;
  readonly initialCwd: string;
}

export interface SessionFsContractOptions {
  /** Whether paths outside of the session's folders are refused. A backend that has nothing outside needn't. */
  readonly refusesEscapes?: boolean;
}

export interface ContractCase {
  readonly name: string;
  run(): Promise<void>;
}

/** What every SessionFs must do, for any test runner. A backend is correct when every case passes. */
export function sessionFsContract(
  create: (options: CreateContractSessionFs) => Promise<ContractSessionFs>,
  options: SessionFsContractOptions = {},
): ContractCase[] {
  const cases = { ...NAMES, ...TEXT, ...FOLDERS, ...LINES, ...FAILURES, ...(options.refusesEscapes && ESCAPES) };
  return Object.entries(cases).map(([name, check]) => ({
    name,
    run: async () => {
      const { fs, dispose } = await create({ sessionId: 'contract-session', initialCwd: '/somewhere' });
      try {
        await check(fs, (name) => fs.join(fs.sessionStatePath ?? fs.tmpdir, name), create);
      } finally {
        await fs.dispose();
        await dispose?.();
      }
    },
  }));
}

type Check = (
  fs: SessionFs,
  at: (name: string) => string,
  create: (options: CreateContractSessionFs) => Promise<ContractSessionFs>,
) => Promise<void>;

const NAMES: Readonly<Record<string, Check>> = {
  'joins by its own conventions': async (fs) => {
    const windows = fs.conventions === 'windows';
    equal(fs.join('a', 'b', 'c.txt'), windows ? 'a\\b\\c.txt' : 'a/b/c.txt');
    equal(fs.join('a', '..', 'b'), 'b');
    equal(fs.join('a', '', 'b'), windows ? 'a\\b' : 'a/b');
    equal(windows ? fs.join('C:\\x', 'y/z') : fs.join('/x/', '/y'), windows ? 'C:\\x\\y\\z' : '/x/y');
  },
  'has a folder for the session and one for temporary files, and both exist': async (fs) => {
    ok(fs.sessionStatePath !== undefined);
    for (const folder of [fs.sessionStatePath, fs.tmpdir]) equal((await fs.stat(folder)).isDirectory, true);
  },
  'writes to the temporary folder': async (fs) => {
    const path = fs.join(fs.tmpdir, 'spill.txt');
    await fs.writeFile(path, 'x');
    equal(await fs.readFile(path), 'x');
    await fs.rm(path);
  },
  'starts where it was told to': async (fs) => equal(fs.initialCwd(), '/somewhere'),
  'takes one lock for one file, another for another file': async (fs, at) => {
    equal(fs.lockKey(at('a')), fs.lockKey(at('a')));
    ok(fs.lockKey(at('a')) !== fs.lockKey(at('b')));
  },
  'takes another lock for the same name in another session': async (fs, at, create) => {
    const other = await create({ sessionId: 'another-session', initialCwd: '/' });
    try {
      const path = other.fs.join(other.fs.sessionStatePath ?? other.fs.tmpdir, 'a');
      ok(fs.lockKey(at('a')) !== other.fs.lockKey(path));
    } finally {
      await other.fs.dispose();
      await other.dispose?.();
    }
  },
};

const TEXT: Readonly<Record<string, Check>> = {
  'reads what was written': async (fs, at) => {
    await fs.writeFile(at('a.txt'), 'ein Text: äöü, 漢字, 🦊\r\n');
    equal(await fs.readFile(at('a.txt')), 'ein Text: äöü, 漢字, 🦊\r\n');
  },
  'replaces what was there, also by something shorter': async (fs, at) => {
    await fs.writeFile(at('a'), 'a long first content');
    await fs.writeFile(at('a'), 'short');
    equal(await fs.readFile(at('a')), 'short');
    equal((await fs.stat(at('a'))).size, 5);
  },
  'keeps an empty file': async (fs, at) => {
    await fs.writeFile(at('a'), '');
    equal(await fs.readFile(at('a')), '');
    deepEqual(await lines(fs, at('a')), []);
    equal((await fs.stat(at('a'))).size, 0);
  },
  'keeps bytes that are no text': async (fs, at) => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await fs.writeFile(at('a'), bytes);
    await fs.appendFile(at('a'), Uint8Array.of(0xff, 0x00, 0xc3));
    deepEqual([...(await fs.readFileBytes(at('a')))], [...bytes, 0xff, 0x00, 0xc3]);
  },
  'keeps a byte order mark': async (fs, at) => {
    await fs.writeFile(at('a'), '\uFEFFx');
    equal(await fs.readFile(at('a')), '\uFEFFx');
  },
  'hands out bytes that later writes do not change': async (fs, at) => {
    await fs.writeFile(at('a'), 'before');
    const bytes = await fs.readFileBytes(at('a'));
    await fs.writeFile(at('a'), 'after!');
    equal(Buffer.from(bytes).toString(), 'before');
  },
  'appends, and creates the file for it': async (fs, at) => {
    await fs.appendFile(at('a'), 'one ');
    await fs.appendFile(at('a'), Buffer.from('two'));
    equal(await fs.readFile(at('a')), 'one two');
  },
  'appends in order': async (fs, at) => {
    const expected: string[] = [];
    for (let index = 0; index < 200; index++) {
      await fs.appendFile(at('a'), `${index}\n`);
      expected.push(String(index));
    }
    deepEqual(await lines(fs, at('a')), expected);
  },
  'keeps appends whole and in order under one lock': async (fs, at) => {
    const lock = new KeyedLock();
    const expected = Array.from({ length: 100 }, (_, index) => `${index}:${'x'.repeat(index * 37)}`);
    const key = fs.lockKey(at('a'));
    await Promise.all(expected.map((line) => lock.run(key, () => fs.appendFile(at('a'), `${line}\n`))));
    ok((await fs.readFile(at('a'))) === `${expected.join('\n')}\n`, 'other lines');
    equal((await lines(fs, at('a'))).length, expected.length);
  },
  'appends to many files in turn': async (fs, at) => {
    for (let round = 0; round < 3; round++) {
      for (let file = 0; file < 12; file++) await fs.appendFile(at(`f${file}`), `${round}`);
    }
    for (let file = 0; file < 12; file++) equal(await fs.readFile(at(`f${file}`)), '012');
  },
  'appends to what was written meanwhile': async (fs, at) => {
    await fs.appendFile(at('a'), 'old');
    await fs.writeFile(at('a'), 'new');
    await fs.appendFile(at('a'), '+');
    equal(await fs.readFile(at('a')), 'new+');
  },
  'appends to the file that has the name now': async (fs, at) => {
    await fs.appendFile(at('a'), 'first');
    await fs.rename(at('a'), at('b'));
    await fs.appendFile(at('a'), 'second');
    await fs.rm(at('a'));
    await fs.appendFile(at('a'), 'third');
    await fs.writeFile(at('c'), 'fourth');
    await fs.rename(at('c'), at('a'));
    await fs.appendFile(at('a'), '+');
    equal(await fs.readFile(at('b')), 'first');
    equal(await fs.readFile(at('a')), 'fourth+');
  },
  'keeps a large file': async (fs, at) => {
    const half = Buffer.alloc(4 * 1024 * 1024, 'abcdefgh\n');
    await fs.writeFile(at('a'), half);
    await fs.appendFile(at('a'), half);
    equal((await fs.stat(at('a'))).size, 8 * 1024 * 1024);
    ok(Buffer.concat([half, half]).equals(await fs.readFileBytes(at('a'))));
  },
  'keeps names of any script': async (fs, at) => {
    const names = ['äöü.txt', '漢字', '🦊 with spaces', "it's", 'a.b..c', '-rf'];
    for (const name of names) await fs.writeFile(at(name), name);
    for (const name of names) equal(await fs.readFile(at(name)), name);
    deepEqual((await fs.readdir(at(''))).sort(), names.sort());
  },
  'can be told to force a file to disk': async (fs, at) => {
    await fs.appendFile(at('a'), 'x');
    await fs.sync?.(at('a'));
    await fs.writeFile(at('b'), 'y');
    await fs.sync?.(at('b'));
    equal((await fs.readFile(at('a'))) + (await fs.readFile(at('b'))), 'xy');
  },
};

const FOLDERS: Readonly<Record<string, Check>> = {
  'tells files from folders, and what does not exist': async (fs, at) => {
    await fs.mkdir(at('folder'));
    await fs.writeFile(at('file'), '12345');
    const [folder, file] = [await fs.stat(at('folder')), await fs.stat(at('file'))];
    deepEqual([folder.isDirectory, folder.isFile], [true, false]);
    deepEqual([file.isDirectory, file.isFile, file.size], [false, true, 5]);
    deepEqual(await Promise.all(['folder', 'file', 'none', 'file/x'].map((name) => fs.exists(at(name)))), [
      true,
      true,
      false,
      false,
    ]);
  },
  'says when a file was made and changed': async (fs, at) => {
    const before = Date.now();
    await fs.writeFile(at('a'), 'x');
    const made = await fs.stat(at('a'));
    await fs.appendFile(at('a'), 'y');
    const changed = await fs.stat(at('a'));
    // A file system's clock may be coarse.
    for (const time of [made.mtime, made.birthtime, changed.mtime]) ok(Math.abs(time - before) < 60_000, `${time}`);
    ok(changed.mtime >= made.mtime);
    equal(changed.birthtime, made.birthtime);
  },
  'makes a folder once': async (fs, at) => {
    await fs.mkdir(at('a'));
    await fails('EEXIST', fs.mkdir(at('a')));
    await fs.mkdir(at('a'), { recursive: true });
  },
  'makes a folder only in a folder, unless recursive': async (fs, at) => {
    await fails('ENOENT', fs.mkdir(at('a/b/c')));
    await fs.mkdir(at('a/b/c'), { recursive: true });
    deepEqual(await fs.readdirWithTypes(at('a/b')), [{ name: 'c', type: 'directory' }]);
  },
  'makes no folder where a file is': async (fs, at) => {
    await fs.writeFile(at('a'), '');
    await fails('EEXIST', fs.mkdir(at('a')));
    await fails('EEXIST', fs.mkdir(at('a'), { recursive: true }));
    await fails('ENOTDIR', fs.mkdir(at('a/b')));
  },
  'lists what is in a folder, and only that': async (fs, at) => {
    await fs.mkdir(at('a/inner'), { recursive: true });
    await fs.writeFile(at('a/file'), '');
    await fs.writeFile(at('a/inner/deep'), '');
    await fs.writeFile(at('ab'), '');
    const entries = (await fs.readdirWithTypes(at('a'))).sort((x, y) => (x.name < y.name ? -1 : 1));
    deepEqual(entries, [
      { name: 'file', type: 'file' },
      { name: 'inner', type: 'directory' },
    ]);
    deepEqual((await fs.readdir(at('a'))).sort(), ['file', 'inner']);
    deepEqual(await fs.readdir(at('a/inner')), ['deep']);
  },
  'removes a file': async (fs, at) => {
    await fs.writeFile(at('a'), '');
    await fs.rm(at('a'));
    equal(await fs.exists(at('a')), false);
  },
  'removes a folder only when told to, with all that is in it': async (fs, at) => {
    await fs.mkdir(at('a/b'), { recursive: true });
    await fs.writeFile(at('a/b/c'), '');
    await fs.writeFile(at('ab'), 'stays');
    await fails('EISDIR', fs.rm(at('a')));
    await fs.rm(at('a'), { recursive: true });
    deepEqual(await fs.readdir(at('')), ['ab']);
  },
  'forgives that there is nothing to remove only with force': async (fs, at) => {
    await fails('ENOENT', fs.rm(at('a')));
    await fails('ENOENT', fs.rm(at('a'), { recursive: true }));
    await fs.rm(at('a'), { force: true });
    await fs.rm(at('a'), { force: true, recursive: true });
  },
  'renames over an existing file': async (fs, at) => {
    await fs.writeFile(at('a'), 'new');
    await fs.writeFile(at('b'), 'old and longer');
    await fs.rename(at('a'), at('b'));
    equal(await fs.readFile(at('b')), 'new');
    deepEqual(await fs.readdir(at('')), ['b']);
  },
  'renames a folder with all that is in it': async (fs, at) => {
    await fs.mkdir(at('a/b'), { recursive: true });
    await fs.writeFile(at('a/b/c'), 'x');
    await fs.rename(at('a'), at('z'));
    equal(await fs.readFile(at('z/b/c')), 'x');
    equal(await fs.exists(at('a')), false);
  },
};

const LINES: Readonly<Record<string, Check>> = {
  'reads lines, which end at \\n alone': async (fs, at) => {
    await fs.writeFile(at('a'), 'one\r\ntwo\n\nü\u2028\rx\n');
    deepEqual(await lines(fs, at('a')), ['one\r', 'two', '', 'ü\u2028\rx']);
  },
  'reads a last line without an end': async (fs, at) => {
    await fs.writeFile(at('a'), 'one\ntwo');
    deepEqual(await lines(fs, at('a')), ['one', 'two']);
  },
  'reads lines from a byte on': async (fs, at) => {
    await fs.writeFile(at('a'), 'äö\ntwo\nthree\n');
    deepEqual(await lines(fs, at('a'), 5), ['two', 'three']);
    deepEqual(await lines(fs, at('a'), 6), ['wo', 'three']);
    deepEqual(await lines(fs, at('a'), 15), []);
    deepEqual(await lines(fs, at('a'), 1_000), []);
  },
  'reads long lines, cut anywhere by its buffers': async (fs, at) => {
    const expected = [60_000, 65_535, 65_536, 65_537, 3, 300_000].map((length) => '€a'.repeat(length / 2));
    await fs.writeFile(at('a'), `${expected.join('\n')}\n`);
    const found = await lines(fs, at('a'));
    ok(found.length === expected.length && found.every((line, index) => line === expected[index]), 'other lines');
  },
  'refuses a line without a bound': async (fs, at) => {
    await fs.writeFile(at('a'), Buffer.concat([Buffer.from('first\n'), Buffer.alloc(MAX_LINE_BYTES + 1, 'x')]));
    await fails('EFBIG', lines(fs, at('a')));
  },
  'can be left in the middle of a file': async (fs, at) => {
    await fs.writeFile(at('a'), 'x\n'.repeat(100_000));
    for await (const line of fs.readLines(at('a'))) {
      equal(line, 'x');
      break;
    }
    await fs.rm(at('a'));
  },
};

const FAILURES: Readonly<Record<string, Check>> = {
  'says ENOENT where there is nothing': async (fs, at) => {
    const calls = [
      () => fs.readFile(at('none')),
      () => fs.readFileBytes(at('none')),
      () => fs.stat(at('none')),
      () => fs.readdir(at('none')),
      () => fs.readdirWithTypes(at('none')),
      () => fs.rename(at('none'), at('other')),
      () => lines(fs, at('none')),
      () => fs.sync?.(at('none')) ?? fs.readFile(at('none')),
    ];
    for (const call of calls) await fails('ENOENT', call());
  },
  'says ENOENT where the folder is missing': async (fs, at) => {
    await fs.writeFile(at('file'), '');
    await fails('ENOENT', fs.writeFile(at('none/a'), ''));
    await fails('ENOENT', fs.appendFile(at('none/a'), ''));
    await fails('ENOENT', fs.rename(at('file'), at('none/a')));
  },
  'says EISDIR and ENOTDIR where one is taken for the other': async (fs, at) => {
    await fs.mkdir(at('folder'));
    await fs.writeFile(at('file'), '');
    await fails('EISDIR', fs.readFile(at('folder')));
    await fails('EISDIR', fs.writeFile(at('folder'), ''));
    await fails('EISDIR', fs.appendFile(at('folder'), ''));
    await fails('ENOTDIR', fs.readdir(at('file')));
    await fails('ENOTDIR', fs.readFile(at('file/a')));
    await fails('ENOTDIR', fs.writeFile(at('file/a'), ''));
  },
  'goes on after a failure': async (fs, at) => {
    await fails('ENOENT', fs.appendFile(at('folder/a'), 'lost'));
    await fs.mkdir(at('folder'));
    await fs.appendFile(at('folder/a'), 'kept');
    equal(await fs.readFile(at('folder/a')), 'kept');
  },
  'refuses a NUL in a path': async (fs, at) => {
    await fails('EINVAL', fs.readFile(at('a\0b')));
    await fails('EINVAL', fs.appendFile(at('a\0b'), ''));
  },
};

const ESCAPES: Readonly<Record<string, Check>> = {
  'refuses every path that leads out': async (fs, at) => {
    const inside = fs.sessionStatePath ?? '';
    const outside = [`${inside}/../x`, `${inside}/a/../../x`, `${inside}x`, `${inside}/..`, '/etc/passwd', '/', '../x'];
    await fs.writeFile(at('mine'), '');
    for (const path of outside) {
      const calls = [
        () => fs.readFile(path),
        () => fs.readFileBytes(path),
        () => fs.writeFile(path, ''),
        () => fs.appendFile(path, ''),
        () => fs.exists(path),
        () => fs.stat(path),
        () => fs.mkdir(path, { recursive: true }),
        () => fs.readdir(path),
        () => fs.readdirWithTypes(path),
        () => fs.rm(path, { recursive: true, force: true }),
        () => fs.rename(path, at('a')),
        () => fs.rename(at('mine'), path),
        () => lines(fs, path),
        () => fs.sync?.(path) ?? fs.readFile(path),
      ];
      for (const call of calls) await fails('EACCES', call());
    }
    deepEqual(await fs.readdir(at('')), ['mine']);
  },
  'takes a way that stays inside': async (fs, at) => {
    await fs.writeFile(`${at('a')}/../b`, 'x');
    equal(await fs.readFile(at('b')), 'x');
  },
};

async function lines(fs: SessionFs, path: string, fromByte?: number): Promise<string[]> {
  const found: string[] = [];
  for await (const line of fs.readLines(path, fromByte)) found.push(line);
  return found;
}

async function fails(code: string, promise: Promise<unknown>): Promise<void> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  ok(error instanceof SessionFsFailure, `expected a SessionFsFailure ${code}, got ${String(error)}`);
  equal(error.code, code, error.message);
}
