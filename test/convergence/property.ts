import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { checkAnswered, checkClients, checkLogs, hostStates } from './checks.js';
import { heal } from './heal.js';
import type { Journal } from './journal.js';
import { play } from './play.js';
import { type Scenario, scenario } from './steps.js';
import type { TestWorld } from './testWorld.js';
import { World } from './world.js';

export interface RunOptions {
  /** How long clients and host may take to come to rest once nothing disturbs them any more. */
  readonly healMs?: number;
  /** Is told of every run that ended well. */
  readonly tally?: Tally;
}

/** What happened in many runs, for a figure. */
export class Tally {
  runs = 0;
  accepted = 0;

  add({ operations }: Journal): void {
    this.runs++;
    this.accepted += operations.filter(({ outcome }) => outcome.state === 'accepted').length;
    if (this.runs % 1_000 === 0) console.info(`${this.runs} interleavings so far, ${this.accepted} accepted actions`);
  }
}

/** `npm run test:convergence -- --runs 10000 --unseen 2500` sets them; `npm test` makes a few. */
export const RUNS = Number(process.env['AGENTHOST_CONVERGENCE_RUNS'] ?? 60);
export const UNSEEN_RUNS = Number(process.env['AGENTHOST_CONVERGENCE_UNSEEN'] ?? RUNS);
export const FIXED_SEED = 20_260_301;
export const TIMEOUT_MS = 24 * 60 * 60_000;

/** Histories wait for files and timers most of the time: several at once take little longer than one. */
const LANES = 4;
/** Long enough for a machine that does something else: who is not at rest then never will be. */
const HEAL_MS = 300_000;

/** Memory where there is such a folder: runs are many, and none needs a real disk. */
export function temporaryRoot(): { readonly path: string; dispose(): void } {
  const path = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'agenthost-convergence-'));
  return { path, dispose: () => rmSync(path, { recursive: true, force: true }) };
}

/** After any history, all clients agree, and everything that was accepted is there exactly once. */
export function converges(root: string, options: RunOptions = {}): fc.IAsyncProperty<[Scenario]> {
  return fc.asyncProperty(scenario, (run) => runScenario(run, root, options));
}

export async function runScenario(run: Scenario, root: string, options: RunOptions = {}): Promise<void> {
  const world = await World.start(run, root);
  const doSteps = async () => {
    for (const step of run.steps) await play(world, step);
  };
  await concludeRun(world, doSteps, options);
  options.tally?.add(world.journal);
}

/** Many histories, several at a time, each lane with a seed of its own; prints what was seen. Fails on the first that diverges. */
export async function manyConverge(root: string, seed: number, runs: number): Promise<void> {
  const tally = new Tally();
  const property = converges(root, { tally });
  const lanes = Array.from({ length: LANES }, (_, lane) => Math.floor((runs + lane) / LANES));
  console.info(`seed ${seed}: ${runs} interleavings begin`);
  await Promise.all(lanes.map((numRuns, lane) => fc.assert(property, { seed: seed + lane, numRuns })));
  console.info(`seed ${seed}: ${tally.runs} interleavings, ${tally.accepted} accepted actions, 0 diverged`);
  expect(tally.runs).toBeGreaterThanOrEqual(runs);
}

/** Whatever is done to the world: it heals, and then everything must be as it should. */
export async function concludeRun(world: TestWorld, act: () => Promise<void>, options: RunOptions = {}): Promise<void> {
  try {
    await act();
    const healed = await heal(world, options.healMs ?? HEAL_MS);
    const states = hostStates(healed);
    checkClients(world, healed, states);
    checkAnswered(world);
    healed.observer.close();
    await world.stop();
    await checkLogs(world, states);
    expect(world.journal.violations).toEqual([]);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${message}\n${world.journal.trace}`, { cause: error });
  } finally {
    await world.dispose();
  }
}
