import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type HostClient, type SessionFsHandler, type SessionHandle } from '@agenthost/client';
import type { ToolCallState, ToolOutput } from '@agenthost/protocol';
import { viewToolOutput } from '@agenthost/protocol/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemorySessionFs } from '../../../packages/host/src/storage/fs/memorySessionFs.js';
import { hostMemory } from '../../support/hostMemory.js';
import { memoryHandler } from '../../support/storage/memoryProvider.js';
import { type HostProcess, spawnHost, startTestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const MIB = 1024 * 1024;
const PATIENCE_MS = 240_000;
const outputOf = (call: ToolCallState | undefined): ToolOutput | undefined =>
  call && call.status !== 'pendingConfirmation' ? call.output : undefined;

const liveOutput = ({ confirmed }: SessionHandle) =>
  outputOf(Object.values(confirmed.value.activeTurn?.toolCalls ?? {})[0]);

/** How much of it the host has told. */
function toldLength(output: ToolOutput | undefined): number {
  if (!output) return 0;
  const { head, tail, omitted } = viewToolOutput(output);
  return head.length + tail.length + omitted;
}

async function start(client: HostClient, provider: string, prompt: string, handler?: SessionFsHandler) {
  const session = await client.createSession({
    provider,
    ...(handler && { createSessionFsHandler: () => handler }),
  });
  await session.ready();
  await session.send(prompt);
  if (provider === 'shell') {
    await until(session.pendingConfirmations, (list) => list.length === 1);
    await session.pendingConfirmations.value[0]?.approve();
  }
  await until(session.confirmed, () => liveOutput(session)?.ref !== undefined, 'the reference', PATIENCE_MS);
  return session;
}

/** Its size, after checking every byte: in pieces, because this test should not hold it either. */
async function checkedSize(client: HostClient, uri: string, isRight: (byte: number, at: number) => boolean) {
  for (let offset = 0; ; ) {
    const { bytes, size } = await client.fetchContent(uri, { range: { offset, length: 8 * MIB } });
    const wrong = bytes.findIndex((byte, at) => !isRight(byte, offset + at));
    if (wrong >= 0) throw new Error(`byte ${offset + wrong} is ${bytes[wrong]}`);
    offset += bytes.length;
    if (offset >= size || bytes.length === 0) return offset;
  }
}

/** What the mock agent prints, again and again. */
const MOCK_LINE = Buffer.from(`${'0123456789abcdef'.repeat(4).slice(1)}\n`);
const isMockByte = (byte: number, at: number) => byte === MOCK_LINE[at % MOCK_LINE.length];
const isX = (byte: number) => byte === 'x'.charCodeAt(0);

describe('a tool that floods', { timeout: PATIENCE_MS }, () => {
  const BYTES = 100_000_000;
  let stateDir: string;
  let host: HostProcess;
  let client: HostClient;

  beforeAll(async () => {
    stateDir = await temporaryFolder();
    host = await spawnHost(stateDir);
    client = await connect({ url: host.url, token: host.token });
  });
  afterAll(async () => {
    client.close();
    await host.kill('SIGKILL');
    await rm(stateDir, { recursive: true, force: true });
  });

  // 2026-11-15: what the host's process takes is read from /proc.
  it.skipIf(process.platform !== 'linux')(
    'is kept completely, in bounded memory, while others are served',
    async () => {
      const before = await hostMemory(host.pid, 'VmRSS');
      const [mock, shell] = await Promise.all([
        start(client, 'mock', `big-output ${BYTES}`),
        start(client, 'shell', `head -c ${BYTES} /dev/zero | tr '\\0' x`),
      ]);
      const other = await connect({ url: host.url, token: host.token });
      const theirs = await other.createSession({ provider: 'mock' });
      await theirs.ready();
      let served = 0;
      for (; liveOutput(mock) && liveOutput(shell) && served < 100; served++) {
        await theirs.send('hello');
        await until(theirs.confirmed, ({ turns }) => turns.length > served, 'their turn', 20_000);
      }
      expect(served).toBeGreaterThan(10);
      other.close();
      for (const [session, isRight] of [
        [mock, isMockByte],
        [shell, isX],
      ] as const) {
        const { turns } = await until(session.confirmed, (state) => state.turns.length === 1, 'the end', PATIENCE_MS);
        const output = outputOf(turns[0]?.toolCalls[0]);
        expect([turns[0]?.state, toldLength(output), output?.ref?.sizeHint]).toEqual(['complete', BYTES, BYTES]);
        expect(await checkedSize(client, output?.ref?.uri ?? '', isRight)).toBe(BYTES);
      }
      // Most of it is garbage that was not collected yet.
      expect((await hostMemory(host.pid, 'VmHWM')) - before).toBeLessThan(600);
    },
  );

  it.each(['mock', 'shell'])('can be cancelled midway, with its output until then: %s', async (provider) => {
    const session = await start(client, provider, provider === 'mock' ? 'big-output 99999999' : 'yes | tr "\\ny" xx');
    await until(session.confirmed, () => toldLength(liveOutput(session)) > 4 * MIB, 'some of it', PATIENCE_MS);
    const live = liveOutput(session)?.ref?.uri ?? '';
    const piece = await client.fetchContent(live, { range: { offset: MIB, length: 100 } });
    expect(piece.bytes.length).toBe(100);
    await session.cancel();
    const { turns } = await until(session.confirmed, (state) => state.turns.length === 1, 'the end', PATIENCE_MS);
    const output = outputOf(turns[0]?.toolCalls[0]);
    expect(turns[0]?.state).toBe('cancelled');
    expect(await checkedSize(client, live, provider === 'mock' ? isMockByte : isX)).toBe(toldLength(output));
  });
});

describe('a tool that floods a slow store', { timeout: PATIENCE_MS }, () => {
  const BYTES = 16_000_000;
  const CONFIG = { initialCwd: '/tmp', sessionStatePath: '/state', conventions: 'posix' } as const;

  it.each([
    ['mock', `big-output ${BYTES}`, isMockByte],
    ['shell', `head -c ${BYTES} /dev/zero | tr '\\0' x`, isX],
  ] as const)('waits for it: memory stays bounded, and all of it arrives: %s', async (provider, prompt, isRight) => {
    const host = await startTestHost();
    try {
      const client = await host.connect({ sessionFs: CONFIG });
      const files = memoryHandler(new MemorySessionFs({ sessionStatePath: CONFIG.sessionStatePath }));
      let stored = 0;
      const waiting: (() => void)[] = [];
      let isSlow = true;
      const slow: SessionFsHandler = {
        ...files,
        appendFile: async (path, content, options) => {
          // Stuck from here on, until it is let go.
          if (isSlow && stored > MIB) await new Promise<void>((resolve) => waiting.push(resolve));
          await files.appendFile(path, content, options);
          if (path.includes('/files/')) stored += content.length;
        },
      };
      const session = await start(client, provider, prompt, slow);
      const told = () => toldLength(liveOutput(session));
      await until(session.confirmed, () => told() > 2 * MIB, 'as much as may wait', PATIENCE_MS);
      // That nothing comes can't be awaited.
      for (let before = -1; before !== told(); await delay(300)) {
        before = told();
        await client.ping();
      }
      expect(told()).toBeLessThan(10 * MIB);
      const other = await client.createSession({ provider: 'mock', createSessionFsHandler: () => memoryHandlerOf() });
      await other.ready();
      isSlow = false;
      for (const go of waiting.splice(0)) go();
      const { turns } = await until(session.confirmed, (state) => state.turns.length === 1, 'the end', PATIENCE_MS);
      const uri = outputOf(turns[0]?.toolCalls[0])?.ref?.uri ?? '';
      expect(await checkedSize(client, uri, isRight)).toBe(BYTES);
    } finally {
      await host.dispose();
    }
  });
});

function memoryHandlerOf(): SessionFsHandler {
  return memoryHandler(new MemorySessionFs({ sessionStatePath: '/state' }));
}
