import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { startTestHost, type TestHost } from '../../../../test/support/testHost.js';

const postgres = postgresOfFile();

let host: TestHost;
beforeAll(async () => {
  host = await startTestHost({ database: await postgres.server.newDatabase(), leaseMs: 1_000 });
});
afterAll(async () => {
  await postgres.server.run().catch(() => {});
  await host.dispose();
});

async function health(): Promise<string> {
  const answer = await fetch(new URL('/healthz', host.url));
  return `${answer.status} ${await answer.text()}`.trim();
}

describe('/healthz of a host with a database', () => {
  it('[FEN6] fails when the database was not reached for a lease, and recovers with it', async () => {
    expect(await health()).toBe('200 ok');
    await postgres.server.stop('SIGQUIT');
    await expect.poll(health, { timeout: 10_000 }).toBe('503 database');
    await postgres.server.run();
    await expect.poll(health, { timeout: 10_000 }).toBe('200 ok');
  });
});
