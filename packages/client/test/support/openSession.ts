import { expect, onTestFinished, vi } from 'vitest';
import type { Host } from '../../src/host.js';
import type { Session } from '../../src/session/session.js';
import { connected } from './connected.js';
import { endedTurns, type FakeHost } from './fakeHost.js';
import { flush } from './flush.js';

export const URI = 'shell:/one';
export const INFO = { name: 'a test' };

/** A client with one session of fifty turns open, on a clock that stands still and without chance in its pauses. */
export async function openSession(): Promise<{ fake: FakeHost; host: Host; session: Session }> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { fake, host } = await connected({ clientInfo: INFO, random: () => 0.5, keepAliveMs: 0 });
  fake.addSession(URI, { turns: endedTurns(50) });
  return { fake, host, session: await host.openSession(URI, { turns: 10 }) };
}

/** Ends the pause before the next attempt, which must succeed. */
export async function reconnected(host: Host): Promise<void> {
  await flush();
  host.retryNow();
  await flush();
  expect(host.connection.value).toEqual({ state: 'connected' });
}
