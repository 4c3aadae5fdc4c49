import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../test/support/cleanups.js';
import { postgresOfFile } from '../../../test/support/storage/postgresOfFile.js';
import { runCli } from '../../../test/support/testHost.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

describe.each(['folder', 'database'])('tokens of spaces in a %s', (kind) => {
  const place = async () =>
    kind === 'folder' ? ['--state-dir', await cleanups.folder()] : ['--database', await postgres.server.newDatabase()];

  it('are added, listed, rotated and removed with their space', async () => {
    const where = await place();
    const run = (...args: string[]) => runCli(['token', ...args, ...where]);
    const added = await run('add', '--name', 'Ben', '--role', 'driver', '--space', 'design');
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toContain('The token of Ben, as driver in the space design; it is not shown again.');
    await run('add', '--name', 'Ann', '--role', 'viewer');
    await run('add', '--name', 'Eve', '--role', 'viewer', '--space', 'default');
    const rows = async () => {
      const { stdout } = await run('ls', '--json');
      return stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { name: string; space: string });
    };
    const expected = [
      { name: "the host's own", space: 'default' },
      { name: 'Ann', space: 'default' },
      { name: 'Ben', space: 'design' },
      { name: 'Eve', space: 'default' },
    ];
    expect((await rows()).toSorted((a, b) => (a.name < b.name ? -1 : 1))).toMatchObject(
      expected.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    );
    const { stdout } = await run('ls');
    expect(stdout.split('\n').filter((line) => line.includes('space '))).toEqual([
      expect.stringMatching(/^Ben +driver {4}never used {2}space design$/),
    ]);
    await run('rotate', 'Ben');
    expect(await rows()).toContainEqual(expect.objectContaining({ name: 'Ben', space: 'design' }));
    expect(await run('rm', 'Ben')).toMatchObject({ code: 0 });
    expect((await rows()).map(({ name }) => name)).not.toContain('Ben');
  });

  it.each(['Design', 'a b', '-a', 'a-', '', 'x'.repeat(33), 'ü', '../x', 'a/b'])(
    'are refused for %j, which is no name of a space',
    async (space) => {
      const where = await place();
      const refused = await runCli(['token', 'add', '--name', 'Ben', '--role', 'viewer', `--space=${space}`, ...where]);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain(`${JSON.stringify(space)} can't be the name of a space.`);
    },
  );
});

it('[SPACE4] tokens outside of default are in a file that hosts without spaces do not read', async () => {
  const stateDir = await cleanups.folder();
  const add = (name: string, ...more: string[]) =>
    runCli(['token', 'add', '--name', name, '--role', 'viewer', '--state-dir', stateDir, ...more]);
  await add('Ann');
  await add('Ben', '--space', 'design');
  const names = async (file: string) =>
    (JSON.parse(await readFile(join(stateDir, file), 'utf8')) as { tokens: { name: string }[] }).tokens.map(
      ({ name }) => name,
    );
  expect([await names('tokens.json'), await names('space-tokens.json')]).toEqual([['Ann'], ['Ben']]);
});
