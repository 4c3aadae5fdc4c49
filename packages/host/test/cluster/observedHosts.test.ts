import { expect, it } from 'vitest';
import { ObservedHosts } from '../../src/cluster/observedHosts.js';

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
