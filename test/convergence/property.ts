import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { checkClients, checkLogs, hostStates } from './checks.js';
import { heal } from './heal.js';
import { play } from './play.js';
import { type Scenario, scenario } from './steps.js';
import { World } from './world.js';

export interface RunOptions {
  /** How long clients and host may take to come to rest once nothing disturbs them any more. */
  readonly healMs?: number;
}

/** Memory where there is such a folder: runs are many, and none needs a real disk. */
export function temporaryRoot(): { readonly path: string; dispose(): void } {
  const path = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'agenthost-convergence-'));
  return { path, dispose: () => rmSync(path, { recursive: true, force: true }) };
}

/** After any history, everybody agrees, and everything that was accepted is there exactly once. */
export function converges(root: string, options: RunOptions = {}): fc.IAsyncProperty<[Scenario]> {
  return fc.asyncProperty(scenario, (run) => runScenario(run, root, options));
}

export async function runScenario(run: Scenario, root: string, options: RunOptions = {}): Promise<void> {
  const world = await World.start(run, root);
  const doSteps = async () => {
    for (const step of run.steps) await play(world, step);
  };
  await concludeRun(world, doSteps, options);
}

/** Whatever is done to the world: it heals, and then everything must be as it should. */
export async function concludeRun(world: World, act: () => Promise<void>, options: RunOptions = {}): Promise<void> {
  try {
    await act();
    const healed = await heal(world, options.healMs ?? 5_000);
    const states = hostStates(healed);
    checkClients(world, healed, states);
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
