import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Migration } from '../../../src/storage/stateRoot/migrations.js';
import { MAX_BACKUPS, makeBackup } from '../../../src/storage/stateRoot/stateBackup.js';
import { StateRoot } from '../../../src/storage/stateRoot/stateRoot.js';
import { startProcess } from '../sourceProcess.js';
import { shoutingStep } from './shoutingStep.js';

const NOTES = { 'a.txt': 'one', 'b.txt': 'two', 'c.txt': 'three' };
const SHOUTED = { 'a.txt': 'ONE!', 'b.txt': 'TWO!', 'c.txt': 'THREE!' };

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-migrations-'));
  path = join(folder, 'state');
  await (await StateRoot.open({ path, env: {} })).dispose();
  await mkdir(join(path, 'notes'));
  for (const [name, text] of Object.entries(NOTES)) await writeFile(join(path, 'notes', name), text);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function open(migrations: readonly Migration[], told: string[] = []): Promise<void> {
  await (await StateRoot.open({ path, env: {}, migrations, warn: (message) => told.push(message) })).dispose();
}
async function notes(of = join(path, 'notes')): Promise<Record<string, string>> {
  const names = (await readdir(of)).filter((name) => name.endsWith('.txt'));
  return Object.fromEntries(
    await Promise.all(names.map(async (n) => [n, await readFile(join(of, n), 'utf8')] as const)),
  );
}
const version = async (of = path) => Number(await readFile(join(of, 'version'), 'utf8'));
const backups = async () => (await readdir(join(path, 'backups'))).sort();

describe('a state root of an older version', { timeout: 120_000 }, () => {
  it('is migrated step by step to the newest one, with a copy that is reported', async () => {
    const told: string[] = [];
    const second: Migration = {
      what: 'a second step',
      entries: ['more'],
      run: async (root) => writeFile(join(root, 'more'), await readFile(join(root, 'shouted'))),
    };
    await open([shoutingStep(), second], told);
    expect([await version(), await notes(), await readFile(join(path, 'more'), 'utf8')]).toEqual([3, SHOUTED, 'yes']);
    const [first = '', next = ''] = (await backups()).map((name) => join(path, 'backups', name));
    expect(told).toEqual([
      `${path} is brought from version 1 to 2: notes shout`,
      `${path} is brought from version 2 to 3: a second step`,
      `what it was before is kept in ${first}`,
      `what it was before is kept in ${next}`,
    ]);
    expect([await version(first), await notes(join(first, 'notes')), await readdir(first)]).toEqual([
      1,
      NOTES,
      ['notes', 'version'],
    ]);
    expect([await version(next), await readdir(next)]).toEqual([2, ['version']]);
    expect(((await stat(first)).mode & 0o777).toString(8)).toBe('700');
    told.length = 0;
    await open([shoutingStep(), second], told);
    expect(told).toEqual([]);
  });

  it('keeps its version when a step fails, says why and where the copy is, and can continue later', async () => {
    const broken: Migration = { ...shoutingStep(), run: () => Promise.reject(new Error('the disk is on fire')) };
    await expect(open([broken])).rejects.toMatchObject({
      name: 'StateRootFailure',
      code: 'NOT_MIGRATED',
      message: `The state folder ${path} can't be used: it could not be brought from version 1 to 2 (notes shout): the disk is on fire; as it was it is in ${path}/backups/version-1.unfinished. Choose another with --state-dir or $AGENTHOST_HOME.`,
    });
    expect([await version(), await notes(), (await readdir(path)).sort()]).toEqual([
      1,
      NOTES,
      ['backups', 'host.lock.kernel', 'notes', 'session-state', 'version'],
    ]);
    await open([shoutingStep()]);
    expect([await version(), await notes()]).toEqual([2, SHOUTED]);
  });

  it.each([0, 1, 2, 3])('survives a kill in the middle of a step, after %i of its changes', async (changes) => {
    const host = startProcess(new URL('./migratingProcess.ts', import.meta.url), [path]);
    const said = [];
    for (let n = 0; n < changes; n++) {
      said.push(await host.nextLine());
      host.child.stdin.write('\n');
    }
    said.push(await host.nextLine());
    expect(said).toEqual(['a.txt', 'b.txt', 'c.txt', 'shouted'].slice(0, changes + 1));
    await host.end('SIGKILL');
    expect([await version(), await backups()]).toEqual([1, ['version-1.unfinished']]);
    const told: string[] = [];
    await open([shoutingStep()], told);
    expect([await version(), await notes(), await readFile(join(path, 'shouted'), 'utf8')]).toEqual([
      2,
      SHOUTED,
      'yes',
    ]);
    const [kept = ''] = await backups();
    expect([await backups(), await notes(join(path, 'backups', kept, 'notes'))]).toEqual([[kept], NOTES]);
    expect(told.at(-1)).toContain(kept);
  });

  it('survives a kill while the copy is made, and one before it has its final name', async () => {
    await mkdir(join(path, 'backups/version-1.tmp/notes'), { recursive: true });
    await writeFile(join(path, 'backups/version-1.tmp/notes/a.txt'), 'on');
    await open([shoutingStep()]);
    const [kept = ''] = await backups();
    expect(await notes(join(path, 'backups', kept, 'notes'))).toEqual(NOTES);
    await mkdir(join(path, 'backups/version-1.unfinished'));
    await open([shoutingStep()]);
    expect(await backups()).toEqual([kept, expect.stringMatching(/Z-version-1$/)]);
  });

  it('keeps only the newest copies', async () => {
    const steps = Array.from(
      { length: MAX_BACKUPS + 2 },
      (_, n): Migration => ({
        what: `step ${n}`,
        entries: [],
        run: async () => {},
      }),
    );
    for (let n = 1; n <= steps.length; n++) await open(steps.slice(0, n));
    expect((await backups()).map((name) => name.replace(/.*Z-/, ''))).toEqual(['version-3', 'version-4', 'version-5']);
  });

  it('is left unchanged when there is no room for a copy', async () => {
    await expect(makeBackup(path, 'version-1', ['notes'], async () => 1024)).rejects.toThrow(
      'a copy of 1 MiB has to be made before, and 1 MiB are free: make room',
    );
    expect(await readdir(path)).not.toContain('backups');
  });
});
