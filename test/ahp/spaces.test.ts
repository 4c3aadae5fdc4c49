import { afterEach, beforeEach, expect, it } from 'vitest';
import { type AhpTestHost, ahpSession, ahpTurn, startAhpHost } from '../support/ahpHost.js';

let host: AhpTestHost;
beforeEach(async () => {
  host = await startAhpHost();
});
afterEach(() => host.dispose());

it('[SPACE1] AHP clients see the sessions of their own space: others are like ones that do not exist', async () => {
  const designer = await host.openDesigner();
  await designer.initialize('designer', ['0.9.0']);
  const { session, chat } = await ahpSession(designer);
  await designer.act(chat, ahpTurn('a secret plan'));
  const stranger = await host.client('stranger');
  const id = session.slice('mock:/'.length);
  const none = crypto.randomUUID();
  const of = (uri: string, other: string) => uri.replaceAll(id, other);
  const same = (answer: unknown, shown: string) => JSON.parse(JSON.stringify(answer).replaceAll(shown, 'ID'));
  for (const [method, params] of [
    ['subscribe', (uri: string) => ({ channel: uri })],
    ['disposeSession', (uri: string) => ({ channel: uri })],
    ['listSessions', () => ({ channel: 'ahp-root://' })],
    ['fetchTurns', (uri: string) => ({ channel: uri, limit: 5 })],
  ] as const) {
    for (const channel of [session, chat]) {
      const [theirs, nobodys] = [
        await stranger.ask(method, params(channel)),
        await stranger.ask(method, params(of(channel, none))),
      ];
      const answer = ({ result, error }: typeof theirs, shown: string) => same({ result, error }, shown);
      expect([method, answer(theirs, id)]).toEqual([method, answer(nobodys, none)]);
    }
  }
  const active = { clientId: 'stranger', displayName: 'stranger', tools: [], customizations: [] };
  for (const action of [
    { type: 'session/titleChanged', title: 'mine' },
    { type: 'session/activeClientSet', activeClient: active },
    { type: 'session/configChanged', config: { mode: 'x' } },
  ]) {
    const answers = [await stranger.act(session, action), await stranger.act(of(session, none), action)];
    const [theirs, nobodys] = answers.map(({ serverSeq: _, origin: __, ...rest }, n) =>
      same(rest, n === 0 ? id : none),
    );
    expect(theirs).toEqual(nobodys);
    expect(theirs.rejectionReason).toBeTruthy();
  }
  expect(JSON.stringify(stranger.received)).not.toContain('secret');
  const told = stranger.received.filter(({ method }) => method !== undefined && method !== 'action');
  expect(JSON.stringify(told)).not.toContain(id);
  const { state } = (await designer.request('subscribe', { channel: session })).snapshot;
  expect(JSON.stringify(state)).not.toContain('stranger');
});
