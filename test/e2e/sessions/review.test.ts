import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type HostClient, SessionComments, type SessionHandle } from '@agenthost/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const run = promisify(execFile);
const COMMENT = { path: 'a.txt', side: 'new', line: 1, quote: 'one', text: 'Say two.' } as const;

describe('two people review a session', () => {
  let stateDir: string;
  let folder: string;
  let host: TestHost;
  let mira: HostClient;
  let ben: HostClient;
  let session: SessionHandle;

  beforeEach(async () => {
    stateDir = await temporaryFolder();
    folder = join(stateDir, 'project');
    await mkdir(folder);
    await writeFile(join(folder, 'a.txt'), 'one\n');
    const env = { PATH: process.env['PATH'] ?? '', HOME: stateDir, GIT_CONFIG_NOSYSTEM: '1' };
    const as = ['-c', 'user.name=Test', '-c', 'user.email=t@example.com'];
    for (const args of [
      ['init', '-q', '-b', 'main'],
      ['add', '-A'],
      ['commit', '-q', '-m', 'begin'],
    ]) {
      await run('git', [...as, ...args], { cwd: folder, env });
    }
    host = await startTestHost({ stateDir, snapshots: 'all' });
    mira = await host.connect({ clientInfo: { name: 'Mira' } });
    ben = await host.connect({ clientInfo: { name: 'Ben' } });
    session = await mira.createSession({ provider: 'mock', workingDirectory: pathToFileURL(folder).href });
    await session.ready();
  });
  afterEach(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  });

  it('[REVIEW1] sees the comments of the other, changes only its own, and sends each once', async () => {
    const other = await ben.openSession(session.uri);
    const [hers, his] = [new SessionComments(session), new SessionComments(other)];
    await hers.set({ id: 'c1', ...COMMENT });
    await until(other.state, ({ comments }) => comments?.length === 1, 'her comment');
    expect(his.all[0]?.author?.name).toBe('Mira');
    await expect(his.set({ id: 'c1', ...COMMENT, text: 'Say three.' })).rejects.toMatchObject({
      rejection: { code: 'notYourComment' },
    });
    const outcomes = await Promise.allSettled([hers.send(['c1']), his.send(['c1'])]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const sent = await until(session.state, ({ comments }) => comments?.[0]?.sent !== undefined, 'the mark');
    const turns = [...sent.turns, ...(sent.activeTurn ? [sent.activeTurn] : [])];
    const told = [...turns, ...(sent.queuedMessages ?? [])].filter(({ userMessage }) => userMessage.text !== '');
    expect(told).toHaveLength(1);
    expect(told[0]?.userMessage.text).toContain('Say two.');
  });

  it('[REVIEW2] refuses a message without the words of its comments', async () => {
    await new SessionComments(session).set({ id: 'c1', ...COMMENT });
    const message = { kind: 'queued', id: 'm1', userMessage: { text: 'old words' }, comments: ['c1'] } as const;
    await expect(session.dispatch({ type: 'session/pendingMessageSet', ...message })).rejects.toMatchObject({
      rejection: { code: 'commentChanged' },
    });
    expect(session.state.value.comments?.[0]?.sent).toBeUndefined();
  });

  it('[LOOK1,LOOK2] follows the changes while somebody looks', async () => {
    const changes = ben.work.watchChanges(session.uri);
    await until(changes.state, ({ comparisons }) => comparisons.length === 3, 'the first look');
    await writeFile(join(folder, 'b.txt'), 'new\n');
    const seen = await until(changes.state, ({ comparisons }) => comparisons[2]?.total === 1, 'the new file');
    expect(seen.comparisons[2]?.files).toMatchObject([{ path: 'b.txt', status: 'A', additions: 1, deletions: 0 }]);
    changes.dispose();
  });
});
