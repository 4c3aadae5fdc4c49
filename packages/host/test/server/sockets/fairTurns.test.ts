import { setImmediate as tick } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { FairTurns } from '../../../src/server/sockets/pacedSocket.js';

function burn(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Takes that many turns of a millisecond each, and notes each of them. */
function work(name: string, turns: number, done: string[]): () => boolean {
  let left = turns;
  return () => {
    burn(1);
    done.push(name);
    return --left > 0;
  };
}

it('starts at once without waiting work, and leaves the rest for later ticks after a few milliseconds', async () => {
  const turns = new FairTurns();
  const done: string[] = [];
  turns.begin('a', work('a', 100, done));
  expect(done.length).toBeGreaterThan(0);
  expect(done.length).toBeLessThan(10);
  let ticks = 0;
  while (done.length < 100) {
    await tick();
    ticks++;
  }
  expect(ticks).toBeGreaterThan(10);
});

it('does not let one group wait for all work of another', async () => {
  const turns = new FairTurns();
  const done: string[] = [];
  for (let n = 0; n < 200; n++) turns.begin('much', work('much', 5, done));
  turns.begin('little', work('little', 1, done));
  const before = done.length;
  while (!done.includes('little')) await tick();
  expect(done.indexOf('little') - before).toBeLessThan(3);
});

it('gives each work of a group its turn', async () => {
  const turns = new FairTurns();
  const done: string[] = [];
  for (const name of ['a', 'b', 'c']) turns.later('group', work(name, 3, done));
  while (done.length < 9) await tick();
  expect(done.join('')).toBe('abcabcabc');
});

it('counts turns that take no time, because their consequences run after them', async () => {
  const turns = new FairTurns();
  let count = 0;
  for (let n = 0; n < 1_000; n++) {
    turns.begin('a', () => {
      count++;
      return false;
    });
  }
  expect(count).toBeLessThan(100);
  while (count < 1_000) await tick();
});

it('continues after a turn that threw', async () => {
  const turns = new FairTurns();
  const done: string[] = [];
  const thrown = new Promise((resolve) => process.once('uncaughtException', resolve));
  const others = process.listeners('uncaughtException').slice(0, -1);
  for (const listener of others) process.off('uncaughtException', listener);
  turns.later('a', () => {
    throw new Error('broken');
  });
  turns.later('b', work('b', 1, done));
  await thrown;
  for (const listener of others) process.on('uncaughtException', listener);
  while (done.length < 1) await tick();
});
