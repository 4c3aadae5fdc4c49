import { expect } from 'vitest';
import { type FaultMode, FaultPlan } from './faultPlan.js';
import { type Outcome, play } from './script.js';
import type { World } from './world.js';

const AT_ONCE = 6;

/** Plays the script once for each operation that it makes, or for every `step`th, and lets that one fail. */
export async function everyFault(
  name: string,
  create: (plan: FaultPlan) => Promise<World>,
  mode: FaultMode,
  step = 1,
): Promise<void> {
  const dry = new FaultPlan();
  const { accepted: whole } = await run(create, dry);
  expect(dry.count).toBeGreaterThan(60);
  const outcomes: Outcome[] = [];
  const wrong: string[] = [];
  let next = 1;
  let runs = 0;
  let silent = 0;
  const worker = async () => {
    // What is written together depends on the moment, so that some runs have a few operations more than the first.
    while (next <= dry.count + AT_ONCE && wrong.length === 0) {
      const plan = new FaultPlan(next, mode);
      next += step;
      runs++;
      try {
        outcomes.push(await run(create, plan));
      } catch (error) {
        wrong.push(String(error));
      }
      if (!plan.hasFired) silent++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const sum = (count: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + count(outcome), 0);
  const [accepted, refused] = [sum((outcome) => outcome.accepted), sum((outcome) => outcome.refusals)];
  console.log(
    `${name}, ${mode}: ${dry.count} operations, ${runs} runs, ${accepted} accepted, ${refused} refused, ${wrong.length} lost`,
  );
  expect(wrong, wrong.join('\n')).toEqual([]);
  // Nothing was avoided: the faults happened, people were told, and most of what they asked for came to be.
  expect(silent).toBeLessThan(3 * AT_ONCE);
  expect(refused).toBeGreaterThan(step === 1 ? runs / 4 : 0);
  expect(accepted).toBeGreaterThan(runs * whole * 0.5);
}

async function run(create: (plan: FaultPlan) => Promise<World>, plan: FaultPlan): Promise<Outcome> {
  const world = await create(plan);
  try {
    return await play(world, plan);
  } catch (error) {
    const where = `operation ${plan.at} (${plan.mode}): ${plan.fired.slice(0, 3).join(', ') || 'nothing'} failed`;
    throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    await world.dispose();
  }
}
