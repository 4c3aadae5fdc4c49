import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
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

const text = (path: string) => readFile(join(repository.folder, path), 'utf8');

describe('snapshots', () => {
  it('are bounded, keep the first, survive another host, and go with the session', async () => {
    for (let index = 0; index < 66; index++) await turn(`t${index}`, () => repository.write('a.txt', `${index}\n`));
    const refs = (await repository.git('for-each-ref', '--format=%(refname)', 'refs/agenthost/s1')).trim().split('\n');
    expect(refs.length < 130, `${refs.length} references`).toBe(true);
    const again = workOf(repository);
    expect((await again.work.listChanges({ since: 'session' })).files).toHaveLength(1);
    await again.restore({ toTurnId: 't0' });
    expect(await text('a.txt')).toBe('one\ntwo\nthree\n');
    const other = workOf(repository, { sessionId: 's2' });
    await turn('x', async () => {}, other);
    await again.work.remove();
    expect(await repository.git('for-each-ref', '--format=%(refname)', 'refs/agenthost/s1')).toBe('');
    expect((await repository.git('for-each-ref', 'refs/agenthost/s2')).trim().split('\n')).toHaveLength(2);
    expect(await readdir(join(repository.root, 'state/work'))).toEqual(['s2']);
  });

  it('survive conflicts of a merge, a damaged index and a left lock', async () => {
    await repository.git('checkout', '-q', '-b', 'other');
    await repository.write('a.txt', 'theirs\n');
    await repository.commit();
    await repository.git('checkout', '-q', 'main');
    await repository.write('a.txt', 'ours\n');
    await repository.commit();
    await repository.git('merge', '-q', 'other').catch(() => {});
    await turn('t1', () => repository.write('a.txt', 'solved\n'));
    expect((await session.work.listChanges({ since: 'lastTurn' })).total).toBe(1);
    const dir = join(repository.root, 'state/work/s1');
    await writeFile(join(dir, 'index'), 'damaged');
    await writeFile(join(dir, 'index.lock'), '');
    const again = workOf(repository);
    expect((await again.work.listChanges({ since: 'lastTurn' })).total).toBe(1);
  });

  it('are made of a folder without git, within limits', async () => {
    const folder = join(repository.root, 'plain');
    await mkdir(join(folder, 'node_modules/x'), { recursive: true });
    await writeFile(join(folder, 'a.txt'), 'one\n');
    await writeFile(join(folder, 'node_modules/x/index.js'), '1');
    session = workOf(repository, { folder, sessionId: 'plain', ownFiles: 10 });
    await turn('t1', async () => {
      await writeFile(join(folder, 'a.txt'), 'two\n');
      await writeFile(join(folder, 'b.txt'), 'b\n');
    });
    const changes = await session.work.listChanges({ since: 'session' });
    expect(changes).toMatchObject({ source: 'snapshots', total: 2 });
    expect((await session.work.listChanges({ since: 'base' })).files).toEqual(changes.files);
    await session.restore({ toTurnId: 't1' });
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one\n');
    expect((await readdir(folder)).sort()).toEqual(['a.txt', 'node_modules']);
    const withoutOwn = workOf(repository, { folder, sessionId: 'git-only', mode: 'git' });
    await expect(withoutOwn.work.listChanges({ since: 'session' })).rejects.toMatchObject({ problem: 'noRepository' });
    for (let index = 0; index < 20; index++) await writeFile(join(folder, `${index}.txt`), 'x');
    await expect(session.work.listChanges({ since: 'session' })).rejects.toMatchObject({ problem: 'refused' });
  });
});

describe('odd repositories', () => {
  it('have submodules, nested repositories and worktrees', async () => {
    const nested = join(repository.folder, 'nested');
    await mkdir(nested);
    await repository.gitIn(nested, 'init', '-q');
    await turn('t1', async () => {
      await writeFile(join(nested, 'x.txt'), 'x');
      await repository.write('a.txt', 'changed\n');
    });
    expect((await session.work.listChanges({ since: 'session' })).files.map(({ path }) => path)).toEqual(['a.txt']);
    await repository.gitIn(nested, 'add', '-A');
    await repository.gitIn(nested, 'commit', '-q', '-m', 'x');
    await repository.commit();
    await turn('t2', async () => {
      await writeFile(join(nested, 'x.txt'), 'y');
      await repository.gitIn(nested, 'commit', '-qam', 'y');
    });
    expect((await session.work.listChanges({ since: 'lastTurn' })).files).toEqual([
      { path: 'nested', status: 'M', additions: 1, deletions: 1, kind: 'submodule', id: expect.any(String) },
    ]);
    expect(await session.restore({ toTurnId: 't2' })).toMatchObject({ count: 0, skipped: { paths: ['nested'] } });
    const tree = join(repository.folder, 'tree');
    await repository.git('worktree', 'add', '-q', tree, '-b', 'in-tree');
    const inTree = workOf(repository, { folder: tree, sessionId: 'tree' });
    await turn('w1', () => writeFile(join(tree, 'a.txt'), 'in the worktree\n'), inTree);
    expect((await inTree.work.listChanges({ since: 'lastTurn' })).total).toBe(1);
    await inTree.restore({ toTurnId: 'w1' });
    expect(await text('tree/a.txt')).toBe('changed\n');
  });

  it('have no commit yet, or are bare', async () => {
    const folder = join(repository.root, 'fresh');
    await mkdir(folder);
    await repository.gitIn(folder, 'init', '-q', '-b', 'main');
    await writeFile(join(folder, 'a.txt'), 'a\n');
    const fresh = workOf(repository, { folder, sessionId: 'fresh' });
    await turn('t1', () => writeFile(join(folder, 'b.txt'), 'b\n'), fresh);
    expect((await fresh.work.listChanges({ since: 'session' })).files.map(({ path }) => path)).toEqual(['b.txt']);
    expect((await fresh.work.listChanges({ since: 'base' })).files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
    const bare = join(repository.root, 'bare');
    await repository.gitIn(repository.root, 'init', '-q', '--bare', bare);
    const inBare = workOf(repository, { folder: bare, sessionId: 'bare', mode: 'git' });
    await expect(inBare.work.listChanges({ since: 'base' })).rejects.toMatchObject({ problem: 'noRepository' });
  });

  it('have a sparse checkout, and names in any form', async () => {
    await repository.write('far/away.txt', 'far\n');
    await repository.commit();
    await repository.git('sparse-checkout', 'set', 'sub');
    const names = ['ü.txt', 'a\nb', ':(top)x', ' space', '-dash', 'UPPER', 'upper'];
    await turn('t1', async () => {
      await repository.write('sub/b.txt', 'sparse\n');
      for (const name of names) await repository.write(name, 'x');
    });
    const { files } = await session.work.listChanges({ since: 'session' });
    expect(files.map(({ path }) => path).sort()).toEqual([...names, 'sub/b.txt'].sort());
    await session.restore({ toTurnId: 't1', paths: ['a\nb', ':(top)x', '-dash'] });
    expect((await session.work.listChanges({ since: 'session' })).total).toBe(5);
    expect(await readdir(repository.folder)).not.toContain('far');
  });
});
