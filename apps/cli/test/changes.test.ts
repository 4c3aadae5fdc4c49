import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli, startTestHost, type TestHost } from '../../../test/support/testHost.js';
import { until } from '../../../test/support/until.js';

const exec = promisify(execFile);

describe('agenthost changes, diff and restore', () => {
  let host: TestHost;
  let folder: string;
  let session: string;
  beforeAll(async () => {
    host = await startTestHost({ snapshots: 'git' });
    folder = join(host.stateDir, 'project');
    await mkdir(folder);
    await writeFile(join(folder, 'a.txt'), 'one\n');
    const env = { PATH: process.env['PATH'] ?? '', HOME: host.stateDir };
    const git = (...args: string[]) =>
      exec('git', ['-c', 'user.name=a', '-c', 'user.email=b@c', ...args], { cwd: folder, env });
    await git('init', '-q', '-b', 'main');
    await git('add', '-A');
    await git('commit', '-q', '-m', 'begin');
    const client = await host.connect();
    const made = await client.createSession({ provider: 'shell', workingDirectory: pathToFileURL(folder).href });
    await made.ready();
    session = made.uri;
    const changed = Promise.withResolvers<void>();
    client.onNotification((event) => {
      if (event.type === 'notify/workChanged') changed.resolve();
    });
    await made.send('echo two > a.txt; echo "$(printf "\\033[31mred")" > new.txt');
    const [prompt] = await until(made.pendingConfirmations, ({ length }) => length === 1, 'the question');
    await prompt?.approve();
    await changed.promise;
  });
  afterAll(() => host.dispose());

  const run = (...words: readonly string[]) => runCli(words, { AGENTHOST_HOME: host.stateDir });

  it('list, print and bring back files', async () => {
    const listed = await run('changes', 'last');
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toBe('M a.txt  +1 -1\nA new.txt  +1 -0\n2 files in this session, +2 -1\n');
    const { stdout } = await run('changes', session, '--since', 'last-turn', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ session, since: 'lastTurn', total: 2, branch: 'main' });

    const diff = await run('diff', 'last');
    expect(diff.stdout).toContain('M a.txt  +1 -1\n@@ -1,1 +1,1 @@\n-one\n+two\nA new.txt');
    expect(diff.stdout).not.toContain('\u001b');
    const one = JSON.parse((await run('diff', 'last', 'a.txt', '--json')).stdout) as object;
    expect(one).toMatchObject({ kind: 'text', file: { path: 'a.txt' }, hunks: [{ lines: ['-one', '+two'] }] });
    expect(await run('diff', 'last', 'none.txt')).toMatchObject({ code: 6, stdout: '' });

    const restored = await run('restore', 'last', '--to', '1', 'a.txt');
    expect(restored.stdout).toContain('Restored 1 file:\n  a.txt\nTake it back with --undo ');
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one\n');
    const undone = JSON.parse((await run('restore', 'last', '--undo', 'last', '--json')).stdout) as object;
    expect(undone).toMatchObject({ session, count: 1, paths: ['a.txt'] });
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('two\n');
    expect((await run('restore', 'last', '--to', 'last')).stdout).toContain('Restored 2 files:\n  a.txt\n  new.txt\n');
  });

  it('say what is wrong', async () => {
    expect(await run('changes', 'last', '--since', 'ever')).toMatchObject({ code: 2 });
    expect(await run('restore', 'last')).toMatchObject({ code: 2 });
    expect(await run('restore', 'last', '--to', '99')).toMatchObject({ code: 6 });
    const unknown = await run('restore', 'last', '--undo', 'unknown');
    expect([unknown.code, unknown.stderr]).toEqual([6, expect.stringContaining('There is no snapshot of that time')]);
    expect(await run('restore', 'last', '--to', '1', '../x')).toMatchObject({ code: 1 });
  });
});
