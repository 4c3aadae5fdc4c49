import type { Host as HostConnection } from '@agenthost/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost } from '../support/testHost.js';
import { until } from '../support/until.js';

describe('two clients, one session', () => {
  let host: TestHost;
  let alice: HostConnection;
  let bob: HostConnection;

  beforeAll(async () => {
    host = await startTestHost();
    alice = await host.connect({ clientInfo: { name: 'Alice' } });
    bob = await host.connect({ clientInfo: { name: 'Bob' } });
  });
  afterAll(() => host.dispose());

  it('see the same states in the same order, and who asked', async () => {
    const hers = await alice.createSession({ provider: 'mock' });
    await hers.ready();
    const his = await bob.openSession(hers.uri);
    const seen = { hers: [] as unknown[], his: [] as unknown[] };
    hers.confirmed.subscribe((state) => seen.hers.push(state.activeTurn ?? state.turns.at(-1)));
    his.confirmed.subscribe((state) => seen.his.push(state.activeTurn ?? state.turns.at(-1)));
    await hers.send('hello');
    const [mine, theirs] = await Promise.all([
      until(hers.confirmed, (state) => state.turns.length === 1, 'her turn'),
      until(his.confirmed, (state) => state.turns.length === 1, 'his turn'),
    ]);
    expect(theirs.turns).toEqual(mine.turns);
    expect(mine.turns[0]).toMatchObject({
      state: 'complete',
      by: { name: 'Alice' },
      responseParts: [{ content: 'Hello, world!' }],
    });
    expect(seen.his).toEqual(seen.hers.slice(-seen.his.length));
  });

  it('the sender sees its own action before the echo, and its reversal with the reason', async () => {
    const session = await alice.createSession({ provider: 'mock' });
    await session.ready();
    const sent = session.send('slow', 't1');
    expect(session.state.value.activeTurn?.userMessage.text).toBe('slow');
    expect(session.confirmed.value.activeTurn).toBeUndefined();
    await sent;
    expect(session.confirmed.value.activeTurn?.id).toBe('t1');

    const his = await bob.openSession(session.uri);
    const title = his.state.value.summary.title;
    const refused = his.setModel('no-such-model');
    expect(his.state.value.summary.model).toBe('no-such-model');
    await expect(refused).rejects.toThrow('unknown model');
    expect(his.state.value.summary).toMatchObject({ title });
    expect(his.state.value.summary.model).toBeUndefined();
    expect(his.state.value).toBe(his.confirmed.value);
    await session.cancel();
  });
});
