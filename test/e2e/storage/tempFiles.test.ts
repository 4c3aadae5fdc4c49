import { existsSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { afterEach, describe, expect, it } from 'vitest';
import { MemorySessionFs } from '../../../packages/host/src/storage/fs/memorySessionFs.js';
import { type RestartableHost, startRestartableHost } from '../../support/restartableHost.js';
import { memoryHandler } from '../../support/storage/memoryProvider.js';
import { startTestHost, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

/** What an agent made for itself: the path of a file with that text. */
async function tempFileOf(session: SessionHandle, text = 'temporary'): Promise<string> {
  await session.ready();
  const count = session.confirmed.value.turns.length + 1;
  await session.send(`temp-file ${text}`);
  const { turns } = await until(session.confirmed, (state) => state.turns.length === count, 'the end of the turn');
  const part = turns.at(-1)?.responseParts[0];
  return part && 'content' in part ? part.content : '';
}

describe('temporary files of an agent', () => {
  let host: TestHost | undefined;
  afterEach(() => host?.dispose());

  async function start(options: Parameters<typeof startTestHost>[0] = {}): Promise<HostClient> {
    host = await startTestHost(options);
    return host.connect();
  }

  it('exist while the session does, and are removed with it', async () => {
    const client = await start();
    const session = await client.createSession({ provider: 'mock' });
    const other = await client.createSession({ provider: 'mock' });
    const [path, theirs] = [await tempFileOf(session), await tempFileOf(other)];
    expect([await readFile(path, 'utf8'), (await stat(path)).mode & 0o777]).toEqual(['temporary', 0o600]);
    await client.disposeSession(session.uri);
    expect([existsSync(path), existsSync(theirs)]).toEqual([false, true]);
  });

  it('are removed when the session is unloaded', async () => {
    const client = await start({ sessionIdleMs: 40 });
    const session = await client.createSession({ provider: 'mock' });
    const path = await tempFileOf(session);
    expect(existsSync(path)).toBe(true);
    session.dispose();
    await expect.poll(() => existsSync(path), { timeout: 10_000 }).toBe(false);
  });

  it.each([
    ['true', true],
    ['false', false],
  ])('are removed when the host stops, unless AGENTHOST_KEEP_TEMP_FILES is set: %s', async (value, isKept) => {
    const client = await start({ env: { ...process.env, AGENTHOST_KEEP_TEMP_FILES: value } });
    const path = await tempFileOf(await client.createSession({ provider: 'mock' }));
    await host?.dispose();
    host = undefined;
    expect(existsSync(path)).toBe(isKept);
    if (isKept) await rm(path.slice(0, path.indexOf('agenthost-') + 16), { recursive: true });
  });
});

describe('temporary files of a killed host', () => {
  let host: RestartableHost;
  afterEach(() => host.dispose());

  it('are removed when the next one starts: those of an agent, and those of a running command', async () => {
    host = await startRestartableHost();
    const client = await host.connect();
    const path = await tempFileOf(await client.createSession({ provider: 'mock' }));
    const shell = await client.createSession({ provider: 'shell' });
    await shell.ready();
    await shell.send({
      text: 'echo "$ATTACHMENT_1"; exec sleep 600',
      attachments: [{ kind: 'text', label: 'a', data: 'attached' }],
    });
    await until(shell.pendingConfirmations, (list) => list.length === 1);
    await shell.pendingConfirmations.value[0]?.approve();
    const printed = () => {
      const [call] = Object.values(shell.confirmed.value.activeTurn?.toolCalls ?? {});
      return call?.status === 'running' ? (call.output?.text ?? '').trim() : '';
    };
    await until(shell.confirmed, () => printed() !== '', 'the path');
    const attached = printed();
    expect([await readFile(path, 'utf8'), await readFile(attached, 'utf8')]).toEqual(['temporary', 'attached']);
    await host.end('SIGKILL');
    expect(existsSync(path)).toBe(true);
    await host.start();
    expect([existsSync(path), existsSync(attached)]).toEqual([false, false]);
    // Which also ends what the command left running.
    await client.connected();
    await client.disposeSession(shell.uri);
  });
});

describe('temporary files in the file system of a client', () => {
  const CONFIG = { initialCwd: '/tmp', sessionStatePath: '/state', conventions: 'posix' } as const;

  it('are removed when the session is unloaded, and those of a killed host when it is opened again', async () => {
    const files = new MemorySessionFs({ sessionStatePath: CONFIG.sessionStatePath });
    const createSessionFsHandler = () => memoryHandler(files);
    const first = await startTestHost();
    const client = await first.connect({ sessionFs: CONFIG });
    const session = await client.createSession({ provider: 'mock', createSessionFsHandler });
    const path = await tempFileOf(session);
    expect(path).toMatch(/^\/state\/temp\/[0-9a-f-]{36}\.txt$/);
    expect(await files.readFile(path)).toBe('temporary');
    await files.writeFile('/state/temp/foreign', 'x');
    client.close();
    await first.dispose();
    expect(await files.exists(path)).toBe(true);

    const second = await startTestHost({ sessionIdleMs: 40 });
    try {
      const again = await second.connect({ sessionFs: CONFIG });
      const resumed = await again.openSession(session.uri, { createSessionFsHandler });
      expect(await files.readdir('/state/temp')).toEqual(['foreign']);
      const another = await tempFileOf(resumed);
      expect(await files.exists(another)).toBe(true);
      resumed.dispose();
      await expect.poll(() => files.exists(another), { timeout: 10_000 }).toBe(false);
      expect(await files.readdir('/state/temp')).toContain('foreign');
    } finally {
      await second.dispose();
    }
  });
});
