import { expect, it } from 'vitest';
import { RawClient } from '../../../../test/support/rawClient.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { startTestHost } from '../../../../test/support/testHost.js';

const postgres = postgresOfFile();

it('a token that one host has just made opens every other one at once: a balancer leads its device there', async () => {
  const database = await postgres.server.newDatabase();
  const [first, second] = [await startTestHost({ database }), await startTestHost({ database })];
  for (const name of ['phone', 'tablet', 'laptop']) {
    const token = await first.host.deviceTokens.add(name, 'viewer');
    const client = await RawClient.open({ url: second.url, token });
    await client.request('initialize', { protocolVersion: 1, clientId: name, clientInfo: { name } });
    await client.end();
  }
  await expect(RawClient.open({ url: second.url, token: 'x'.repeat(43) })).rejects.toThrow();
  await first.dispose();
  await second.dispose();
});
