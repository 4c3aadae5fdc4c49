import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestPostgres } from '../../../../test/support/storage/postgres.js';
import { startTestHost, type TestHost } from '../../../../test/support/testHost.js';

let server: TestPostgres;
let host: TestHost;
beforeAll(async () => {
  server = await TestPostgres.start();
  host = await startTestHost({ database: await server.newDatabase(), leaseMs: 1_000 });
});
afterAll(async () => {
  await server.run().catch(() => {});
  await host.dispose();
  await server.dispose();
});

async function health(): Promise<string> {
  const answer = await fetch(new URL('/healthz', host.url));
  return `${answer.status} ${await answer.text()}`.trim();
}

describe('/healthz of a host with a database', () => {
  it('[FEN6] fails when the database was not reached for a lease, and recovers with it', async () => {
    expect(await health()).toBe('200 ok');
    await server.stop('SIGQUIT');
    await expect.poll(health, { timeout: 10_000 }).toBe('503 database');
    await server.run();
    await expect.poll(health, { timeout: 10_000 }).toBe('200 ok');
  });
});
