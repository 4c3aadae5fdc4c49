import { rm } from 'node:fs/promises';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { AcpAgents } from '@agenthost/host';
import type { SessionSetting } from '@agenthost/protocol';
import { MAX_SETTINGS, MAX_SETTINGS_LENGTH } from '@agenthost/protocol/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stubEntry, writeAgents } from '../../support/agents/stubAgent.js';
import { RawClient } from '../../support/rawClient.js';
import { say } from '../../support/say.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

describe('the settings of an agent', () => {
  let stateDir: string;
  let host: TestHost;
  let client: HostClient;

  const start = async () => {
    host = await startTestHost({ stateDir, agentSources: [new AcpAgents()] });
    client = await host.connect();
  };
  beforeEach(async () => {
    stateDir = await temporaryFolder();
    await writeAgents(stateDir, {
      stub: stubEntry(stateDir, { STUB_SETTINGS: '1' }),
      old: stubEntry(stateDir, { STUB_CHOICES: 'old' }),
      refusing: stubEntry(stateDir, { STUB_CHOICES: 'old', STUB_MODES: 'ask refused' }),
      none: stubEntry(stateDir, { STUB_CHOICES: 'none' }),
    });
    await start();
  });
  afterEach(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const create = async (provider = 'stub') => {
    const session = await client.createSession({ provider });
    await session.ready();
    return session;
  };
  const settingOf = ({ settings = [] }: { settings?: readonly SessionSetting[] }, id: string) =>
    settings.find((one) => one.id === id);
  const setting = (session: SessionHandle, id: string) => settingOf(session.confirmed.value, id);
  const values = (session: SessionHandle) =>
    (session.confirmed.value.settings ?? []).map(({ id, value }) => `${id}=${value}`).join(' ');
  const untilSetting = (session: SessionHandle, id: string, is: (found: SessionSetting) => boolean) =>
    until(session.confirmed, (state) => [settingOf(state, id)].some((one) => one && is(one)), `the setting ${id}`);

  it('are in the state from the beginning, without the model', async () => {
    expect((await create()).confirmed.value.settings).toEqual([
      { id: 'mode', name: 'mode', kind: 'mode', value: 'ask', values: [named('ask', 'Ask'), named('free', 'Free')] },
      {
        id: 'effort',
        name: 'Effort',
        kind: 'effort',
        value: 'low',
        values: ['low', 'high', 'refused', 'never', 'other'].map((id) => named(id, id.toUpperCase())),
      },
      {
        id: 'fast',
        name: 'Fast',
        description: 'Costs more.',
        value: 'off',
        values: [named('on', 'On'), named('off', 'Off')],
      },
    ]);
    expect((await create('old')).confirmed.value.settings).toEqual([
      { id: 'mode', name: 'Mode', kind: 'mode', value: 'ask', values: [named('ask', 'Ask'), named('free', 'Free')] },
    ]);
    for (const provider of ['none', 'shell']) {
      expect((await create(provider)).confirmed.value).not.toHaveProperty('settings');
    }
  });

  it('are set by any client: the agent and all clients have the new values', async () => {
    const session = await create();
    const other = await (await host.connect()).openSession(session.uri);
    await session.chooseSetting('effort', 'high');
    await session.chooseSetting('fast', 'on');
    await other.chooseSetting('mode', 'free');
    expect(await say(session, 'settings?')).toBe('free high true');
    expect([values(session), values(other)]).toEqual(Array(2).fill('mode=free effort=high fast=on'));
    expect(session.confirmed.value.summary.mode).toEqual({ id: 'free', name: 'Free' });
    expect((await client.listSessions()).items[0]?.mode).toEqual({ id: 'free', name: 'Free' });
    expect(setting(session, 'effort')?.chosen?.by).toBeDefined();
  });

  it('are set in a running turn, which the state says', async () => {
    const session = await create('old');
    const turnId = await session.send('endless');
    await session.chooseSetting('mode', 'free');
    expect(setting(session, 'mode')?.chosen?.turnId).toBe(turnId);
    expect(session.confirmed.value.activeTurn?.id).toBe(turnId);
    await session.cancel();
    expect(await say(session, 'model')).toBe('small free');
  });

  it('go back when the agent refuses, with the reason', async () => {
    const session = await create();
    await session.chooseSetting('effort', 'refused');
    const state = await untilSetting(session, 'effort', ({ problem }) => problem !== undefined);
    expect(settingOf(state, 'effort')).toMatchObject({
      value: 'low',
      problem: expect.stringContaining('Not with this model'),
    });
    expect(settingOf(state, 'effort')).not.toHaveProperty('chosen');
    await session.chooseSetting('effort', 'high');
    expect(setting(session, 'effort')).not.toHaveProperty('problem');
    await session.chooseSetting('effort', 'other');
    await untilSetting(session, 'effort', ({ value, problem }) => value === 'low' && problem !== undefined);
  });

  it('keep a message from an agent that refuses the mode which was chosen before it', async () => {
    const session = await create('refusing');
    // Both are on their way before the agent can have answered.
    await Promise.all([session.chooseSetting('mode', 'refused'), say(session, 'hello')]);
    expect(session.confirmed.value.turns.at(-1)).toMatchObject({
      state: 'error',
      error: { message: expect.stringMatching(/did not change its mode.*Not with this model/) },
    });
    expect(await say(session, 'recall')).toBe('recall');
    expect(session.confirmed.value.summary.mode?.id).toBe('ask');
  });

  it('of an agent that never answers for one leave the session usable', async () => {
    const session = await create();
    await session.chooseSetting('effort', 'never');
    await session.chooseSetting('effort', 'high');
    expect(await say(session, 'hello')).toBe('You said: hello');
    expect(values(session)).toContain('effort=high');
  });

  it('that are unknown are refused', async () => {
    const session = await create();
    const refusal = (id: string, value: string) =>
      session.chooseSetting(id, value).then(
        () => 'taken',
        (error: { code?: string; message: string }) => error.message,
      );
    expect(await refusal('speed', 'fast')).toContain('unknown setting');
    expect(await refusal('effort', 'ultra')).toContain('unknown value of the setting');
    expect(await refusal('toString', 'x')).toContain('unknown setting');
    expect(values(session)).toBe('mode=ask effort=low fast=off');
  });

  it.each(['stub', 'old'])('are set again after a restart of the host (%s)', async (provider) => {
    const session = await create(provider);
    await say(session, 'hello');
    await session.chooseSetting('mode', 'free');
    if (provider === 'stub') await session.chooseSetting('effort', 'high');
    await host.dispose();
    await start();
    const again = await client.openSession(session.uri);
    const expected = provider === 'stub' ? 'mode=free effort=high fast=off' : 'mode=free';
    expect(values(again)).toBe(expected);
    expect(await say(again, 'settings?')).toBe(provider === 'stub' ? 'free high false' : 'free low false');
    expect(values(again)).toBe(expected);
  });

  it('are set when they were chosen while the agent was closed, also before the first message', async () => {
    const session = await create();
    await session.chooseSetting('effort', 'high');
    await host.dispose();
    await start();
    const again = await client.openSession(session.uri);
    await again.chooseSetting('fast', 'on');
    expect(await say(again, 'settings?')).toBe('ask high true');
  });

  it('that the agent refuses when it is opened are taken back, and a notice says so', async () => {
    const session = await create();
    await say(session, 'hello');
    await host.dispose();
    await start();
    const again = await client.openSession(session.uri);
    await again.chooseSetting('effort', 'refused');
    expect(await say(again, 'settings?')).toBe('ask low false');
    expect(values(again)).toBe('mode=ask effort=low fast=off');
    const notices = again.confirmed.value.turns.at(-1)?.responseParts.filter(({ kind }) => kind === 'notice');
    expect(notices).toMatchObject([{ text: expect.stringContaining('Effort could not be set again') }]);
  });

  it('that two clients choose at once are the same for both, and for the agent', async () => {
    const session = await create();
    const other = await (await host.connect()).openSession(session.uri);
    const choices = Array.from({ length: 40 }, (_, n) =>
      (n % 2 ? session : other).chooseSetting('effort', n % 3 ? 'high' : 'low'),
    );
    await Promise.all(choices);
    const said = await say(session, 'settings?');
    await until(other.confirmed, ({ turns }) => turns.length === 1, 'the turn');
    expect(values(session)).toBe(values(other));
    expect(said.split(' ')[1]).toBe(setting(session, 'effort')?.value);
  });

  it('of a viewer can not be chosen', async () => {
    const session = await create();
    await client.devices.add({ name: 'an owner' });
    const { device, token = '' } = await client.devices.add({ name: 'a viewer' });
    await client.devices.update({ device: device.id, role: 'viewer' });
    const viewer = await host.connect({ token });
    const watched = await viewer.openSession(session.uri);
    await expect(watched.chooseSetting('effort', 'high')).rejects.toThrow(/role/);
    expect(values(session)).toBe('mode=ask effort=low fast=off');
  });

  it('[VER6] are in the snapshot of a client of version 1, which gets no actions for them', async () => {
    const session = await create();
    const older = await RawClient.open(host);
    await older.request('initialize', { protocolVersion: 1, clientId: 'old' });
    await older.request('subscribe', { resource: session.uri });
    await session.chooseSetting('effort', 'high');
    await session.chooseSetting('effort', 'refused');
    await untilSetting(session, 'effort', ({ problem }) => problem !== undefined);
    await older.fence();
    const types = older.envelopes.map(({ action }) => action.type);
    expect(types.filter((type) => type.includes('setting'))).toEqual([]);
    const own = { session: session.uri, type: 'session/settingChosen', setting: 'fast', value: 'on' } as const;
    expect((await older.act(own)).rejectionReason).toBe('unknown action');
    expect(setting(session, 'fast')?.value).toBe('off');
    await older.end();
  });

  it('follow the agent, and are cleaned and bounded', async () => {
    const session = await create();
    const option = (changes: object) => ({
      id: 'a',
      name: 'A',
      type: 'select',
      currentValue: 'x',
      options: [],
      ...changes,
    });
    const odd = [
      7,
      null,
      { id: 3, type: 'select' },
      option({ id: 'a\u0007b' }),
      option({ id: '__proto__' }),
      option({ id: 'x'.repeat(300) }),
      option({ id: 'b', currentValue: 5 }),
      option({
        id: 'good',
        name: 'Two\n\u001b[31mlines',
        options: [
          { value: 'x', name: '\u0000' },
          { value: 'a\nb', name: 'no' },
        ],
      }),
      option({ id: 'good', name: 'again' }),
    ];
    await say(session, `settings-odd ${JSON.stringify(odd)}`);
    const state = await until(session.confirmed, ({ settings }) => settings?.length === 1, 'one setting');
    expect(state.settings).toEqual([
      { id: 'good', name: 'Two [31mlines', value: 'x', values: [{ id: 'x', name: 'x' }] },
    ]);
    await say(session, 'settings-many 10000');
    await until(session.confirmed, ({ settings }) => settings?.length === MAX_SETTINGS, 'as many as fit');
    const long = Array.from({ length: 10 }, (_, n) =>
      option({
        id: `l${n}`,
        options: Array.from({ length: 90 }, (_, v) => ({
          value: `v${v}`,
          name: `N${v}`,
          description: 'd'.repeat(900),
        })),
      }),
    );
    await say(session, `settings-odd ${JSON.stringify(long)}`);
    await until(session.confirmed, ({ settings }) => settings?.[0]?.id === 'l0', 'long ones');
    expect(JSON.stringify(session.confirmed.value.settings).length).toBeLessThanOrEqual(MAX_SETTINGS_LENGTH);
  });

  it('that change all the time are told from time to time, and the last ones are', async () => {
    const session = await create();
    let told = 0;
    session.onAction(({ envelope }) => {
      if (envelope.action.type === 'session/settingsChanged') told++;
    });
    const startedAt = performance.now();
    await say(session, 'settings-flood 3000');
    await untilSetting(session, 'n', ({ value }) => value === 'v2999');
    expect(told).toBeLessThanOrEqual(3 + (performance.now() - startedAt) / 400);
  });

  function named(id: string, name: string) {
    return { id, name };
  }
});
