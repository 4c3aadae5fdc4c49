import { describe, expect, it } from 'vitest';
import { transportContract } from '../contract/transportContract.js';
import { createMemoryTransportPair, type Link, type Transport } from '../src/index.js';

const withLink = (link: Link) => () => createMemoryTransportPair({ link });
const withB = (change: (b: Transport) => Partial<Transport>) => () => {
  const { a, b } = createMemoryTransportPair();
  return { a, b: { ...b, ...change(b) } };
};

/** Transports with one fault each, and the cases that find it. */
const faults: [name: string, createPair: () => { a: Transport; b: Transport }, found: RegExp][] = [
  [
    'reorders',
    () => {
      let held: (() => void) | undefined;
      return createMemoryTransportPair({
        link: (frame, deliver) => {
          const first = held;
          held = first === undefined ? () => deliver(frame) : undefined;
          if (first !== undefined) queueMicrotask(() => [deliver(frame), first()]);
        },
      });
    },
    /order/,
  ],
  ['duplicates', withLink((frame, deliver) => void queueMicrotask(() => [deliver(frame), deliver(frame)])), /order/],
  [
    'mangles text',
    withLink((frame, deliver) => queueMicrotask(() => deliver(frame.replace(/\u2028/g, ' ')))),
    /any text/,
  ],
  [
    'loses what comes before the first listener',
    () => {
      const { a, b } = createMemoryTransportPair();
      const listeners = new Set<(text: string) => void>();
      b.onMessage((text) => {
        for (const listener of listeners) listener(text);
      });
      const onMessage: Transport['onMessage'] = (listener) => {
        listeners.add(listener);
        return { dispose: () => listeners.delete(listener) };
      };
      return { a, b: { ...b, onMessage } };
    },
    /before there is a listener/,
  ],
  [
    'tells the close twice',
    withB((b) => ({
      onClose: (listener) => {
        b.onClose(listener);
        return b.onClose(listener);
      },
    })),
    /exactly once/,
  ],
  [
    'never disposes',
    withB((b) => ({ onMessage: (listener) => [b.onMessage(listener), { dispose: () => {} }][1] as never })),
    /disposed/,
  ],
  [
    'throws on send after the close',
    withB((b) => {
      let closed = false;
      b.onClose(() => {
        closed = true;
      });
      return {
        send: (frame) => {
          if (closed) throw new Error('closed');
          b.send(frame);
        },
      };
    }),
    /after the close/,
  ],
];

describe('transportContract', () => {
  it.each(faults)('finds a transport that %s', async (_, createPair, found) => {
    const failed: string[] = [];
    for (const { name, run } of transportContract(async () => createPair(), { timeoutMs: 100 })) {
      if (found.test(name)) await run().catch(() => failed.push(name));
    }
    expect(failed).not.toEqual([]);
  });

  it('disposes each pair, also after a failure', async () => {
    let disposed = 0;
    const cases = transportContract(async () => ({ ...createMemoryTransportPair(), dispose: () => void disposed++ }));
    for (const { run } of cases) await run();
    expect([disposed, cases.length]).toEqual([13, 13]);
    const broken = withLink((frame, deliver) => queueMicrotask(() => deliver(`${frame} `)));
    const [first] = transportContract(async () => ({ ...broken(), dispose: () => void disposed++ }));
    await expect(first?.run()).rejects.toThrow('expected');
    expect(disposed).toBe(14);
  });
});
