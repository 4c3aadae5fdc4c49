import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { ask, eventually, follow, newSession, type SentEvent, storedEvents } from '../../../../test/e2e/api/support.js';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { startTestHost, type TestHost } from '../../../../test/support/testHost.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

let first: TestHost;
let second: TestHost;
beforeEach(async () => {
  const database = await postgres.server.newDatabase();
  const start = async () => {
    const host = await startTestHost({ database, leaseMs: 20_000 });
    cleanups.push(() => host.dispose());
    return host;
  };
  [first, second] = [await start(), await start()];
});

describe('HTTP for scripts at two hosts of a database', () => {
  it('events go on at the other host, without loss or doubling', async () => {
    const session = await newSession(first);
    const at = `/api/v1/sessions/${session}`;
    const seen: SentEvent[] = [];
    for (let turn = 0; turn < 6; turn++) {
      const host = turn % 2 === 0 ? second : first;
      const sent = (
        await ask(turn % 3 === 0 ? first : second, 'POST', `${at}/messages`, { body: { text: 'stream 20' } })
      ).json;
      const last = seen.at(-1)?.id;
      for await (const one of follow(host, session, { last })) {
        if (one.event !== 'connected') seen.push(one);
        if (one.event === 'session/turnComplete' && one.data.includes(sent.turnId)) break;
      }
    }
    const all = await storedEvents(first, session);
    expect(seen).toEqual(all.slice(0, seen.length));
    expect(all.length - seen.length).toBeLessThan(5);
  });

  it('a key counts at the other host, also while the first one is at it', async () => {
    const key = crypto.randomUUID();
    const asked = { key, body: { provider: 'mock' } };
    const insist = async (host: TestHost) => {
      for (;;) {
        const answer = await ask(host, 'POST', '/api/v1/sessions', asked);
        if (answer.json.code !== 'idempotencyKeyInUse') return answer;
        await delay(10);
      }
    };
    const answers = await Promise.all([insist(first), insist(second), insist(first), insist(second)]);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const other = await ask(second, 'POST', '/api/v1/sessions', { key, body: { provider: 'shell' } });
    expect([other.status, other.json.code]).toEqual([422, 'idempotencyKeyUsed']);
    await eventually(
      async () => (await ask(second, 'GET', '/api/v1/sessions')).json.total,
      (total) => total === 1,
    );
  });
});
