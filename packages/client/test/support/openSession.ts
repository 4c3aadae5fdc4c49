import { expect, onTestFinished, vi } from 'vitest';
import type { HostClient } from '../../src/hostClient.js';
import type { SessionHandle } from '../../src/session/sessionHandle.js';
import { connected } from './connected.js';
import { endedTurns, type FakeHost } from './fakeHost.js';
import { flush } from './flush.js';

export const URI = 'shell:/one';
export const INFO = { name: 'a test' };

/** A client with one session of fifty turns open, on a clock that stands still and without chance in its pauses. */
export async function openSession(): Promise<{ fake: FakeHost; host: HostClient; session: SessionHandle }> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { fake, host } = await connected({ clientInfo: INFO, random: () => 0.5, keepAliveMs: 0 });
  fake.addSession(URI, { turns: endedTurns(50) });
  return { fake, host, session: await host.openSession(URI, { turns: 10 }) };
}

/** Ends the pause before the next attempt, which must succeed. */
export async function reconnected(host: HostClient): Promise<void> {
  await flush();
  host.retryNow();
  await flush();
  expect(host.connection.value).toEqual({ state: 'connected' });
}
