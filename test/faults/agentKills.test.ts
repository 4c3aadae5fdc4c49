import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionHandle } from '@agenthost/client';
import { AcpAgents, MockAgent } from '@agenthost/host';
import type { Turn } from '@agenthost/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AcpProcess } from '../../packages/host/src/agents/acp/acpProcess.js';
import { startTestHost, temporaryFolder } from '../support/testHost.js';
import { until } from '../support/until.js';
import { amount, isWhole, LONG_MS, PATIENCE_MS } from './support/amount.js';

const STUB = join(import.meta.dirname, '../support/agents/stubAcpAgent.ts');
const KILLS = amount('agents', { smoke: 6, full: 100 });
const LANES = 4;

/** Kills real agent processes in the middle of their turns, while others have turns of their own. Throws at the first harm. */
async function killAgents(kills: number, patienceMs: number) {
  const stateDir = await temporaryFolder();
  const stub = {
    name: 'Stub',
    command: process.execPath,
    args: [STUB],
    env: { STUB_MEMORY: join(stateDir, 'stub-memory') },
  };
  await writeFile(join(stateDir, 'agents.json'), JSON.stringify({ agents: { stub } }));
  const host = await startTestHost({ stateDir, agents: [new MockAgent()], agentSources: [new AcpAgents()] });
  const make = async (provider: string): Promise<SessionHandle> => {
    const session = await (await host.connect()).createSession({ provider });
    await session.ready();
    return session;
  };
  let killed = 0;
  let isOver = false;
  const times: number[] = [];
  try {
    const other = await make('mock');
    const bystander = async () => {
      while (!isOver) {
        const began = performance.now();
        expect((await turn(other, 'hello', patienceMs)).state).toBe('complete');
        times.push(performance.now() - began);
      }
    };
    const lane = async () => {
      const session = await make('stub');
      let wasKilled = false;
      while (killed < kills && !isOver) {
        killed++;
        wasKilled = true;
        const pid = Number(text(await turn(session, 'pid', patienceMs)));
        expect(pid).toBeGreaterThan(1);
        await session.send('endless');
        await until(
          session.confirmed,
          ({ activeTurn }) => (activeTurn?.responseParts.length ?? 0) > 0,
          'words',
          patienceMs,
        );
        const others = times.length;
        process.kill(pid, 'SIGKILL');
        const ended = await endOfTurn(session, patienceMs);
        expect(ended).toMatchObject({ state: 'error', error: { errorType: 'agentEnded' } });
        expect(ended.error?.message).toContain('SIGKILL');
        // The others continue meanwhile.
        while (times.length === others && !isOver) await turnOf(other, patienceMs);
      }
      // It comes back by itself, and remembers. The others may have been quicker and left nothing to kill.
      if (wasKilled) expect(text(await turn(session, 'recall', patienceMs))).toContain('endless');
    };
    const calm: number[] = [];
    for (let n = 0; n < 20; n++) {
      const began = performance.now();
      await turn(other, 'hello', patienceMs);
      calm.push(performance.now() - began);
    }
    const beside = bystander();
    const lanes = Promise.all(Array.from({ length: Math.min(LANES, kills) }, lane));
    await Promise.race([lanes, beside]);
    isOver = true;
    await beside;
    return { killed, others: times.length, calmMs: median(calm), besideMs: median(times) };
  } finally {
    isOver = true;
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function turn(session: SessionHandle, message: string, patienceMs: number): Promise<Turn> {
  await session.send(message);
  return endOfTurn(session, patienceMs);
}

async function endOfTurn(session: SessionHandle, patienceMs: number): Promise<Turn> {
  const { turns } = await until(session.confirmed, ({ activeTurn }) => !activeTurn, 'the end of the turn', patienceMs);
  return turns.at(-1) ?? expect.fail('no turn');
}

async function turnOf({ confirmed }: SessionHandle, patienceMs: number): Promise<void> {
  const last = confirmed.value.turns.at(-1)?.id;
  await until(confirmed, ({ turns }) => turns.at(-1)?.id !== last, "another's turn", patienceMs);
}

function text({ responseParts }: Turn): string {
  return responseParts.map((part) => (part.kind === 'markdown' ? part.content : '')).join('');
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

describe('an agent that is killed in the middle of its turn', { timeout: LONG_MS }, () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('ends that turn with an error and affects no other', async () => {
    const { killed, others, calmMs, besideMs } = await killAgents(KILLS, PATIENCE_MS);
    console.info(
      `${killed} agent kills, ${killed} turns ended with an error, ${others} turns of others, 0 harmed; ` +
        `median of theirs ${besideMs.toFixed(1)} ms, ${calmMs.toFixed(1)} ms before`,
    );
    expect(killed).toBeGreaterThanOrEqual(KILLS);
    expect(others).toBeGreaterThanOrEqual(KILLS / LANES);
  });

  it.runIf(isWhole)('is missed by a host that does not check whether it runs', async () => {
    const { start } = AcpProcess;
    vi.spyOn(AcpProcess, 'start').mockImplementation(async (options) => {
      const process = await start.call(AcpProcess, options);
      Object.defineProperty(process, 'ended', { value: new Promise(() => {}) });
      process.stdout.pause();
      return process;
    });
    await expect(killAgents(1, 10_000)).rejects.toThrow();
  });
});
