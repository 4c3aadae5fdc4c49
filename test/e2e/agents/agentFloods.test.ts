import { readFile, rm } from 'node:fs/promises';
import { connect, type HostClient, type SessionHandle } from '@agenthost/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stubEntry, stubSession, writeAgents } from '../../support/agents/stubAgent.js';
import { type HostProcess, spawnHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const PATIENCE_MS = 240_000;

describe('an agent that floods', { timeout: PATIENCE_MS }, () => {
  let stateDir: string;
  let host: HostProcess;
  let client: HostClient;

  beforeAll(async () => {
    stateDir = await temporaryFolder();
    await writeAgents(stateDir, { stub: stubEntry(stateDir) });
    host = await spawnHost(stateDir);
    client = await connect({ url: host.url, token: host.token });
  });
  afterAll(async () => {
    client.close();
    await host.kill('SIGTERM');
    await rm(stateDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });

  async function memory(field: 'VmRSS' | 'VmHWM'): Promise<number> {
    const status = await readFile(`/proc/${host.pid}/status`, 'utf8');
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  }

  const open = () => stubSession(client);

  const ended = (session: SessionHandle, turns = 1) =>
    until(session.confirmed, (state) => state.turns.length >= turns, 'the end of the turn', PATIENCE_MS);

  // 2026-11-15: what the host's process takes is read from /proc.
  it.skipIf(process.platform !== 'linux')(
    'ends its own turn with a reason, without affecting other sessions',
    async () => {
      const before = await memory('VmRSS');
      const [writing, printing, garbage, calm] = await Promise.all([open(), open(), open(), open()]);
      await Promise.all([writing.send('flood 100'), printing.send('flood-tool 100'), garbage.send('garbage')]);
      const over = Promise.all([ended(writing), ended(printing), ended(garbage)]);
      let isOver = false;
      void over.finally(() => {
        isOver = true;
      });
      let served = 0;
      for (; served < 3 || (!isOver && served < 100); served++) {
        await calm.send(`message ${served}`);
        await ended(calm, served + 1);
      }
      expect(calm.confirmed.value.turns.every(({ state }) => state === 'complete')).toBe(true);
      const [text, tool, noise] = await over;
      expect(text.turns[0]).toMatchObject({
        state: 'error',
        error: {
          errorType: 'answerTooLong',
          message: 'The agent wrote more than 8 MiB in one turn, so the turn was ended. What came before is kept.',
        },
      });
      // What a tool prints is kept outside of the state; what one turn may bring in all is the agent's own limit.
      expect(tool.turns[0]).toMatchObject({
        state: 'error',
        error: {
          errorType: 'agentFloods',
          message: expect.stringContaining('more than 64 MiB in one turn. It was ended.'),
        },
      });
      expect(noise.turns[0]).toMatchObject({ state: 'error', error: { errorType: 'agentSpeaksGarbage' } });
      const grown = (await memory('VmHWM')) - before;
      expect(grown).toBeLessThan(600);
      // All three continue with the next message, and a new client sees the kept output.
      for (const session of [writing, printing, garbage]) {
        await session.send('hello');
        expect((await ended(session, 2)).turns[1]).toMatchObject({ state: 'complete' });
      }
      const other = await connect({ url: host.url, token: host.token });
      const seen = await other.openSession(writing.uri);
      expect(seen.confirmed.value.turns.map(({ state }) => state)).toEqual(['error', 'complete']);
      other.close();
    },
  );
});
