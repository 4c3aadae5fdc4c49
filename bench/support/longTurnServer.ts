// A host with an agent that reports very many of one kind of thing in one turn and tells the CPU time of its process on the way.
// Between two deltas it reports its usage, so that none is gathered with the next: each is an envelope of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises';
import { type AgentEvent, Host } from '@agenthost/host';
import { type Script, ScriptedAgent } from '../../test/support/agents/scriptedAgent.ts';

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

/** What one step of each kind is. */
const STEPS: Readonly<Record<string, (n: number) => readonly AgentEvent[]>> = {
  delta: (n) => [
    { type: 'text', text: 'a delta of 20 bytes\n' },
    { type: 'usage', usage: { outputTokens: n } },
  ],
  // What follows another kind of text begins a part of its own.
  part: (n) => [{ type: n % 2 === 0 ? 'text' : 'reasoning', text: 'a part of 19 bytes\n' }],
  notice: (n) => [{ type: 'notice', text: `Notice ${n}`, severity: 'info' }],
  'tool call': (n) => {
    const toolCallId = `call-${n}`;
    const shown = { toolName: 'step', displayName: 'Step', invocationMessage: `Step ${n}`, toolInput: `${n}` };
    return [
      { type: 'toolStart', toolCall: { toolCallId, ...shown, status: 'running', confirmed: { how: 'notNeeded' } } },
      { type: 'toolUpdate', toolCallId, output: 'output' },
      { type: 'toolComplete', toolCallId, result: { success: true, pastTenseMessage: 'Done', toolOutput: 'output' } },
    ];
  },
};

/** The message is `KIND,WINDOW,AFTER,AFTER,…`: what so many steps of that kind cost after so many others. */
async function* windows(...[{ text }]: Parameters<Script>): AsyncIterable<AgentEvent> {
  const [kind = '', ...numbers] = text.split(',');
  const [window = 0, ...places] = numbers.map(Number);
  const step = STEPS[kind];
  if (!step) throw new Error(`there is no kind ${kind}`);
  let done = 0;
  for (const place of places) {
    yield* steps(step, done, place);
    const before = await cpuWhenQuiet();
    yield* steps(step, place, place + window);
    process.send?.({ event: 'window', place, microseconds: ((await cpuWhenQuiet()) - before) / window });
    done = place + window;
  }
}

async function* steps(step: (n: number) => readonly AgentEvent[], from: number, to: number): AsyncIterable<AgentEvent> {
  for (let n = from; n < to; n++) {
    yield* step(n);
    if (n % BURST === BURST - 1) await immediate();
  }
}

async function cpuWhenQuiet(): Promise<number> {
  await delay(QUIET_MS);
  const { user, system } = process.cpuUsage();
  return user + system;
}
