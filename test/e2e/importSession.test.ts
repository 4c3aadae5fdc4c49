import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ERROR_CODE, type Turn } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost } from '../support/testHost.js';
import { until } from '../support/until.js';

describe('importSession', () => {
  let host: TestHost;

  beforeEach(async () => {
    host = await startTestHost();
  });
  afterEach(() => host.dispose());

  const turn = (n: number, text = `message ${n}`): Turn => ({
    id: `t${n}`,
    userMessage: { text },
    responseParts: [{ kind: 'markdown', id: 'p1', content: `answer ${n}` }],
    toolCalls: [],
    state: 'complete',
    startedAt: n * 1_000,
    endedAt: n * 1_000 + 500,
  });
  const folders = () => readdir(join(host.stateDir, 'session-state'));

  it('[IMP1] makes a session with its history, which others see, which can be searched, and which goes on', async () => {
    const [alice, bob] = [await host.connect(), await host.connect()];
    const announced: string[] = [];
    bob.onNotification((event) => {
      if (event.type === 'notify/sessionAdded') announced.push(event.summary.title);
    });
    const turns = Array.from({ length: 2_500 }, (_, n) => turn(n + 1));
    const session = await alice.importSession({ provider: 'mock', title: 'Elsewhere', turns });
    expect(session.confirmed.value).toMatchObject({
      lifecycle: 'ready',
      summary: { title: 'Elsewhere', status: 'idle' },
    });
    expect(session.confirmed.value.turns.at(-1)).toEqual(turns.at(-1));
    const history = [];
    for await (const older of session.history({ includeLoaded: true })) history.unshift(older);
    expect(history).toEqual(turns);
    await bob.ping();
    expect(announced).toEqual(['Elsewhere']);
    expect((await bob.listSessions({ filter: { text: 'answer 1234' } })).total).toBe(1);
    await session.send('hello');
    await until(session.confirmed, ({ turns: now }) => now.at(-1)?.userMessage.text === 'hello', 'the next turn');
  });

  it.each([
    ['startedAt', 9e15],
    ['endedAt', 1e308],
    ['startedAt', -1],
  ])('refuses a turn whose %s is %d, which no date can hold', async (field, time) => {
    const alice = await host.raw('alice');
    const refused = await alice.refusal('importSession', {
      session: 'mock:/s1',
      turns: [{ ...turn(1), [field]: time }],
    });
    expect(refused).toMatchObject({
      code: ERROR_CODE.invalidParams,
      message: expect.stringContaining(`turns.0.${field}`),
    });
    expect(await alice.request('listSessions')).toMatchObject({ items: [] });
  });

  it('eight at once are enough, also when all are begun in the same moment', async () => {
    const alice = await host.raw('alice');
    const begin = (n: number) =>
      alice.request('importSession', { session: `mock:/s${n}`, turns: [turn(1)], more: true }).then(
        () => 'begun',
        ({ message }: Error) => message,
      );
    const outcomes = await Promise.all(Array.from({ length: 12 }, (_, n) => begin(n)));
    const refused = outcomes.filter((outcome) => outcome.includes(`(${ERROR_CODE.tooManyRequests})`));
    expect([outcomes.filter((outcome) => outcome === 'begun').length, refused.length]).toEqual([8, 4]);
    expect(await folders()).toHaveLength(8);
  });

  it('[IMP1] a session that is half here is no session, and goes with the client that brought it', async () => {
    const [alice, bob] = [await host.raw('alice'), await host.raw('bob')];
    const session = 'mock:/half';
    await alice.request('importSession', { session, turns: [turn(1)], more: true });
    expect(await bob.refusal('subscribe', { resource: session })).toMatchObject({ code: -32001 });
    expect(await bob.refusal('createSession', { session })).toMatchObject({ code: -32003 });
    expect(await bob.refusal('importSession', { session, turns: [] })).toMatchObject({ code: -32003 });
    expect(await bob.request('listSessions')).toMatchObject({ total: 0 });
    await alice.end();
    await expect.poll(folders, { timeout: 10_000 }).toEqual([]);
    // The id is free a moment after its folder is.
    const again = () => bob.request('importSession', { session, turns: [turn(1)] }).then(() => 'taken', String);
    await expect.poll(again, { timeout: 10_000 }).toBe('taken');
    expect(await bob.request('listSessions')).toMatchObject({ total: 1 });
  });

  it('[IMP1] what is refused leaves nothing behind', async () => {
    const alice = await host.raw('alice');
    const refusals = [
      { session: 'mock:/a', turns: [turn(1), turn(1)] },
      { session: 'mock:/a', turns: [turn(1)], workingDirectory: 'file:///does/not/exist' },
      { session: 'nobody:/a', turns: [] },
      { session: 'mock:/a', provider: 'shell', turns: [] },
    ];
    const codes = [];
    for (const params of refusals) codes.push((await alice.refusal('importSession', params)).code);
    expect(codes).toEqual([-32602, -32008, -32002, -32602]);
    expect(await folders()).toEqual([]);
    await alice.request('importSession', { session: 'mock:/a', turns: [turn(1)] });
    expect(await alice.refusal('importSession', { session: 'mock:/a', turns: [] })).toMatchObject({ code: -32003 });
    expect(await alice.stateOf('mock:/a')).toMatchObject({ turns: [{ id: 't1' }] });
  });
});
