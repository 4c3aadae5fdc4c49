import { describe, expect, it } from 'vitest';
import { connected } from './support/connected.js';
import { endedTurns } from './support/fakeHost.js';

const URI = 'shell:/one';

describe('older turns', () => {
  it('history walks back from the loaded turns, page by page', async () => {
    const { fake, host } = await connected();
    fake.addSession(URI, { turns: endedTurns(100) });
    const session = await host.openSession(URI, { turns: 10 });
    expect([session.state.value.turns.length, session.state.value.earlierTurns]).toEqual([10, 90]);
    const ids: string[] = [];
    for await (const turn of session.history({ pageSize: 40 })) ids.push(turn.id);
    expect(ids).toEqual(
      endedTurns(90)
        .map(({ id }) => id)
        .toReversed(),
    );
    expect(fake.requests('fetchTurns')).toHaveLength(3);
    expect(session.state.value.turns).toHaveLength(10);
    const all: string[] = [];
    for await (const turn of session.history({ includeLoaded: true })) all.push(turn.id);
    expect(all).toHaveLength(100);
  });

  it('fetches a page only on demand', async () => {
    const { fake, host } = await connected();
    fake.addSession(URI, { turns: endedTurns(100) });
    const session = await host.openSession(URI, { turns: 10 });
    for await (const turn of session.history({ pageSize: 20 })) if (turn.id === 't80') break;
    expect(fake.requests('fetchTurns')).toHaveLength(1);
  });

  it('loadEarlierTurns adds them in front, one call after the other, also with pending actions', async () => {
    const { fake, host } = await connected();
    fake.addSession(URI, { turns: endedTurns(25) });
    const session = await host.openSession(URI, { turns: 10 });
    const sent = session.send('meanwhile', 'now');
    expect(await Promise.all([session.loadEarlierTurns(10), session.loadEarlierTurns(10)])).toEqual([10, 5]);
    expect(await session.loadEarlierTurns()).toBe(0);
    await sent;
    expect(session.state.value).toEqual(fake.stateOf(URI));
    expect(session.state.value.earlierTurns).toBeUndefined();
    session.trimTurns(5);
    expect([session.state.value.turns.length, session.state.value.earlierTurns]).toEqual([5, 20]);
  });
});
