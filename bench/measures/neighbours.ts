// How long others' actions take beside clients that do not read, and beside agents that are killed; and without, by turns in the
// same run. An echo at a time in a session of its own, as long as the disturbance takes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BenchProcess } from '../support/benchProcess.ts';
import { Bystander } from '../support/bystander.ts';
import type { DisturbanceTask } from '../support/disturbance.ts';
import { atMost, type Figure } from '../support/figure.ts';
import { figureOf, quantile } from '../support/figures.ts';
import { measure } from '../support/measure.ts';

const STUB = join(import.meta.dirname, '../../test/support/agents/stubAcpAgent.ts');

await measure(async ({ quick }) => {
  const [readers, agents] = quick ? [3, 10] : [30, 20];
  const stateDir = mkdtempSync(join(tmpdir(), 'agenthost-bench-'));
  const env = { STUB_MEMORY: join(stateDir, 'stub-memory') };
  const stub = { name: 'Stub', command: process.execPath, args: [STUB], env };
  writeFileSync(join(stateDir, 'agents.json'), JSON.stringify({ agents: { stub } }));
  const host = await BenchProcess.startHost(stateDir);
  const figures: Figure[] = [];
  try {
    const bystander = await Bystander.open(host.address);
    const tasks: readonly (readonly [what: string, baseline: string, rounds: number, task: DisturbanceTask])[] = [
      [
        `${readers} slow readers`,
        'without them',
        quick ? 1 : 3,
        { ...host.address, kind: 'slowReaders', readers, turns: 160 },
      ],
      [
        `${agents} agents that are killed`,
        'as many other processes',
        quick ? 1 : 5,
        { ...host.address, kind: 'deadAgents', agents, program: STUB },
      ],
    ];
    for (const [what, baseline, rounds, task] of tasks) {
      const found: (readonly [calm: readonly number[], beside: readonly number[]])[] = [];
      for (let round = 0; round < rounds; round++) found.push(await bystander.beside(task));
      for (const part of [0.5, 0.99]) {
        const about = {
          measure: 'neighbours',
          name: `echo p${part * 100} of others beside ${what}`,
          unit: 'ms',
          better: 'lower',
          baseline,
          ...(part === 0.99 && { limit: atMost(2) }),
        } as const;
        const of = (phase: 0 | 1) => found.map((phases) => quantile(phases[phase], part));
        figures.push(figureOf(about, of(1), of(0)));
      }
    }
    bystander.close();
  } finally {
    await host.end();
    rmSync(stateDir, { recursive: true, force: true, maxRetries: 5 });
  }
  return { figures };
});
