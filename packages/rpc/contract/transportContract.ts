import type { Transport } from '@agenthost/rpc';

export interface ContractPair {
  readonly a: Transport;
  readonly b: Transport;
  dispose?(): void | Promise<void>;
}

export interface ContractCase {
  readonly name: string;
  run(): Promise<void>;
}

export interface ContractOptions {
  /** How long a case waits for something that must happen. Defaults to 10,000. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 10_000;
/** How long a case waits for something that must not happen. */
const QUIET_MS = 20;

/**
 * The Transport contract as cases for any test framework: `for (const c of transportContract(pair)) it(c.name, c.run)`.
 * `createPair` makes two connected ends, fresh for each case.
 *
 * @example
 * ```ts
 * for (const { name, run } of transportContract(async () => createMemoryTransportPair())) it(name, run);
 * ```
 */
export function transportContract(
  createPair: () => Promise<ContractPair>,
  { timeoutMs = DEFAULT_TIMEOUT_MS }: ContractOptions = {},
): ContractCase[] {
  const record = (transport: Transport) => recordOf(transport, timeoutMs);
  return Object.entries(cases).map(([name, check]) => ({
    name,
    run: async () => {
      const pair = await createPair();
      try {
        await check(pair.a, pair.b, record);
      } finally {
        pair.a.close();
        pair.b.close();
        await pair.dispose?.();
      }
    },
  }));
}

type Check = (a: Transport, b: Transport, record: (transport: Transport) => Recording) => Promise<void>;

const cases: Readonly<Record<string, Check>> = {
  'keeps the order of 1,000 frames': async (a, b, record) => {
    const received = record(b);
    const frames = numbered('a', 1_000);
    for (const frame of frames) a.send(frame);
    await received.count(1_000);
    expectEqual(received.frames, frames);
  },

  'transfers frames in both directions at once': async (a, b, record) => {
    const [atA, atB] = [record(a), record(b)];
    const [fromA, fromB] = [numbered('a', 100), numbered('b', 100)];
    for (let i = 0; i < 100; i++) {
      a.send(fromA[i] as string);
      b.send(fromB[i] as string);
    }
    await Promise.all([atA.count(100), atB.count(100)]);
    expectEqual([atA.frames, atB.frames], [fromB, fromA]);
  },

  'transfers any text': async (a, b, record) => {
    const received = record(b);
    const frames = ['"ä€"', '"😀👩‍👩‍👧"', '"\u2028\u2029\u0085"', '"\ufeff\u0000"', '"\\n\\r\\u0000"', '"\uffff"'];
    for (const frame of frames) a.send(frame);
    await received.count(frames.length);
    expectEqual(received.frames, frames);
  },

  'transfers a frame of 1 MiB': async (a, b, record) => {
    const received = record(b);
    const frame = JSON.stringify('0123456789abcdef'.repeat(65_536));
    a.send(frame);
    a.send('"after"');
    await received.count(2);
    expectEqual(received.frames[0] === frame, true);
    expectEqual(received.frames[1], '"after"');
  },

  'transfers bytes as the text that they encode': async (a, b, record) => {
    const received = record(b);
    const frame = '{"text":"ä😀\u2028"}';
    a.send(frame);
    a.send(new TextEncoder().encode(frame));
    await received.count(2);
    expectEqual(received.frames, [frame, frame]);
  },

  'keeps frames that arrive before there is a listener': async (a, b, record) => {
    const frames = numbered('early', 10);
    for (const frame of frames) a.send(frame);
    await quiet();
    const received = record(b);
    a.send('"late"');
    await received.count(11);
    expectEqual(received.frames, [...frames, '"late"']);
  },

  'reports the close to both sides exactly once, whichever closes and however often': async (a, b, record) => {
    const [atA, atB] = [record(a), record(b)];
    a.close({ message: 'first' });
    a.close({ message: 'second' });
    await Promise.all([atA.closed(), atB.closed()]);
    b.close();
    a.close();
    await quiet();
    expectEqual([atA.closes, atB.closes], [1, 1]);
  },

  'reports the close to a late listener': async (a, b, record) => {
    const first = record(b);
    a.close();
    await first.closed();
    const [atA, atB] = [record(a), record(b)];
    await Promise.all([atA.closed(), atB.closed()]);
  },

  'delivers frames that were sent before the close, then the close': async (a, b, record) => {
    const received = record(b);
    const frames = numbered('last', 100);
    for (const frame of frames) a.send(frame);
    a.close();
    await received.closed();
    expectEqual(received.frames, frames);
  },

  'delivers nothing to the side that closed': async (a, b, record) => {
    const received = record(a);
    b.send('"in flight"');
    a.close();
    const before = received.frames.length;
    await quiet();
    expectEqual(received.frames.length, before);
  },

  'ignores frames sent after the close': async (a, b, record) => {
    const [atA, atB] = [record(a), record(b)];
    a.close();
    a.send('"too late"');
    await Promise.all([atA.closed(), atB.closed()]);
    a.send('"too late"');
    b.send(new TextEncoder().encode('"too late"'));
    await quiet();
    expectEqual([atA.frames, atB.frames], [[], []]);
  },

  'survives listeners that throw': async (a, b, record) => {
    const fail = () => {
      throw new Error('a listener of the contract suite that throws on purpose');
    };
    b.onMessage(fail);
    b.onClose(fail);
    const received = record(b);
    a.send('1');
    a.send('2');
    await received.count(2);
    a.close();
    await received.closed();
    expectEqual(received.frames, ['1', '2']);
  },

  'stops calling a listener that was disposed': async (a, b, record) => {
    const disposed: string[] = [];
    const listening = b.onMessage((text) => {
      disposed.push(text);
      listening.dispose();
      listening.dispose();
    });
    const closing = b.onClose(() => disposed.push('close'));
    const received = record(b);
    a.send('1');
    a.send('2');
    await received.count(2);
    closing.dispose();
    a.close();
    await received.closed();
    expectEqual(disposed, ['1']);
  },
};

interface Recording {
  readonly frames: readonly string[];
  readonly closes: number;
  count(wanted: number): Promise<void>;
  closed(): Promise<void>;
}

function recordOf(transport: Transport, timeoutMs: number): Recording {
  const frames: string[] = [];
  const checks = new Set<() => void>();
  const recheck = () => {
    for (const check of checks) check();
  };
  const state = { closes: 0 };
  transport.onMessage((text) => {
    frames.push(text);
    recheck();
  });
  transport.onClose(() => {
    state.closes++;
    recheck();
  });
  const until = (what: string, reached: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const timeout = () => reject(new Error(`no ${what} within ${timeoutMs} ms; ${frames.length} frames came`));
      const timer = setTimeout(timeout, timeoutMs);
      const check = () => {
        if (!reached()) return;
        clearTimeout(timer);
        checks.delete(check);
        resolve();
      };
      checks.add(check);
      check();
    });
  return {
    frames,
    get closes() {
      return state.closes;
    },
    count: (wanted: number) => until(`${wanted} frames`, () => frames.length >= wanted),
    closed: () => until('close', () => state.closes > 0),
  };
}

function numbered(label: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => JSON.stringify({ [label]: i }));
}

function quiet(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, QUIET_MS));
}

function expectEqual(actual: unknown, expected: unknown): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (got !== wanted) throw new Error(`expected ${wanted?.slice(0, 500)}, got ${got?.slice(0, 500)}`);
}
