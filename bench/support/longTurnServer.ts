// A host with an agent that writes very many deltas in one turn and tells the CPU time of its process on the way. Between two
// deltas it reports its usage, so that none is gathered with the next: each is an envelope of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises';
import { type AgentEvent, Host } from '@agenthost/host';
import { type Script, ScriptedAgent } from '../../test/support/scriptedAgent.ts';

const BURST = 64;
/** Until nothing of what came before is under way any more. */
const QUIET_MS = 100;

const stateDir = mkdtempSync(join(tmpdir(), 'agenthost-bench-'));
const host = await Host.start({
  stateDir,
  agents: [new ScriptedAgent({ provider: 'mock', displayName: 'Mock', script: windows })],
});
const { url, token } = await host.listen();
process.on('SIGTERM', () => void end());
process.on('disconnect', () => void end());
process.send?.({ event: 'listening', url: `ws://${url.host}/ws`, token });

async function end(): Promise<void> {
  await host.close();
  rmSync(stateDir, { recursive: true, force: true });
  process.exit();
}

/** The message is `WINDOW AFTER AFTER …`: what so many deltas cost after so many others. */
async function* windows(...[{ text }]: Parameters<Script>): AsyncIterable<AgentEvent> {
  const [window = 0, ...places] = text.split(' ').map(Number);
  let written = 0;
  for (const place of places) {
    yield* deltas(place - written);
    const before = await cpuWhenQuiet();
    yield* deltas(window);
    process.send?.({ event: 'window', place, microseconds: ((await cpuWhenQuiet()) - before) / window });
    written = place + window;
  }
}

async function* deltas(count: number): AsyncIterable<AgentEvent> {
  for (let n = 0; n < count; n++) {
    yield { type: 'text', text: 'a delta of 20 bytes\n' };
    yield { type: 'usage', usage: { outputTokens: n } };
    if (n % BURST === BURST - 1) await immediate();
  }
}

async function cpuWhenQuiet(): Promise<number> {
  await delay(QUIET_MS);
  const { user, system } = process.cpuUsage();
  return user + system;
}
