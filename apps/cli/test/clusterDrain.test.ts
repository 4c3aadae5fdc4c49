import { Database } from '@agenthost/host/maintenance';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { postgresOfFile } from '../../../test/support/storage/postgresOfFile.js';
import { startTestHost, type TestHost } from '../../../test/support/testHost.js';
import { drain } from '../src/cluster/drain.js';

const postgres = postgresOfFile();

let host: TestHost;
let database: Database;
beforeAll(async () => {
  const url = await postgres.server.newDatabase();
  host = await startTestHost({ database: url, leaseMs: 1_000 });
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  database = await Database.open({ url, log });
});
afterAll(async () => {
  await database.close();
  await host.dispose();
});

describe('agenthost cluster drain', () => {
  it('says which host it means, and tells it', async () => {
    await expect(drain(database, [])).rejects.toThrow('Say which host drains.');
    await expect(drain(database, ['a', 'b'])).rejects.toThrow('Say which host drains.');
    await expect(drain(database, ['nobody'])).rejects.toThrow('No host of this database is called nobody.');
    // Too short for an id.
    await expect(drain(database, [host.host.instanceId.slice(0, 3)])).rejects.toThrow('No host of this database');
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      expect(await drain(database, [host.host.instanceId.slice(0, 8)], { json: true })).toBe(0);
      expect(JSON.parse(String(write.mock.lastCall?.[0]))).toMatchObject({ id: host.host.instanceId, sessions: 0 });
    } finally {
      write.mockRestore();
    }
    const health = async () => (await fetch(new URL('/healthz', host.url))).text();
    await expect.poll(health, { timeout: 10_000 }).toBe('draining\n');
  });
});
