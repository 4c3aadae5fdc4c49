import { expect, it } from 'vitest';
import { AGENT_END_MS, ObservedHosts } from '../../src/cluster/observedHosts.js';

const LEASE = 10_000;
const POLL = LEASE / 4;

function watch() {
  let now = 5;
  const observed = new ObservedHosts({ leaseMs: LEASE, now: () => now });
  return {
    observed,
    poll: (beats: Record<string, number>, after = POLL) => {
      now += after;
      observed.observe(Object.entries(beats).map(([id, beat]) => ({ id, beat: String(beat) })));
    },
    pass: (ms: number) => {
      now += ms;
    },
    now: () => now,
  };
}

it('[OWN3] takes a host for dead when its beat has not changed for a lease by its own clock', () => {
  const { observed, poll } = watch();
  poll({ a: 1, b: 1 });
  for (let n = 2; n <= 4; n++) {
    poll({ a: n, b: 1 });
    expect(observed.alive).toEqual(['a', 'b']);
  }
  poll({ a: 5, b: 1 });
  expect([observed.alive, observed.dead]).toEqual([['a'], ['b']]);
  poll({ a: 6, b: 2 });
  expect(observed.alive).toEqual(['a', 'b']);
});

it('[OWN3] begins anew after a gap between two polls, in which the database may have been away', () => {
  const { observed, poll } = watch();
  for (let n = 0; n < 3; n++) poll({ b: 1 });
  poll({ b: 1 }, LEASE * 3);
  expect(observed.alive).toEqual(['b']);
  for (let n = 0; n < 3; n++) poll({ b: 1 });
  expect(observed.alive).toEqual(['b']);
  poll({ b: 1 });
  expect(observed.dead).toEqual(['b']);
});

it('[OWN3] needs three polls, however long they take', () => {
  const { observed, poll, pass } = watch();
  poll({ b: 1 });
  poll({ b: 1 });
  pass(LEASE * 2);
  expect(observed.alive).toEqual(['b']);
});

it('takes a host that has left for dead at once', () => {
  const { observed, poll } = watch();
  poll({ a: 1, b: 1 });
  poll({ a: 2 });
  expect([observed.isAlive('b'), observed.dead]).toEqual([false, []]);
});

it('[FEN7] knows when no agent of a dead host can be at work: a lease and 5 s after its last beat was seen', () => {
  const { observed, poll, now } = watch();
  poll({ a: 1, b: 1 });
  poll({ a: 2, b: 2 });
  const seen = now();
  for (let n = 3; n <= 7; n++) poll({ a: n, b: 2 });
  expect(observed.dead).toEqual(['b']);
  expect(observed.freeAt('b')).toBe(seen + LEASE + AGENT_END_MS);
  // Its row is removed. What was seen of it counts.
  poll({ a: 8 });
  expect(observed.freeAt('b')).toBe(seen + LEASE + AGENT_END_MS);
});

it('[FEN7] counts anew after a gap: while the database is away, agents go on', () => {
  const { observed, poll, now } = watch();
  poll({ b: 1 });
  poll({ b: 1 }, LEASE * 3);
  expect(observed.freeAt('b')).toBe(now() + LEASE + AGENT_END_MS);
});

it('[OWN4] [FEN7] a host whose address refused connections is dead until it beats again; its agents have 5 s', () => {
  const { observed, poll, pass, now } = watch();
  poll({ b: 1 });
  observed.declareDead('b');
  const refused = now();
  pass(1_000);
  observed.declareDead('b');
  expect(observed.isAlive('b')).toBe(false);
  expect(observed.freeAt('b')).toBe(refused + AGENT_END_MS);
  poll({ b: 1 });
  expect([observed.isAlive('b'), observed.freeAt('b')]).toEqual([false, refused + AGENT_END_MS]);
  poll({ b: 2 });
  expect(observed.isAlive('b')).toBe(true);
});

it('[FEN7] of a host that nobody here has seen, the agents have 5 s from the first question on', () => {
  const { observed, pass, now } = watch();
  const asked = now();
  expect(observed.freeAt('x')).toBe(asked + AGENT_END_MS);
  pass(3_000);
  expect(observed.freeAt('x')).toBe(asked + AGENT_END_MS);
  observed.replaced('y');
  expect(observed.freeAt('y')).toBe(Number.NEGATIVE_INFINITY);
});
