import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { call, overHttp } from './support.js';

const LINES = 3_000;
let folder: string;
let host: TestHost;
let client: Client;
beforeAll(async () => {
  folder = await temporaryFolder();
  const repository = join(folder, 'project');
  await mkdir(repository);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: repository });
  git('init', '-q', '-b', 'main');
  await writeFile(join(repository, 'kept.txt'), 'as it was\n');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  host = await startTestHost();
  client = await overHttp(host);
});
afterAll(async () => {
  await client.close();
  await host.dispose();
  await rm(folder, { recursive: true, force: true });
});

it('tells which files changed, and every line of a long change once, in short pages', async () => {
  const { session } = await call(client, 'create_session', { agent: 'mock', folder: join(folder, 'project') });
  await call(client, 'wait_for_turn', { session });
  const long = Array.from({ length: LINES }, (_, n) => `line ${n} ${'x'.repeat(n % 60)}`);
  await writeFile(join(folder, 'project/long.txt'), `${long.join('\n')}\n`);
  await writeFile(join(folder, 'project/kept.txt'), 'as it is\n');
  const listed = await call(client, 'read_changes', { session, since: 'base' });
  expect(listed).toMatchObject({
    total: 2,
    files: [
      { path: 'kept.txt', status: 'M' },
      { path: 'long.txt', status: 'A' },
    ],
  });
  const short = await call(client, 'read_changes', { session, since: 'base', path: 'kept.txt' });
  expect(short.diff).toContain('-as it was\n+as it is');
  const lines: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await call(client, 'read_changes', {
      session,
      since: 'base',
      path: 'long.txt',
      ...(cursor && { cursor }),
    });
    expect(page.diff.length).toBeLessThanOrEqual(24_000);
    lines.push(...page.diff.split('\n').filter((line: string) => line.startsWith('+')));
    cursor = page.cursor;
    pages++;
  } while (cursor !== undefined);
  expect(pages).toBeGreaterThan(3);
  expect(lines).toEqual(long.map((line) => `+${line}`));
  for (const wrong of ['x', '1.2.3.4', `${'a'.repeat(40)}.${'b'.repeat(40)}.0.0`])
    expect(await call(client, 'read_changes', { session, path: 'long.txt', cursor: wrong })).toHaveProperty('whatToDo');
  for (const path of ['../outside', '/etc/passwd', '.git/config'])
    expect(await call(client, 'read_changes', { session, since: 'base', path })).toHaveProperty('error');
});
