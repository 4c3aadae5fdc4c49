import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestRepository } from './repository.js';
import { repositoryWithFiles, runTurn, type WorkOf, workOf } from './workOf.js';

let repository: TestRepository;
let session: WorkOf;

beforeEach(async () => {
  repository = await repositoryWithFiles();
  session = workOf(repository);
});
afterEach(async () => {
  await session.work.close();
  await repository.remove();
});

const turn = (id: string, change: () => Promise<void>, of = session) => runTurn(of, id, change);

const OBJECT = /^[0-9a-f]{40}$/;
const idOf = async (path: string) => (await repository.git('hash-object', path)).trim();

const text = (path: string) => readFile(join(repository.folder, path), 'utf8');

describe('changes', () => {
  it('are those since the last turn, of the session, and against the base', async () => {
    await turn('t1', async () => {
      await repository.write('a.txt', 'one\n2\nthree\n');
      await repository.write('new.txt', 'new\n');
    });
    await turn('t2', async () => {
      await rm(join(repository.folder, 'sub/b.txt'));
      await repository.git('mv', 'old.txt', 'renamed.txt');
      await repository.write('picture.png', Buffer.from([137, 80, 78, 71, 0, 0, 1]));
      await repository.write('ignored.txt', 'never seen');
    });
    const last = await session.work.listChanges({ since: 'lastTurn' });
    expect(last.files).toEqual([
      { path: 'picture.png', status: 'A', isBinary: true, id: expect.stringMatching(OBJECT) },
      {
        path: 'renamed.txt',
        oldPath: 'old.txt',
        status: 'R',
        additions: 0,
        deletions: 0,
        id: await idOf('renamed.txt'),
      },
      { path: 'sub/b.txt', status: 'D', additions: 0, deletions: 1 },
    ]);
    const all = await session.work.listChanges({ since: 'session' });
    expect(all.files.map(({ path, status }) => `${status} ${path}`)).toEqual([
      'M a.txt',
      'A new.txt',
      'A picture.png',
      'R renamed.txt',
      'D sub/b.txt',
    ]);
    expect(all).toMatchObject({
      source: 'git',
      branch: 'main',
      total: 5,
      additions: 2,
      deletions: 2,
      hasSnapshots: true,
    });
    const base = await session.work.listChanges({ since: 'base' });
    expect(base.files).toEqual(all.files);
    expect(base.base).toBe((await repository.git('rev-parse', 'HEAD')).trim());
  });

  it('leave the index, HEAD and the stash of the user alone', async () => {
    await repository.write('a.txt', 'staged\n');
    await repository.git('add', 'a.txt');
    await repository.write('a.txt', 'on disk\n');
    const before = await repository.git('status', '--porcelain=v2', '--branch');
    const index = await readFile(join(repository.folder, '.git/index'));
    await turn('t1', () => repository.write('c.txt', 'c'));
    await session.work.listChanges({ since: 'session' });
    expect((await readFile(join(repository.folder, '.git/index'))).equals(index)).toBe(true);
    expect(await repository.git('status', '--porcelain=v2', '--branch')).toBe(`${before}? c.txt\n`);
  });

  it('against a base branch count what was committed since', async () => {
    await repository.git('checkout', '-q', '-b', 'work');
    await turn('t1', async () => {
      await repository.write('a.txt', 'one\n');
      await repository.commit();
    });
    session = workOf(repository, { sessionId: 's2', baseBranch: 'main' });
    const base = await session.work.listChanges({ since: 'base' });
    expect(base).toMatchObject({ baseName: 'main', branch: 'work', total: 1, deletions: 2 });
    expect((await session.work.listChanges({ since: 'lastTurn' })).files).toEqual([]);
  });

  it('are listed in pages of the same state', async () => {
    await turn('t1', async () => {
      for (let index = 0; index < 25; index++) await repository.write(`many/${index + 10}.txt`, `${index}\n`);
    });
    const first = await session.work.listChanges({ since: 'session', limit: 10 });
    await repository.write('many/00.txt', 'later\n');
    const second = await session.work.listChanges({ since: 'session', limit: 10, cursor: first.nextCursor ?? '' });
    const third = await session.work.listChanges({ since: 'session', limit: 10, cursor: second.nextCursor ?? '' });
    expect([first, second, third].flatMap(({ files }) => files.map(({ path }) => path))).toEqual(
      Array.from({ length: 25 }, (_, index) => `many/${index + 10}.txt`),
    );
    expect(third.nextCursor).toBeUndefined();
    const forged = `${'0'.repeat(40)}.${first.to}.0`;
    await expect(session.work.listChanges({ since: 'session', cursor: forged })).rejects.toMatchObject({
      problem: 'notFound',
    });
  });

  it('are those of the folder of the session, when that is a part of the checkout', async () => {
    const folder = join(repository.folder, 'sub');
    session = workOf(repository, { folder });
    await turn('t1', async () => {
      await repository.write('a.txt', 'outside\n');
      await repository.write('sub/b.txt', 'inside\n');
    });
    expect((await session.work.listChanges({ since: 'session' })).files.map(({ path }) => path)).toEqual(['b.txt']);
    expect(await session.restore({ toTurnId: 't1' })).toMatchObject({ count: 1, paths: ['b.txt'] });
    expect([await text('a.txt'), await text('sub/b.txt')]).toEqual(['outside\n', 'b\n']);
  });

  it('wait for trust', async () => {
    session.isTrusted = false;
    await session.work.beforeTurn('t1');
    await expect(session.work.listChanges({ since: 'base' })).rejects.toMatchObject({ problem: 'notTrusted' });
    expect(await repository.git('for-each-ref', 'refs/agenthost')).toBe('');
  });
});

describe('a diff', () => {
  it('has hunks, and says what is no text', async () => {
    await turn('t1', async () => {
      await repository.write('a.txt', 'one\n2\nthree');
      await repository.write('picture.png', Buffer.from([137, 80, 78, 71, 0, 0, 1]));
      await symlink('a.txt', join(repository.folder, 'link'));
      await repository.git('mv', 'old.txt', 'renamed.txt');
    });
    const diff = await session.work.fetchDiff({ path: 'a.txt', since: 'session' });
    expect(diff).toMatchObject({ kind: 'text', file: { path: 'a.txt', additions: 2, deletions: 2 } });
    expect(diff.hunks).toEqual([
      {
        oldStart: 1,
        oldLines: 3,
        newStart: 1,
        newLines: 3,
        lines: [' one', '-two', '-three', '+2', '+three', '\\ No newline at end of file'],
      },
    ]);
    const picture = await session.work.fetchDiff({ path: 'picture.png', from: diff.from, to: diff.to });
    expect(picture).toMatchObject({ kind: 'image', newSize: 7, hunks: [] });
    expect(await session.work.fetchDiff({ path: 'link', since: 'session' })).toMatchObject({ kind: 'link' });
    expect(await session.work.fetchDiff({ path: 'renamed.txt', since: 'session' })).toMatchObject({
      file: { oldPath: 'old.txt' },
      hunks: [],
    });
  });

  it('comes in pages that add up, with long lines cut', async () => {
    await turn('t1', async () => {
      const lines = Array.from({ length: 5_000 }, (_, index) => `${index}`);
      lines[10] = 'x'.repeat(100_000);
      await repository.write('a.txt', `${lines.join('\n')}\n`);
    });
    const lines: string[] = [];
    let next: number | undefined = 0;
    const { from, to } = await session.work.listChanges({ since: 'session' });
    while (next !== undefined) {
      const page = await session.work.fetchDiff({ path: 'a.txt', from, to, cursor: next });
      const [first] = page.hunks;
      if (next > 0) expect(first?.newStart).toBe(lines.filter((line) => line.startsWith('+')).length + 1);
      lines.push(...page.hunks.flatMap((hunk) => hunk.lines));
      next = page.nextCursor;
    }
    expect(lines.filter((line) => line.startsWith('+'))).toHaveLength(5_000);
    expect(lines.filter((line) => line.startsWith('-'))).toHaveLength(3);
    expect(Math.max(...lines.map(({ length }) => length))).toBe(4_096);
  });

  it('is refused for a path outside of the folder, or of git itself', async () => {
    await turn('t1', async () => {});
    for (const path of ['../a.txt', '/etc/passwd', 'sub/../../x', '.git/config', 'sub/.GIT/x', 'a\0b']) {
      await expect(session.work.fetchDiff({ path, since: 'base' })).rejects.toMatchObject({ problem: 'refused' });
      await expect(session.restore({ toTurnId: 't1', paths: [path] })).rejects.toMatchObject({ problem: 'refused' });
    }
  });
});

describe('restoring', () => {
  it('brings files back to before a turn, and can be undone', async () => {
    await turn('t1', () => repository.write('a.txt', 'first\n'));
    await turn('t2', async () => {
      await repository.write('a.txt', 'second\n');
      await repository.write('new/deep.txt', 'new\n');
      await rm(join(repository.folder, 'sub'), { recursive: true });
      await repository.write('ignored.txt', 'kept');
    });
    const restored = await session.restore({ toTurnId: 't2' });
    expect(restored).toMatchObject({ count: 3, paths: ['a.txt', 'new/deep.txt', 'sub/b.txt'] });
    expect([await text('a.txt'), await text('sub/b.txt'), await text('ignored.txt')]).toEqual([
      'first\n',
      'b\n',
      'kept',
    ]);
    expect(await readdir(repository.folder)).not.toContain('new');
    const undone = await session.restore({ undo: restored.undo });
    expect(undone.count).toBe(3);
    expect([await text('a.txt'), await text('new/deep.txt')]).toEqual(['second\n', 'new\n']);
    await session.restore({ undo: 'last' });
    expect(await text('a.txt')).toBe('first\n');
    await session.restore({ toTurnId: 't1', paths: ['a.txt'] });
    expect(await text('a.txt')).toBe('one\ntwo\nthree\n');
  });

  it('leaves a file alone that git ignores, in the place of one that would come back', async () => {
    await turn('t1', async () => {
      await rm(join(repository.folder, 'a.txt'));
      await repository.write('.gitignore', 'ignored.txt\na.txt\n');
    });
    await repository.write('a.txt', 'secret, ignored now\n');
    const restored = await session.restore({ toTurnId: 't1' });
    expect(restored).toMatchObject({ count: 1, paths: ['.gitignore'], skipped: { count: 1, paths: ['a.txt'] } });
    expect(await text('a.txt')).toBe('secret, ignored now\n');
  });

  it('does not follow a link out of the folder', async () => {
    const outside = join(repository.root, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'b.txt'), 'outside\n');
    await turn('t1', async () => {
      await rm(join(repository.folder, 'sub'), { recursive: true });
      await symlink(outside, join(repository.folder, 'sub'));
    });
    expect((await session.work.listChanges({ since: 'session' })).files.map(({ path }) => path)).toEqual([
      'sub',
      'sub/b.txt',
    ]);
    await session.restore({ toTurnId: 't1' });
    expect(await readFile(join(outside, 'b.txt'), 'utf8')).toBe('outside\n');
    expect(await text('sub/b.txt')).toBe('b\n');
    // A link that is ignored stays, and nothing goes through it.
    await turn('t2', async () => {
      await rm(join(repository.folder, 'sub'), { recursive: true });
      await repository.write('.gitignore', 'sub\n');
    });
    await symlink(outside, join(repository.folder, 'sub'));
    const restored = await session.restore({ toTurnId: 't2' });
    expect(restored.skipped).toEqual({ count: 1, paths: ['sub/b.txt'] });
    expect(await readFile(join(outside, 'b.txt'), 'utf8')).toBe('outside\n');
  });

  it('is refused while a turn runs, and without a snapshot', async () => {
    await turn('t1', () => repository.write('a.txt', 'first\n'));
    session.isTurnRunning = true;
    await expect(session.restore({ toTurnId: 't1' })).rejects.toMatchObject({ name: 'TurnRunning' });
    session.isTurnRunning = false;
    await expect(session.restore({ toTurnId: 'unknown' })).rejects.toMatchObject({ problem: 'notFound' });
    expect(await text('a.txt')).toBe('first\n');
  });
});
