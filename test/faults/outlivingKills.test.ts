import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { connect, type HostClient, type SessionHandle } from '@agenthost/client';
import { parseSessionUri } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { findProcesses } from '../../packages/host/src/processes/processList.js';
import { eventually } from '../support/eventually.js';
import { type HostProcess, spawnHost, temporaryFolder } from '../support/testHost.js';
import { until } from '../support/until.js';
import { amount, LONG_MS, PATIENCE_MS } from './support/amount.js';

const KILLS = amount('outliving', { smoke: 6, full: 200 });
const LANES = 4;
const LINES = 150;
/** Numbered lines, some of them in floods, for about a second and a half. */
const SCRIPT = `echo run >> "ran-$LANE"; i=0; while [ $i -lt ${LINES} ]; do echo "line $i äöü"; i=$((i+1)); [ $((i % 5)) = 0 ] && sleep 0.05; done; exit 7`;
const OUTPUT = Array.from({ length: LINES }, (_, i) => `line ${i} äöü\r\n`).join('');

interface Result {
  kills: number;
  turns: number;
  hit: number;
  interrupted: number;
}

/** A host that is killed at random moments, and clients that only come back and allow what is asked. Throws at the first harm. */
async function killHosts(kills: number): Promise<Result> {
  const stateDir = await temporaryFolder();
  const result: Result = { kills: 0, turns: 0, hit: 0, interrupted: 0 };
  let host: HostProcess | undefined;
  let client: HostClient | undefined;
  const start = async () => {
    host = await spawnHost(stateDir, ['--state-dir', stateDir, '--agents-outlive-host', '10']);
    client = await connect({ url: host.url, token: host.token });
    return client;
  };
  const uris: string[] = [];
  const log = (uri: string) => join(stateDir, 'session-state', parseSessionUri(uri)?.sessionId ?? '', 'events.jsonl');
  const opened = (at: HostClient): Promise<SessionHandle[]> => Promise.all(uris.map((uri) => at.openSession(uri)));
  /** Allows what is asked, once per question, as long as this host is there. */
  const allowing = (session: SessionHandle) => {
    const asked = new Set<string>();
    const allow = () => {
      for (const prompt of session.pendingConfirmations.value) {
        const { toolCallId } = prompt.toolCall;
        if (!asked.has(toolCallId)) void prompt.approve().catch(() => {});
        asked.add(toolCallId);
      }
    };
    allow();
    session.pendingConfirmations.subscribe(allow);
  };
  try {
    const first = await start();
    for (let lane = 0; lane < LANES; lane++) {
      const session = await first.createSession({ provider: 'shell', workingDirectory: pathToFileURL(stateDir).href });
      await session.ready();
      uris.push(session.uri);
      allowing(session);
      await session.send(`export LANE=${lane}`);
      await until(session.confirmed, ({ turns }) => turns.length === 1, 'the first turn', PATIENCE_MS);
    }
    let sessions = await opened(first);
    for (const session of sessions) allowing(session);
    while (result.kills < kills) {
      for (const session of sessions) {
        await session.send(SCRIPT);
      }
      let isOver = false;
      let wasHit = false;
      while (!isOver && result.kills < kills) {
        await delay(Math.random() * 900);
        const running = sessions.filter(({ confirmed }) => confirmed.value.activeTurn).length;
        client?.close();
        await host?.kill('SIGKILL');
        result.kills++;
        result.hit += running;
        wasHit = true;
        sessions = await opened(await start());
        for (const session of sessions) allowing(session);
        isOver = sessions.every(({ confirmed }) => !confirmed.value.activeTurn);
      }
      expect(wasHit).toBe(true);
      for (const [lane, session] of sessions.entries()) {
        const { turns } = await until(session.confirmed, ({ activeTurn }) => !activeTurn, 'the end', PATIENCE_MS);
        const turn = turns.at(-1) ?? expect.fail('no turn');
        result.turns++;
        const ran = await readFile(join(stateDir, `ran-${lane}`), 'utf8').catch(() => '');
        expect(ran.length).toBeLessThanOrEqual('run\n'.length);
        await rm(join(stateDir, `ran-${lane}`), { force: true });
        if (turn.error?.errorType === 'interrupted') {
          result.interrupted++;
          continue;
        }
        expect(turn).toMatchObject({ state: 'complete' });
        const [call] = Object.values(turn.toolCalls ?? {});
        expect(call).toMatchObject({ status: 'completed', result: { exitCode: 7 } });
        expect(await outputOf(log(session.uri), turn.id)).toBe(OUTPUT);
      }
    }
    const { pid } = JSON.parse(await readFile(join(stateDir, 'runner/runner.json'), 'utf8'));
    client?.close();
    await host?.kill('SIGTERM');
    await eventually('the end of the runner', async () => !(await findProcesses({ marker: stateDir })).includes(pid));
    return result;
  } finally {
    client?.close();
    await host?.kill('SIGTERM');
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** All that the turn's call printed according to the log. */
async function outputOf(path: string, turnId: string): Promise<string> {
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  const actions = lines.map((line) => JSON.parse(line).action);
  const updates = actions.filter((action) => action?.type === 'session/toolUpdate' && action.turnId === turnId);
  return updates.map(({ output = '' }) => output).join('');
}

describe('a host that is killed in the middle of turns of the shell agent', { timeout: LONG_MS }, () => {
  it('loses and doubles nothing of what they print, and runs no command twice', async () => {
    const { kills, turns, hit, interrupted } = await killHosts(KILLS);
    console.info(`${kills} kills, ${turns} turns, ${hit} times in one of them, ${interrupted} interrupted, 0 harmed`);
    expect(interrupted / turns).toBeLessThanOrEqual(0.01);
  });
});
