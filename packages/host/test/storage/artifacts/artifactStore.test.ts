import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArtifactStore, MAX_PLAN_BYTES } from '../../../src/storage/artifacts/artifactStore.js';
import { LocalSessionFs } from '../../../src/storage/fs/localSessionFs.js';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';

const STATE = '/session-state/memory';

async function loaded(fs = new MemorySessionFs()) {
  const workspace = new ArtifactStore(fs);
  await workspace.compactionSummaries.load();
  return { fs, ...workspace, workspace };
}

async function add(
  { compactionSummaries }: ArtifactStore,
  title: string,
  markdown = 'What happened.',
): Promise<string> {
  const checkpoint = compactionSummaries.next(title);
  await compactionSummaries.write(checkpoint, markdown);
  return checkpoint.name;
}

describe('a workspace', () => {
  it('does not exist without a session folder, and says what to do', () => {
    const fs = new MemorySessionFs({ sessionStatePath: null });
    expect(() => new ArtifactStore(fs)).toThrow(
      /no folder for its files.*create the session on storage that has a state path/,
    );
    expect(() => new ArtifactStore(fs)).toThrow(expect.objectContaining({ code: 'NO_STATE_PATH' }));
  });

  it('has a plan that is written, read and removed', async () => {
    const { workspace, fs } = await loaded();
    expect(await workspace.readPlan()).toBeUndefined();
    await workspace.writePlan('# One');
    await workspace.writePlan('# Two');
    expect([await workspace.readPlan(), await fs.readFile(`${STATE}/plan.md`)]).toEqual(['# Two', '# Two']);
    await expect(workspace.writePlan('x'.repeat(MAX_PLAN_BYTES + 1))).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(await workspace.readPlan()).toBe('# Two');
    await workspace.removePlan();
    await workspace.removePlan();
    expect(await workspace.readPlan()).toBeUndefined();
  });

  it('provides the path of a database when programs of this machine can open one', async () => {
    const root = await mkdtemp(join(tmpdir(), 'agenthost-workspace-'));
    const fs = await LocalSessionFs.open({ stateRoot: root, sessionId: 's1' });
    expect(new ArtifactStore(fs).databasePath()).toBe(join(fs.sessionStatePath, 'session.db'));
    expect(() => new ArtifactStore(new MemorySessionFs()).databasePath()).toThrow('not on this machine');
    await writeFile(join(fs.sessionStatePath, 'events.jsonl'), 'the log');
    await symlink('events.jsonl', join(fs.sessionStatePath, 'plan.md'));
    await expect(new ArtifactStore(fs).readPlan()).rejects.toMatchObject({ code: 'OUTSIDE' });
    await fs.dispose();
    await rm(root, { recursive: true });
  });
});

describe('compaction summaries', () => {
  it('are numbered, named after their title, and in the index', async () => {
    const { workspace, fs, compactionSummaries } = await loaded();
    expect(await add(workspace, 'First steps')).toBe('001-first-steps.md');
    expect(await add(workspace, 'Ça [marche]!\\ (très)\nbien', '# Own title\n\nText')).toBe(
      '002-ca-marche-tres-bien.md',
    );
    expect(await add(workspace, '漢字')).toBe('003-checkpoint.md');
    expect(await add(workspace, ' ')).toBe('004-checkpoint-4.md');
    expect(await add(workspace, 'long '.repeat(50))).toBe('005-long-long-long-long-long-long-long-long.md');
    expect(await compactionSummaries.list()).toEqual([
      { number: 1, name: '001-first-steps.md', title: 'First steps' },
      { number: 2, name: '002-ca-marche-tres-bien.md', title: 'Ça [marche]!\\ (très) bien' },
      { number: 3, name: '003-checkpoint.md', title: '漢字' },
      { number: 4, name: '004-checkpoint-4.md', title: 'Checkpoint 4' },
      { number: 5, name: '005-long-long-long-long-long-long-long-long.md', title: 'long '.repeat(50).trim() },
    ]);
    expect(await compactionSummaries.read('001-first-steps.md')).toBe('# First steps\n\nWhat happened.');
    expect(await compactionSummaries.read('002-ca-marche-tres-bien.md')).toBe('# Own title\n\nText');
    const index = await fs.readFile(`${STATE}/checkpoints/index.md`);
    expect(index.split('\n').slice(0, 4)).toEqual([
      '# Checkpoints',
      '',
      '- [First steps](001-first-steps.md)',
      '- [Ça \\[marche\\]!\\\\ (très) bien](002-ca-marche-tres-bien.md)',
    ]);
  });

  it('continue their numbers, with a repaired index', async () => {
    const { workspace, fs } = await loaded();
    await add(workspace, 'One');
    await add(workspace, 'Two');
    await fs.rm(`${STATE}/checkpoints/index.md`);
    const again = await loaded(fs);
    expect((await again.compactionSummaries.list()).map(({ title }) => title)).toEqual(['one', 'two']);
    expect(await add(again.workspace, 'Three')).toBe('003-three.md');
    expect((await again.compactionSummaries.list()).map(({ title }) => title)).toEqual(['One', 'Two', 'Three']);
  });

  it.each([
    ['/elsewhere/checkpoints/002-two.md', ['001-one.md', '002-two.md']],
    ['C:\\state\\checkpoints\\001-one.md', ['001-one.md']],
    [undefined, []],
  ])('after %s can be removed, from the index too', async (last, left) => {
    const { workspace, fs, compactionSummaries } = await loaded();
    for (const title of ['One', 'Two', 'Three']) await add(workspace, title);
    await compactionSummaries.removeAfter(last);
    expect((await compactionSummaries.list()).map(({ name }) => name)).toEqual(left);
    const index = await fs.readFile(`${STATE}/checkpoints/index.md`);
    expect([...index.matchAll(/\((.*)\)/g)].map(([, name]) => name)).toEqual(left);
    expect(await add(workspace, 'Next')).toBe(`00${left.length + 1}-next.md`);
  });

  it('are at most 999', async () => {
    const { workspace, fs } = await loaded();
    await fs.mkdir(`${STATE}/checkpoints`);
    await fs.writeFile(`${STATE}/checkpoints/998-last-but-one.md`, '');
    await workspace.compactionSummaries.load();
    expect(await add(workspace, 'Last')).toBe('999-last.md');
    expect(() => workspace.compactionSummaries.next('Too many')).toThrow(expect.objectContaining({ code: 'TOO_MANY' }));
  });
});
