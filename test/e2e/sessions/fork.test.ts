import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { parseSessionUri } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { MemorySessionFs } from '../../../packages/host/src/storage/fs/memorySessionFs.js';
import { memoryHandler } from '../../support/storage/memoryProvider.js';
import { startTestHost, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

describe('a fork', () => {
  let host: TestHost;
  let client: HostClient;

  beforeEach(async () => {
    host = await startTestHost();
    client = await host.connect();
  });
  afterEach(() => host.dispose());

  const folderOf = (uri: string) => join(host.stateDir, 'session-state', parseSessionUri(uri)?.sessionId ?? '');

  async function sessionWithTurns(count: number): Promise<SessionHandle> {
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    await runTurns(session, count);
    return session;
  }

  async function runTurns(session: SessionHandle, count: number): Promise<void> {
    const before = session.confirmed.value.turns.length;
    for (let n = 1; n <= count; n++) {
      await session.send(`message ${before + n}`, `t${before + n}`);
      await until(session.confirmed, ({ turns }) => turns.length === before + n);
    }
  }

  const texts = (session: SessionHandle) => session.confirmed.value.turns.map(({ userMessage }) => userMessage.text);

  it('has all ended turns of its source, names it, and continues separately', async () => {
    const source = await sessionWithTurns(2);
    const added = new Promise((resolve) =>
      client.onNotification((event) => event.type === 'notify/sessionAdded' && resolve(event)),
    );
    const fork = await client.forkSession({ source: source.uri });
    expect(fork.confirmed.value.turns).toEqual(source.confirmed.value.turns);
    expect(fork.confirmed.value).toMatchObject({
      lifecycle: 'ready',
      summary: { title: 'message 1 (fork)', metadata: { forkedFrom: source.uri, forkedAtTurn: 't2' } },
    });
    expect(await added).toMatchObject({ summary: { resource: fork.uri } });
    await runTurns(fork, 1);
    expect([texts(source).length, texts(fork)]).toEqual([2, ['message 1', 'message 2', 'message 3']]);
    const listed = await client.listSessions();
    expect(listed.items.map(({ resource }) => resource).sort()).toEqual([source.uri, fork.uri].sort());
  });

  it('can end at a turn', async () => {
    const source = await sessionWithTurns(3);
    const fork = await client.forkSession({ source: source.uri, toTurnId: 't2' });
    expect(texts(fork)).toEqual(['message 1', 'message 2']);
    await expect(client.forkSession({ source: source.uri, toTurnId: 'no such turn' })).rejects.toMatchObject({
      code: -32008,
    });
    expect((await client.listSessions()).total).toBe(2);
    expect(await readdir(join(host.stateDir, 'session-state'))).toHaveLength(2);
  });

  it('takes ended turns while one runs, but neither that turn nor the queue', async () => {
    const source = await sessionWithTurns(1);
    await source.send('slow', 'running');
    await source.queue('for later');
    const fork = await client.forkSession({ source: source.uri });
    expect(texts(fork)).toEqual(['message 1']);
    expect(fork.confirmed.value.activeTurn).toBeUndefined();
    expect(fork.confirmed.value.queuedMessages).toBeUndefined();
    expect(source.confirmed.value.activeTurn?.id).toBe('running');
    await source.cancel();
  });

  it('keeps turns that came from the queue', async () => {
    const source = await sessionWithTurns(1);
    await source.queue('from the queue');
    await until(source.confirmed, ({ turns }) => turns.length === 2);
    const fork = await client.forkSession({ source: source.uri });
    expect(fork.confirmed.value.turns).toEqual(source.confirmed.value.turns);
  });

  it('has copies of the files, its own workspace.yaml, and only the compaction summaries of its turns', async () => {
    const source = await sessionWithTurns(1);
    const folder = folderOf(source.uri);
    await mkdir(join(folder, 'files/deep'), { recursive: true });
    await mkdir(join(folder, 'checkpoints'));
    await writeFile(join(folder, 'plan.md'), '# Plan');
    await writeFile(join(folder, 'files/deep/bytes.bin'), Buffer.from([0, 255, 1]));
    await writeFile(join(folder, 'checkpoints/index.md'), 'index');
    await writeFile(join(folder, 'checkpoints/001-first.md'), 'one');
    const whole = await client.forkSession({ source: source.uri });
    const cut = await client.forkSession({ source: source.uri, toTurnId: 't1' });
    const copy = folderOf(whole.uri);
    expect(await readFile(join(copy, 'plan.md'), 'utf8')).toBe('# Plan');
    expect(await readFile(join(copy, 'files/deep/bytes.bin'))).toEqual(Buffer.from([0, 255, 1]));
    expect((await readdir(join(copy, 'checkpoints'))).sort()).toEqual(['001-first.md', 'index.md']);
    expect(await readdir(join(folderOf(cut.uri), 'checkpoints'))).toEqual(['index.md']);
    const workspace = parse(await readFile(join(copy, 'workspace.yaml'), 'utf8')) as Record<string, unknown>;
    expect(workspace).toMatchObject({ id: parseSessionUri(whole.uri)?.sessionId, name: 'message 1 (fork)' });
    expect(workspace).not.toHaveProperty('nativeSessionId');
  });

  it('is refused when it is not possible', async () => {
    const source = await sessionWithTurns(1);
    await expect(client.forkSession({ source: 'mock:/nobody' })).rejects.toMatchObject({ code: -32001 });
    const other = await sessionWithTurns(1);
    await expect(client.forkSession({ source: source.uri, session: other.uri })).rejects.toMatchObject({
      code: -32003,
    });
    await expect(client.forkSession({ source: source.uri, session: 'shell:/x' })).rejects.toMatchObject({
      code: -32602,
    });
    const failed = await client.createSession({ provider: 'mock', config: { failCreation: 'no' } });
    await expect(failed.ready()).rejects.toThrow('no');
    await expect(client.forkSession({ source: failed.uri })).rejects.toThrow('not ready');
    expect(texts(other)).toEqual(['message 1']);
  });

  it('may reuse the id of one that a kill interrupted, without its files', async () => {
    const source = await sessionWithTurns(2);
    const session = `mock:/${crypto.randomUUID()}`;
    await mkdir(join(folderOf(session), 'files'), { recursive: true });
    await writeFile(join(folderOf(session), 'files/old.txt'), 'old');
    await writeFile(join(folderOf(session), 'events.jsonl.draft'), '{"v":1,"n":1,');
    await expect(client.openSession(session)).rejects.toThrow('no session');
    const fork = await client.forkSession({ source: source.uri, session });
    expect(texts(fork)).toEqual(['message 1', 'message 2']);
    expect((await readdir(folderOf(session))).sort()).toEqual(['events.jsonl', 'workspace.yaml']);
  });

  it('survives a restart, like its source', async () => {
    const source = await sessionWithTurns(2);
    const fork = await client.forkSession({ source: source.uri, toTurnId: 't1' });
    const { stateDir } = host;
    await host.host.close();
    const again = await startTestHost({ stateDir });
    try {
      const reader = await again.connect();
      expect(texts(await reader.openSession(fork.uri))).toEqual(['message 1']);
      expect(texts(await reader.openSession(source.uri))).toEqual(['message 1', 'message 2']);
    } finally {
      await again.dispose();
    }
  });

  it('works the same with a client that keeps the files', async () => {
    await host.dispose();
    host = await startTestHost();
    const files = new Map<string, MemorySessionFs>();
    client = await host.connect({
      sessionFs: { initialCwd: '/tmp', sessionStatePath: '/state', conventions: 'posix' },
    });
    const createSessionFsHandler = (uri: string) => {
      files.set(uri, new MemorySessionFs({ sessionStatePath: '/state' }));
      return memoryHandler(files.get(uri) ?? new MemorySessionFs());
    };
    const source = await client.createSession({ provider: 'mock', createSessionFsHandler });
    await source.ready();
    await runTurns(source, 2);
    await files.get(source.uri)?.writeFile('/state/plan.md', '# Plan');
    const fork = await client.forkSession({ source: source.uri, toTurnId: 't1', createSessionFsHandler });
    expect(texts(fork)).toEqual(['message 1']);
    expect(await files.get(fork.uri)?.readFile('/state/plan.md')).toBe('# Plan');
  });
});
