import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderWatch } from '../../src/work/folderWatch.js';
import type { TestRepository } from './repository.js';
import { repositoryWithFiles, runTurn, type WorkOf, workOf } from './workOf.js';

const MIRA = { clientId: 'c1', name: 'Mira' };
const LINES = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`);

let repository: TestRepository;
let session: WorkOf;

beforeEach(async () => {
  repository = await repositoryWithFiles();
  await repository.write('long.txt', LINES.join(''));
  await repository.commit();
  session = workOf(repository);
});
afterEach(async () => {
  await session.work.close();
  await repository.remove();
});

const text = (path: string) => readFile(join(repository.folder, path), 'utf8');

async function changed() {
  await runTurn(session, 't1', async () => {
    await repository.write('long.txt', LINES.with(1, 'two\n').with(35, 'thirty-six\n').join(''));
    await repository.write('new.txt', 'new\n');
    await repository.git('mv', 'old.txt', 'renamed.txt');
  });
  const { comparisons } = await session.work.changes({ session: 'mock:/s1' });
  const [last] = comparisons;
  if (!last) throw new Error('no comparison');
  return last;
}

describe('the changes of a session', () => {
  it('[LOOK3] are all comparisons of one look', async () => {
    await changed();
    const state = await session.work.changes({ session: 'mock:/s1' });
    expect(state.comparisons.map(({ since, total }) => [since, total])).toEqual([
      ['lastTurn', 3],
      ['session', 3],
      ['base', 3],
    ]);
    expect(state).toMatchObject({ source: 'git', branch: 'main', hasSnapshots: true, session: 'mock:/s1' });
  });

  it('[LOOK3] are cut where there are many, and say so', async () => {
    await runTurn(session, 't1', async () => {
      for (let index = 0; index < 210; index++) await repository.write(`many/${index}.txt`, 'x\n');
    });
    const [last] = (await session.work.changes({ session: 'mock:/s1' })).comparisons;
    expect([last?.files.length, last?.total, last?.truncated]).toEqual([200, 210, true]);
  });

  it('[LOOK2] are told when a file changes while somebody looks', async () => {
    await new Promise<void>((resolve) => {
      let tree = 'a';
      const watch = new FolderWatch({
        look: async () => tree,
        onChanged: () => {
          watch.close();
          resolve();
        },
        shortestMs: 1,
      });
      watch.told('a');
      watch.extend();
      tree = 'b';
    });
  });
});

describe('reverting', () => {
  it('[WORK6] writes a file back, and is taken back', async () => {
    const { from, to } = await changed();
    const reverted = await session.work.revert({ path: 'long.txt', from, to }, MIRA);
    expect(reverted).toMatchObject({ count: 1, paths: ['long.txt'] });
    expect(await text('long.txt')).toBe(LINES.join(''));
    expect(await text('new.txt')).toBe('new\n');
    expect(session.said).toEqual(['Mira reverted long.txt.']);
    await session.restore({ undo: reverted.undo, paths: ['long.txt'] });
    expect(await text('long.txt')).toContain('thirty-six');
  });

  it('[WORK6] removes an added file, and names a renamed one as before', async () => {
    const { from, to } = await changed();
    await session.work.revert({ path: 'new.txt', from, to }, MIRA);
    await expect(text('new.txt')).rejects.toThrow('ENOENT');
    await session.work.revert({ path: 'renamed.txt', from, to }, MIRA);
    expect(await text('old.txt')).toContain('a line that stays');
    await expect(text('renamed.txt')).rejects.toThrow('ENOENT');
  });

  it('[WORK6] writes one hunk back, exactly as the diff has it', async () => {
    const { from, to } = await changed();
    const { hunks } = await session.work.fetchDiff({ path: 'long.txt', from, to });
    const [first, second] = hunks.map(({ lines: _, heading: __, ...range }) => range);
    if (!first || !second) throw new Error('two hunks are expected');
    const bent = { ...first, oldLines: first.oldLines - 1 };
    await expect(session.work.revert({ path: 'long.txt', from, to, hunks: [bent] }, MIRA)).rejects.toMatchObject({
      problem: 'notFound',
    });
    await session.work.revert({ path: 'long.txt', from, to, hunks: [second] }, MIRA);
    expect(await text('long.txt')).toBe(LINES.with(1, 'two\n').join(''));
    expect(session.said).toEqual(['Mira reverted 1 change in long.txt.']);
  });

  it('[WORK6] is refused when the file has changed since the diff', async () => {
    const { from, to } = await changed();
    await repository.write('long.txt', 'mine\n');
    await expect(session.work.revert({ path: 'long.txt', from, to }, MIRA)).rejects.toMatchObject({
      problem: 'changed',
    });
    expect(await text('long.txt')).toBe('mine\n');
  });

  it('[WORK6] is refused while the running turn works on the file, and for no other file', async () => {
    const { from, to } = await changed();
    session.turnId = 't2';
    session.isTurnRunning = true;
    await session.work.beforeTurn('t2');
    session.named = ['long.txt'];
    await expect(session.work.revert({ path: 'long.txt', from, to }, MIRA)).rejects.toThrow('works on this file');
    expect(await session.work.revert({ path: 'new.txt', from, to }, MIRA)).toMatchObject({ count: 1 });
    expect(session.said).toEqual([]);
    session.isTurnRunning = false;
    await session.work.afterTurn('t2');
    session.work.turnEnded();
    expect(session.said).toEqual(['Mira reverted new.txt.']);
  });

  it('[WORK6] keeps to the folder and to trees that were told', async () => {
    const { from, to } = await changed();
    const forged = '0'.repeat(40);
    for (const params of [
      { path: '../x', from, to },
      { path: '.git/config', from, to },
      { path: 'long.txt', from: forged, to },
      { path: 'a.txt', from, to },
    ]) {
      await expect(session.work.revert(params, MIRA)).rejects.toHaveProperty('problem');
    }
  });
});
