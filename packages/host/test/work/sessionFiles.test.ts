import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileError } from '../../src/work/files/fileError.js';
import { SessionFiles } from '../../src/work/files/sessionFiles.js';
import { TestRepository } from './repository.js';

let repository: TestRepository;
let isTrusted: boolean;
beforeEach(async () => {
  repository = await TestRepository.make();
  isTrusted = true;
});
afterEach(() => repository.remove());

function filesOf(folder = repository.folder, privateFolder?: string): SessionFiles {
  return new SessionFiles({ folder, privateFolder, env: repository.env, isTrusted: () => isTrusted });
}

async function problemOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof FileError)) throw new Error(`no FileError: ${String(error)}`);
  return error.problem;
}

describe('a folder', () => {
  it('is listed in pages, folders first, with what a link leads to', async () => {
    await repository.write('b.txt', 'bb');
    await repository.write('a.txt', 'a');
    await repository.write('sub/x', 'x');
    await symlink('a.txt', join(repository.folder, 'near'));
    await symlink('/etc/passwd', join(repository.folder, 'far'));
    await symlink('nothing', join(repository.folder, 'gone'));
    const files = filesOf();
    const all = await files.listFolder({});
    expect(all.entries.map(({ name, type, size, leadsTo }) => [name, type, size, leadsTo])).toEqual([
      ['sub', 'folder', undefined, undefined],
      ['a.txt', 'file', 1, undefined],
      ['b.txt', 'file', 2, undefined],
      ['far', 'link', undefined, undefined],
      ['gone', 'link', undefined, undefined],
      ['near', 'link', undefined, 'file'],
    ]);
    const first = await files.listFolder({ limit: 2 });
    expect(first).toMatchObject({ path: '', total: 6, nextCursor: '1 a.txt' });
    // What comes and goes meanwhile shifts nothing.
    await rm(join(repository.folder, 'a.txt'));
    const second = await files.listFolder({ limit: 2, cursor: first.nextCursor ?? '' });
    expect(second.entries.map(({ name }) => name)).toEqual(['b.txt', 'far']);
    expect(await files.listFolder({ path: 'sub' })).toMatchObject({ path: 'sub', entries: [{ name: 'x' }], total: 1 });
    expect(await problemOf(files.listFolder({ path: 'b.txt' }))).toBe('notAFolder');
    expect(await problemOf(files.listFolder({ cursor: 'x' }))).toBe('notFound');
  });

  it('shows neither the files of the host nor those of git', async () => {
    await repository.write('state/token', 'secret');
    await repository.write('a.txt', 'a');
    const files = filesOf(repository.folder, join(repository.folder, 'state'));
    expect((await files.listFolder({})).entries.map(({ name }) => name)).toEqual(['a.txt']);
    expect(await problemOf(files.listFolder({ path: 'state' }))).toBe('refused');
    expect(await problemOf(files.readFile({ path: 'state/token' }))).toBe('refused');
    await symlink('state/token', join(repository.folder, 'link'));
    expect(await problemOf(files.readFile({ path: 'link' }))).toBe('refused');
    expect((await files.findFiles({ query: 'token' })).files).toEqual([]);
    expect((await files.checkFiles({ paths: ['state/token', 'state', 'a.txt'] })).files).toEqual([
      { path: 'a.txt', found: 'a.txt', type: 'file' },
    ]);
    // A session in a worktree works inside of the host's folder.
    const inside = filesOf(join(repository.folder, 'state'), repository.folder);
    expect(await inside.readFile({ path: 'token' })).toMatchObject({ text: 'secret' });
  });
});

describe('a file', () => {
  it('is read in pages that end between characters', async () => {
    const text = 'aé漢🙂\n'.repeat(500);
    await repository.write('text', text);
    const files = filesOf();
    for (const length of [1, 4, 5, 7, 1_000]) {
      let read = '';
      let offset: number | undefined = 0;
      let pages = 0;
      while (offset !== undefined && pages < 100) {
        const page: Awaited<ReturnType<SessionFiles['readFile']>> = await files.readFile({
          path: 'text',
          offset,
          length,
        });
        expect(page.isDamaged).toBeUndefined();
        read += page.text;
        offset = page.nextOffset;
        pages++;
      }
      expect(text.startsWith(read) && read.length > 0).toBe(true);
      if (offset === undefined) expect(read).toBe(text);
    }
    // In the middle of a character.
    expect(await files.readFile({ path: 'text', offset: 2, length: 8 })).toMatchObject({ offset: 3, text: '漢🙂' });
  });

  it('begins with a line that is asked for', async () => {
    await repository.write('lines', Array.from({ length: 50_000 }, (_, index) => `line ${index + 1}\n`).join(''));
    const files = filesOf();
    const { line, text, offset } = await files.readFile({ path: 'lines', line: 40_000, length: 20 });
    expect([line, text?.slice(0, 11)]).toEqual([40_000, 'line 40000\n']);
    expect(await files.readFile({ path: 'lines', offset, length: 10 })).toMatchObject({ text: 'line 40000' });
    expect(await files.readFile({ path: 'lines', line: 60_000, length: 6 })).toMatchObject({ line: 1, text: 'line 1' });
  });

  it('is told as what it is', async () => {
    const png = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
    await repository.write('picture.txt', png);
    await repository.write('program', Buffer.from([1, 0, 2]));
    await repository.write('latin', Buffer.from('caf\xe9\n', 'latin1'));
    await repository.write('empty', '');
    const files = filesOf();
    const picture = await files.readFile({ path: 'picture.txt' });
    expect(picture).toMatchObject({ kind: 'image', mimeType: 'image/png', size: png.length });
    expect(picture.text ?? picture.data).toBeUndefined();
    expect((await files.readFile({ path: 'picture.txt', asBytes: true })).data).toBe(png.toString('base64'));
    expect(await files.readFile({ path: 'program' })).not.toHaveProperty('text');
    expect(await files.readFile({ path: 'latin' })).toMatchObject({ text: 'caf\ufffd\n', isDamaged: true });
    expect(await files.readFile({ path: 'empty' })).toMatchObject({ kind: 'text', text: '', size: 0 });
    expect(await problemOf(files.readFile({ path: '.' }))).toBe('notAFile');
  });

  it('of a terabyte is read in pages, and a line of it looked for in its beginning only', async () => {
    await repository.write('huge', 'x');
    await truncate(join(repository.folder, 'huge'), 1024 ** 4);
    const page = await filesOf().readFile({ path: 'huge', offset: 1024 ** 4 - 10, length: 100, asBytes: true });
    expect(Buffer.from(page.data ?? '', 'base64').length).toBe(10);
    expect(await filesOf().readFile({ path: 'huge', line: 5, asBytes: true, length: 1 })).toMatchObject({ line: 1 });
  });

  it('has another revision when it has changed', async () => {
    await repository.write('a', 'one');
    const { revision } = await filesOf().readFile({ path: 'a' });
    await utimes(join(repository.folder, 'a'), 5, 5);
    expect((await filesOf().readFile({ path: 'a' })).revision).not.toBe(revision);
  });
});

describe('nothing outside of the folder', () => {
  it('is read, listed or known, by no path and through no link', async () => {
    const outside = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-outside-')));
    try {
      await writeFile(join(outside, 'secret'), 'SECRET');
      await mkdir(join(outside, 'repo-sibling'));
      await symlink(outside, join(repository.folder, 'out'));
      await symlink(join(outside, 'secret'), join(repository.folder, 'link'));
      await symlink('/proc/self/environ', join(repository.folder, 'environ'));
      await symlink('link', join(repository.folder, 'chain'));
      await symlink('round', join(repository.folder, 'round'));
      await repository.write('a', 'a');
      execFileSync('mkfifo', [join(repository.folder, 'pipe')]);
      const files = filesOf();
      const paths = [
        ...[
          '..',
          '../',
          '../secret',
          'a/../../x',
          join(outside, 'secret'),
          '/etc/passwd',
          '/',
          '//',
          '/proc/self/environ',
        ],
        ...['out', 'out/secret', 'link', 'chain', 'environ', 'round', 'pipe', `${repository.folder}-sibling`],
        ...['a\0b', '\0', 'a/b', '\u0001', 'x'.repeat(4_096), '../'.repeat(1_000), '~', '%2e%2e/secret', '..\\secret'],
        ...[`/proc/self/cwd`, `/proc/${process.pid}/root${repository.folder}/a`, '\ud800', './/../..//etc'],
      ];
      for (const path of paths) {
        expect(await files.checkFiles({ paths: [path] }), path).toEqual({ files: [] });
        await problemOf(files.readFile({ path }));
        await problemOf(files.listFolder({ path }));
      }
      expect((await files.findFiles({ query: 'secret' })).files).toEqual([]);
      expect((await files.findFiles({ query: '' })).files).toEqual([{ path: 'a', type: 'file' }]);
      // Both ways to name a file that is inside.
      expect((await files.checkFiles({ paths: [join(repository.folder, 'a'), './a'] })).files).toMatchObject([
        { found: 'a' },
        { found: 'a' },
      ]);
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  it('of the system is read where a session works in the whole disk', async () => {
    const files = filesOf('/');
    expect(await problemOf(files.readFile({ path: 'proc/self/environ' }))).toBe('refused');
    expect((await files.listFolder({})).entries.map(({ name }) => name)).not.toContain('proc');
  });

  it.skipIf(process.platform !== 'linux')('is read while a folder and a link take turns', async () => {
    const outside = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-outside-')));
    try {
      await writeFile(join(outside, 'x'), 'SECRET');
      await repository.write('real/x', 'inside');
      await symlink(outside, join(repository.folder, 'evil'));
      await repository.write('file', 'inside');
      await symlink(join(outside, 'x'), join(repository.folder, 'evilFile'));
      const files = filesOf();
      const at = (name: string) => join(repository.folder, name);
      let isOver = false;
      const swapping = (async () => {
        while (!isOver) {
          for (const [real, evil, spare] of [
            ['real', 'evil', 'spare'],
            ['file', 'evilFile', 'spareFile'],
          ] as const) {
            await rename(at(real), at(spare));
            await rename(at(evil), at(real));
            await rename(at(real), at(evil));
            await rename(at(spare), at(real));
          }
        }
      })();
      const seen = new Set<string>();
      for (let round = 0; round < 200; round++) {
        const [text, file, listed] = await Promise.all([
          files.readFile({ path: 'real/x' }).then(({ text }) => text, String),
          files.readFile({ path: 'file' }).then(({ text }) => text, String),
          files.listFolder({ path: 'real' }).then(({ entries: [entry] }) => `${entry?.size}`, String),
        ]);
        for (const one of [text, file, listed]) seen.add(`${one}`);
      }
      isOver = true;
      await swapping;
      expect([...seen].filter((one) => one.includes('SECRET'))).toEqual([]);
      expect(seen).toContain('inside');
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  it('of a folder that is on another machine, or gone, is there', async () => {
    expect(await problemOf(filesOf('').listFolder({}))).toBe('notFound');
    expect(await problemOf(filesOf('/nothing/here').findFiles({ query: '' }))).toBe('notFound');
  });
});

describe('a search', () => {
  const found = async (files: SessionFiles, query: string, limit = 5) =>
    (await files.findFiles({ query, limit })).files.map(({ path, type }) => (type === 'folder' ? `${path}/` : path));

  it('has what git tracks and does not ignore, the name before the folder before letters in between', async () => {
    for (const path of ['src/index.ts', 'src/indexReader.ts', 'docs/index/reader.md', 'src/reader/list.ts', 'notes.md'])
      await repository.write(path, path);
    await repository.write('.gitignore', 'build/\n');
    await repository.write('build/index.js', '');
    await repository.commit();
    await repository.write('src/newIndex.ts', 'not tracked');
    const files = filesOf();
    expect(await files.findFiles({ query: 'index' })).toMatchObject({ source: 'git' });
    expect(await found(files, 'index')).toEqual([
      'docs/index/',
      'src/index.ts',
      'src/indexReader.ts',
      'docs/index/reader.md',
      'src/newIndex.ts',
    ]);
    expect(await found(files, 'srcreader', 1)).toEqual(['src/reader/']);
    expect(await found(files, 'iR', 1)).toEqual(['src/indexReader.ts']);
    expect(await found(files, './SRC\\INDEX.ts', 1)).toEqual(['src/index.ts']);
    expect(await found(files, 'zzz')).toEqual([]);
    expect(await found(files, '', 3)).toEqual(['src/', 'docs/', 'notes.md']);
  });

  it('knows no file that is gone, and a new one when the files have changed', async () => {
    await repository.write('a.txt', 'a');
    await repository.commit();
    const files = filesOf();
    expect(await found(files, 'txt')).toEqual(['a.txt']);
    await rm(join(repository.folder, 'a.txt'));
    await repository.write('b.txt', 'b');
    expect(await found(files, 'txt')).toEqual([]);
    files.forget();
    expect(await found(files, 'txt')).toEqual(['b.txt']);
  });

  it('reads the folder where git is not run, and leaves out what nobody looks for', async () => {
    await repository.write('node_modules/x/index.js', '');
    await repository.write('src/index.js', '');
    await repository.write('.gitignore', '*');
    isTrusted = false;
    const files = filesOf();
    expect(await files.findFiles({ query: 'index' })).toMatchObject({
      source: 'folder',
      files: [{ path: 'src/index.js' }],
    });
    // With the trust, git is asked; what it ignores as a whole is read all the same.
    isTrusted = true;
    expect(await files.findFiles({ query: 'index' })).toMatchObject({ source: 'folder' });
    await writeFile(join(repository.folder, '.gitignore'), 'node_modules');
    files.forget();
    expect(await files.findFiles({ query: 'index' })).toMatchObject({ source: 'git', total: 1 });
  });

  it('runs nothing of a repository that says what to run', async () => {
    await repository.write('a.txt', 'a');
    const mark = join(repository.root, 'ran');
    await repository.git('config', 'core.fsmonitor', `touch ${mark}`);
    await repository.git('config', 'core.untrackedCache', 'true');
    expect(await found(filesOf(), 'a')).toEqual(['a.txt']);
    await expect(realpath(mark)).rejects.toThrow('ENOENT');
  });

  it('keeps to its limits, in a folder of links and of names that are no text', async () => {
    const folder = join(repository.root, 'plain');
    await mkdir(folder);
    for (let at = 0; at < 30; at++) await writeFile(join(folder, `f${at}`), '');
    await mkdir(join(folder, 'loop'));
    await symlink('..', join(folder, 'loop/up'));
    await writeFile(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe])]), '');
    await writeFile(join(folder, 'line\nbreak'), '');
    const files = new SessionFiles({ folder, isTrusted: () => false, limits: { maxFiles: 20 } });
    expect(await files.findFiles({ query: 'f' })).toMatchObject({ total: 20, isCut: true });
    const whole = filesOf(folder);
    expect((await whole.findFiles({ query: 'up' })).files).toEqual([{ path: 'loop/up', type: 'folder' }]);
    expect((await whole.findFiles({ query: 'break' })).files).toEqual([{ path: 'line\nbreak', type: 'file' }]);
    const { entries } = await whole.listFolder({});
    expect(entries.filter(({ type }) => type === 'other').map(({ name }) => name)).toEqual(['\ufffd\ufffd']);
  });
});
