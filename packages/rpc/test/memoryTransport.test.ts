import { describe, expect, it } from 'vitest';
import { transportContract } from '../contract/transportContract.js';
import { createMemoryTransportPair, type Link } from '../src/index.js';
import { faultyLink, manualLink } from './support/links.js';
import { seededRandom } from './support/seededRandom.js';
import { settled } from './support/wirePeer.js';

describe('memory transport: contract', () => {
  for (const { name, run } of transportContract(async () => createMemoryTransportPair())) it(name, run);
});

function listeningPair(link: Link) {
  const pair = createMemoryTransportPair({ link });
  const atA: string[] = [];
  const atB: string[] = [];
  pair.a.onMessage((text) => atA.push(text));
  pair.b.onMessage((text) => atB.push(text));
  return { ...pair, atA, atB };
}

describe('memory transport', () => {
  it('passes the reason of a close to the other side', async () => {
    const { a, b } = createMemoryTransportPair();
    const reason = new Promise((resolve) => b.onClose(resolve));
    a.close({ code: 4001, message: 'slow' });
    expect(await reason).toEqual({ code: 4001, message: 'slow' });
  });

  it('closes both sides when too much waits for a listener', async () => {
    const { a, b } = createMemoryTransportPair({ maxWaitingChars: 100 });
    const reasons = Promise.all([a, b].map((end) => new Promise((resolve) => end.onClose(resolve))));
    a.send('x'.repeat(101));
    const overflow = { message: 'more than 100 characters arrived before anybody listened' };
    expect(await reasons).toEqual([overflow, overflow]);
  });

  it('passes the direction to the link', () => {
    const seen: unknown[] = [];
    const { a, b } = createMemoryTransportPair({ link: (frame, _, direction) => seen.push([frame, direction]) });
    a.send('1');
    b.send(new TextEncoder().encode('2'));
    expect(seen).toEqual([
      ['1', 'aToB'],
      ['2', 'bToA'],
    ]);
  });
});

describe('manualLink', () => {
  it('delivers, drops, duplicates and reorders on request', async () => {
    const manual = manualLink();
    const { a, b, atA, atB } = listeningPair(manual.link);
    for (const frame of ['1', '2', '3']) a.send(frame);
    b.send('4');
    expect(manual.inFlight).toEqual([
      { frame: '1', direction: 'aToB' },
      { frame: '2', direction: 'aToB' },
      { frame: '3', direction: 'aToB' },
      { frame: '4', direction: 'bToA' },
    ]);
    manual.deliver(2);
    manual.drop(0);
    manual.duplicate(0);
    manual.deliverAll();
    await settled();
    expect([atA, atB, manual.inFlight]).toEqual([['4'], ['3', '2', '2'], []]);
    expect(() => manual.deliver(0)).toThrow('no frame 0 is in flight, only 0');
  });

  it('delivers nothing after the close', async () => {
    const manual = manualLink();
    const { a, atB } = listeningPair(manual.link);
    a.send('1');
    a.close();
    await settled();
    manual.deliverAll();
    await settled();
    expect(atB).toEqual([]);
  });
});

describe('faultyLink', () => {
  const run = async (seed: number, faults: { drop?: number; duplicate?: number; delay?: number }) => {
    const due: { at: number; run: () => void }[] = [];
    const link = faultyLink({
      random: seededRandom(seed),
      schedule: (task, delayMs) => {
        due.push({ at: delayMs, run: task });
        return { dispose: () => undefined };
      },
      ...faults,
    });
    const { a, atB } = listeningPair(link);
    await settled();
    for (let i = 0; i < 1_000; i++) a.send(String(i));
    for (const { run: deliver } of due.sort((x, y) => x.at - y.at)) deliver();
    return atB.map(Number);
  };
  const inOrder = Array.from({ length: 1_000 }, (_, i) => i);

  it('has no faults by default', async () => {
    expect(await run(1, {})).toEqual(inOrder);
  });

  it('drops, duplicates and reorders at the given rates, and the same for the same seed', async () => {
    const dropped = await run(1, { drop: 0.3 });
    const duplicated = await run(1, { duplicate: 0.3 });
    const delayed = await run(1, { delay: 50 });
    expect(Math.abs(dropped.length - 700)).toBeLessThan(70);
    expect(Math.abs(duplicated.length - 1_300)).toBeLessThan(70);
    expect(delayed).not.toEqual(inOrder);
    expect([...delayed].sort((x, y) => x - y)).toEqual(inOrder);
    expect(await run(1, { drop: 0.3 })).toEqual(dropped);
    expect(await run(2, { drop: 0.3 })).not.toEqual(dropped);
  });

  it('uses timers by default', async () => {
    const { a, b } = createMemoryTransportPair({ link: faultyLink({ random: Math.random, delay: 2 }) });
    const received = new Promise((resolve) => b.onMessage(resolve));
    a.send('1');
    expect(await received).toBe('1');
  });
});
