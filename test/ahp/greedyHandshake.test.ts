import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AhpTestHost, startAhpHost } from '../support/ahpHost.js';

let host: AhpTestHost;
beforeAll(async () => {
  host = await startAhpHost();
});
afterAll(() => host.dispose());

it('logs an unsupported version once per client, for a bounded number of clients', async () => {
  const warnings = () => host.warned.filter((line) => line.includes('none of which is spoken here')).length;
  const client = await host.open('viewer');
  const offer = { clientId: 'again', protocolVersions: ['2.0.0'], clientInfo: { name: 'Again' } };
  const before = warnings();
  for (let n = 0; n < 20; n++) await client.refusal('initialize', offer);
  expect(warnings()).toBe(before + 1);
  for (let n = 0; n < 150; n++) await client.refusal('initialize', { ...offer, clientInfo: { name: `Again ${n}` } });
  expect(warnings()).toBeLessThanOrEqual(100);
});

it('refuses a list of channels that is too long', async () => {
  const client = await host.open('viewer');
  const channels = Array.from({ length: 50_000 }, (_, n) => `a:/${n}`);
  const hello = { clientId: 'greedy', protocolVersions: ['0.9.0'], initialSubscriptions: channels };
  expect(await client.refusal('initialize', hello)).toMatchObject({
    code: -32602,
    message: expect.stringContaining('initialSubscriptions has more than'),
  });
  await client.initialize('greedy', ['0.9.0']);
  const second = await host.open('viewer');
  const back = { clientId: 'greedy', lastSeenServerSeq: 0, subscriptions: channels };
  expect(await second.refusal('reconnect', back)).toMatchObject({
    code: -32602,
    message: expect.stringContaining('subscriptions has more than'),
  });
});
