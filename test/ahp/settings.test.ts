import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AhpTestHost, ahpSubscribe, startAhpHost } from '../support/ahpHost.js';
import { say } from '../support/say.js';
import { until } from '../support/until.js';

let host: AhpTestHost;
beforeAll(async () => {
  host = await startAhpHost();
});
afterAll(() => host.dispose());

it("the agent's settings are the configuration of the session, which clients change", async () => {
  const ours = await (await host.connect()).createSession({ provider: 'mock' });
  await ours.ready();
  await say(ours, 'settings');
  const [client, other] = [await host.client('chooses'), await host.client('looks on')];
  const { snapshots } = await ahpSubscribe(client, ours.uri);
  await ahpSubscribe(other, ours.uri);
  expect(snapshots.session.state.config).toMatchObject({
    schema: {
      properties: {
        permissionMode: {
          title: 'Mode',
          enum: ['plan', 'ask', 'edit'],
          enumLabels: ['Plan', 'Ask', 'Edit'],
          sessionMutable: true,
        },
        effort: { enum: ['low', 'medium', 'high', 'max'] },
      },
    },
    values: { permissionMode: 'ask', effort: 'medium' },
  });
  const config = { permissionMode: 'plan', effort: 'high', theme: 'dark' };
  const echo = await client.act(ours.uri, { type: 'session/configChanged', config });
  expect(echo).not.toHaveProperty('rejectionReason');
  await until(ours.confirmed, ({ settings }) => settings?.every(({ pending }) => !pending) === true, 'the answers');
  expect(await say(ours, 'settings?')).toBe('mode=plan effort=high');
  const told = [await other.action('session/configChanged'), await other.action('session/configChanged')];
  expect(Object.assign({}, ...told.map(({ action }) => action.config))).toEqual({
    permissionMode: 'plan',
    effort: 'high',
  });

  const refused = await client.act(ours.uri, { type: 'session/configChanged', config: { permissionMode: 'wild' } });
  expect(refused).toHaveProperty('rejectionReason');
  // The agent takes it back, and all are told.
  await client.act(ours.uri, { type: 'session/configChanged', config: { effort: 'max' } });
  await other.action('session/configChanged', ({ action }) => action.config.effort === 'max');
  await other.action('session/configChanged', ({ action }) => action.config.effort === 'high');
});
