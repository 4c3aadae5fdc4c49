import { rm } from 'node:fs/promises';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { AcpAgents } from '@agenthost/host';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stubEntry, writeAgents } from '../../support/agents/stubAgent.js';
import { say } from '../../support/say.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

describe('the mode of an agent', () => {
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
      stub: stubEntry(stateDir),
      old: stubEntry(stateDir, { STUB_CHOICES: 'old' }),
      none: stubEntry(stateDir, { STUB_CHOICES: 'none' }),
    });
    await start();
  });
  afterEach(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const modeOf = (session: SessionHandle) => session.confirmed.value.summary.mode;
  const create = async (provider: string, config?: object) => {
    const session = await client.createSession({ provider, ...(config && { config: { ...config } }) });
    await session.ready();
    return session;
  };
  const failure = (provider: string, mode: unknown) =>
    create(provider, { mode }).then(
      () => 'made',
      (error: Error) => error.message,
    );

  it.each(['stub', 'old'])(
    'is in the state from the beginning, and changes when the agent reports it (%s)',
    async (provider) => {
      const session = await create(provider);
      expect(modeOf(session)).toEqual({ id: 'ask', name: 'Ask' });
      const { items } = await client.listSessions();
      expect(items[0]?.mode).toEqual({ id: 'ask', name: 'Ask' });
      await say(session, 'mode');
      expect(modeOf(session)).toEqual({ id: 'free', name: 'Free' });
      await say(session, 'mode-later');
      await until(session.confirmed, ({ summary }) => summary.mode?.id === 'ask', 'the mode between two turns');
    },
  );

  it('is absent when the agent has none', async () => {
    const session = await create('none');
    expect(session.confirmed.value.summary).not.toHaveProperty('mode');
    expect(modeOf(await create('shell'))).toBeUndefined();
  });

  it.each(['stub', 'old'])('is the one that createSession requests (%s)', async (provider) => {
    const session = await create(provider, { mode: 'free' });
    expect(modeOf(session)).toEqual({ id: 'free', name: 'Free' });
    expect(await say(session, 'model')).toBe('small free');
  });

  it.each([
    ['stub', 'wild', 'There is no mode "wild". There are: ask, free.'],
    ['old', 'wild', 'There is no mode "wild". There are: ask, free.'],
    ['old', '__proto__', 'There is no mode "__proto__". There are: ask, free.'],
    ['none', 'wild', 'There is no mode "wild". It offers no modes.'],
    ['shell', 'interactive', 'Shell has no modes. Leave config.mode out.'],
    ['mock', 'interactive', 'Mock has no modes. Leave config.mode out.'],
    ['stub', 7, 'config.mode must be the id of a mode.'],
    ['shell', { id: 'x' }, 'config.mode must be the id of a mode.'],
  ])('of %s can not be %j', async (provider, mode, message) => {
    expect(await failure(provider, mode)).toContain(message);
  });

  it('is the last one, not the first, after the agent and the host were restarted', async () => {
    const session = await create('old', { mode: 'ask' });
    await say(session, 'mode');
    expect(modeOf(session)).toEqual({ id: 'free', name: 'Free' });
    await host.dispose();
    await start();
    const again = await client.openSession(session.uri);
    expect(modeOf(again)).toEqual({ id: 'free', name: 'Free' });
    expect(await say(again, 'model')).toBe('small free');
    expect(modeOf(again)).toEqual({ id: 'free', name: 'Free' });
  });

  it('is the actual one when the agent no longer has the old one', async () => {
    const session = await create('old', { mode: 'free' });
    await say(session, 'hello');
    await host.dispose();
    await writeAgents(stateDir, { old: stubEntry(stateDir, { STUB_CHOICES: 'old', STUB_MODES: 'ask plan' }) });
    await start();
    const again = await client.openSession(session.uri);
    expect(await say(again, 'model')).toBe('small ask');
    expect(modeOf(again)).toEqual({ id: 'ask', name: 'Ask' });
  });

  it('is cleaned and bounded', async () => {
    const session = await create('old');
    await say(session, `mode-odd ${JSON.stringify({ currentModeId: `a\n\u0007b${'x'.repeat(9_000)}` })}`);
    const { id = '' } = modeOf(session) ?? {};
    expect([id.slice(0, 4), id.length]).toEqual(['a bx', 256]);
    for (const odd of [{}, { currentModeId: 7 }, { currentModeId: '' }, { currentModeId: '__proto__' }]) {
      await say(session, `mode-odd ${JSON.stringify(odd)}`);
      expect(modeOf(session)?.id).toBe(id);
    }
  });
});
