import type { Notification } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClientConnection } from '../../src/connection/clientConnection.js';
import { ClientRegistry } from '../../src/connection/clientRegistry.js';
import { silentLog } from '../../src/hostLog.js';
import { Delivery, type EncodedFrame } from '../../src/state/delivery.js';

let delivery: Delivery;
let registry: ClientRegistry;
/** The writes of each client. */
let writes: (readonly EncodedFrame[])[][];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  delivery = new Delivery();
  const list = () => ({ items: [], total: 0 });
  registry = new ClientRegistry({ delivery, list, log: silentLog });
  writes = [];
});
afterEach(() => vi.useRealTimers());

function join(clients: number, space = 'a'): void {
  const before = writes.length;
  for (let n = before; n < before + clients; n++) {
    const mine: (readonly EncodedFrame[])[] = [];
    writes.push(mine);
    const connection = {
      number: registry.nextNumber(),
      protocolVersion: 1,
      role: 'owner',
      space,
      credentialId: 'owner',
      subscriptions: new Set(),
      deliver: (frames: readonly EncodedFrame[]) => void mine.push(frames),
    } as unknown as ClientConnection;
    registry.admit(`c${n}`, connection, 1);
  }
}

const renamed = (title: string): Notification => ({
  type: 'notify/sessionSummaryChanged',
  session: 'mock:/a',
  changes: { title },
});
const IN_A = { space: 'a' };
const REMOVED: Notification = { type: 'notify/sessionRemoved', session: 'mock:/a' };

const told = (client: number) =>
  (writes[client] ?? []).map((frames) =>
    frames.map(({ text }) => (JSON.parse(text) as { params: { notification: Notification } }).params.notification),
  );

describe('changes in the lists of clients', () => {
  it('[SPACE1] reach the clients of their space alone, also when they are gathered', async () => {
    join(2, 'a');
    join(120, 'b');
    registry.broadcast(renamed('of a'), IN_A);
    registry.broadcast(renamed('of b'), { space: 'b' });
    registry.broadcast(renamed('of nobody'), { space: 'c' });
    vi.advanceTimersByTime(100);
    registry.broadcast({ type: 'notify/sessionRemoved', session: 'mock:/b' }, { space: 'b' });
    registry.broadcast({ type: 'notify/progress', token: 't', message: 'for all' }, { space: undefined });
    await delivery.drained();
    const [a, b] = [told(1).flat(), told(2).flat()];
    expect(a.map(({ type }) => type)).toEqual(['notify/sessionSummaryChanged', 'notify/progress']);
    expect(a[0]).toEqual(renamed('of a'));
    expect(b.map(({ type }) => type)).toEqual([
      'notify/sessionSummaryChanged',
      'notify/sessionRemoved',
      'notify/progress',
    ]);
    expect(b[0]).toEqual(renamed('of b'));
  });

  it('are told to few clients at once', async () => {
    join(99);
    registry.broadcast(renamed('x'), IN_A);
    await delivery.drained();
    expect(told(98)).toEqual([[renamed('x')]]);
  });

  it('are gathered for many clients, who get one write each, made once for all', async () => {
    join(100);
    for (let n = 0; n < 10; n++) {
      registry.broadcast(renamed(`title ${n}`), IN_A);
      vi.advanceTimersByTime(9);
      await delivery.drained();
    }
    expect(told(0)).toEqual([]);
    vi.advanceTimersByTime(10);
    await delivery.drained();
    expect(told(0)).toEqual([Array.from({ length: 10 }, (_, n) => renamed(`title ${n}`))]);
    for (const mine of writes) expect(mine[0]).toBe(writes[0]?.[0]);
  });

  it('are told at once when there are very many of them', async () => {
    join(100);
    for (let n = 0; n < 1_200; n++) registry.broadcast(renamed(`title ${n}`), IN_A);
    await delivery.drained();
    expect(told(0).flat()).toHaveLength(1_000);
    vi.advanceTimersByTime(100);
    await delivery.drained();
    expect(told(0).flat()).toHaveLength(1_200);
  });

  it('come before the removal of their session', async () => {
    join(100);
    registry.broadcast(renamed('x'), IN_A);
    registry.broadcast(REMOVED, IN_A);
    await delivery.drained();
    expect(told(0).flat()).toEqual([renamed('x'), REMOVED]);
    vi.advanceTimersByTime(1_000);
    await delivery.drained();
    expect(told(0).flat()).toHaveLength(2);
  });
});
