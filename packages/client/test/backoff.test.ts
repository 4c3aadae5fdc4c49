import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ConnectionState } from '../src/connection/connection.js';
import { ClientClosedError } from '../src/errors.js';
import type { HostClient } from '../src/hostClient.js';
import type { SessionHandle } from '../src/session/sessionHandle.js';
import type { FakeHost } from './support/fakeHost.js';
import { flush } from './support/flush.js';
import { openSession, reconnected } from './support/openSession.js';

let fake: FakeHost;
let host: HostClient;
let session: SessionHandle;

beforeEach(async () => {
  ({ fake, host, session } = await openSession());
});

describe('backoff', () => {
  it('doubles up to a limit, with jitter, and starts over after a connection that lasted', async () => {
    const seen: ConnectionState[] = [];
    host.connection.subscribe((state) => seen.push(state));
    await vi.advanceTimersByTimeAsync(10_000);
    fake.unreachable = new Error('refused');
    fake.drop();
    const delays: number[] = [];
    for (let attempt = 1; attempt <= 10; attempt++) {
      await flush();
      const now = host.connection.value;
      if (now.state !== 'reconnecting') throw new Error(now.state);
      expect(now.attempt).toBe(attempt);
      const made = fake.connectionsMade;
      delays.push(now.at - Date.now());
      await vi.advanceTimersByTimeAsync(now.at - Date.now() - 1);
      expect(fake.connectionsMade).toBe(made);
      await vi.advanceTimersByTimeAsync(1);
      await flush();
    }
    expect(delays).toEqual([125, 250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
    fake.unreachable = undefined;
    await reconnected(host);
    await vi.advanceTimersByTimeAsync(5_000);
    fake.drop();
    await flush();
    expect(host.connection.value).toMatchObject({ state: 'reconnecting', attempt: 1 });
    expect(seen.map(({ state }) => state)).not.toContain('closed');
  });

  it('continues to grow when connections are lost as soon as they are made', async () => {
    for (const attempt of [1, 2, 3]) {
      fake.drop();
      await flush();
      expect(host.connection.value).toMatchObject({ attempt });
      await reconnected(host);
    }
  });

  it('grows to four seconds at the most when the host was there: an outage before that does not count', async () => {
    fake.unreachable = new Error('refused');
    fake.drop();
    await vi.advanceTimersByTimeAsync(100_000);
    fake.unreachable = undefined;
    await reconnected(host);
    // As hosts that share a session do when it goes from one to the other.
    for (let round = 0; round < 3; round++) {
      fake.drop({ code: 4409, message: 'the session is at another host now' });
      await flush();
      const { value } = host.connection;
      if (value.state !== 'reconnecting') throw new Error(value.state);
      expect([value.attempt, value.at - Date.now()]).toEqual([5, 2_000]);
      await reconnected(host);
    }
  });

  it.each([
    [{ code: 4401, message: 'the token was rotated' }, 'UnauthorizedError'],
    [{ code: 1008, message: 'policy' }, 'UnauthorizedError'],
    [{ code: 4402, message: 'replaced' }, 'ReplacedError'],
  ])('does not retry after %o', async (reason, name) => {
    fake.deaf = true;
    const renamed = session.rename('x');
    fake.drop(reason);
    await expect(renamed).rejects.toMatchObject({ name });
    expect(host.connection.value).toMatchObject({ state: 'closed', reason: { name } });
    const made = fake.connectionsMade;
    await vi.advanceTimersByTimeAsync(100_000);
    expect(fake.connectionsMade).toBe(made);
    await expect(session.rename('y')).rejects.toMatchObject({ name });
  });

  it.each([1001, 1006, 1011, 4408, 4409, 4429])('reconnects after %i', async (code) => {
    fake.drop({ code, message: 'come back' });
    await reconnected(host);
    await session.rename('still here');
  });

  it('ends with close(), also during a delay', async () => {
    fake.drop();
    await flush();
    const renamed = session.rename('x');
    host.close();
    await expect(renamed).rejects.toThrow(ClientClosedError);
    const made = fake.connectionsMade;
    await vi.advanceTimersByTimeAsync(100_000);
    expect(fake.connectionsMade).toBe(made);
    expect(host.connection.value).toMatchObject({ state: 'closed', reason: { name: 'ClientClosedError' } });
  });

  it('aborts an attempt that takes too long', async () => {
    fake.silent.add('reconnect');
    fake.drop();
    await flush();
    host.retryNow();
    await vi.advanceTimersByTimeAsync(14_999);
    expect(host.connection.value).toMatchObject({ attempt: 1 });
    await vi.advanceTimersByTimeAsync(1);
    await flush();
    expect(host.connection.value).toMatchObject({ attempt: 2 });
    fake.silent.clear();
    await reconnected(host);
  });
});
