import { expect, it } from 'vitest';
import { startTestHost } from '../../support/testHost.js';
import { call, overHttp } from './support.js';

const SESSIONS = 10_000;
const AT_ONCE = 50;

it('10,000 sessions are listed in short pages, each once, and a search does not tell more', async () => {
  const host = await startTestHost();
  try {
    const raw = await host.raw('maker');
    for (let n = 0; n < SESSIONS; n += AT_ONCE) {
      const made = Array.from({ length: AT_ONCE }, () => `mock:/${crypto.randomUUID()}`);
      await Promise.all(made.map((session) => raw.request('createSession', { session })));
    }
    const client = await overHttp(host);
    const seen = new Set<string>();
    let cursor: string | undefined;
    let longest = 0;
    do {
      const page = await call(client, 'list_sessions', { limit: 100, ...(cursor !== undefined && { cursor }) });
      longest = Math.max(longest, JSON.stringify(page).length);
      for (const { session } of page.sessions) seen.add(session);
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(seen.size).toBe(SESSIONS);
    expect(longest).toBeLessThan(50_000);
    const found = await call(client, 'search_sessions', { text: 'mock', limit: 100 });
    expect(JSON.stringify(found).length).toBeLessThan(100_000);
    await client.close();
  } finally {
    await host.dispose();
  }
});
