import { ERROR_CODE, type ListSessionsResult, MAX_JSON_VALUES, type Turn } from '@agenthost/protocol';
import { MAX_CONFIG_LENGTH, MAX_METADATA_LENGTH, MAX_PAGE_BYTES } from '@agenthost/protocol/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawClient } from '../../support/rawClient.js';
import { startTestHost, type TestHost } from '../../support/testHost.js';

/** Issue 17, point 7: what one request may bring, and what it may be answered with. */
describe('requests', () => {
  let host: TestHost;
  let client: RawClient;
  beforeAll(async () => {
    host = await startTestHost();
    client = await host.raw('client');
  });
  afterAll(() => host.dispose());

  const newSession = () => `mock:/${crypto.randomUUID()}`;

  it('[SCH6] with too many values are refused, and the connection continues', async () => {
    const { code, message } = await client.refusal('ping', { many: Array(MAX_JSON_VALUES).fill(0) });
    expect([code, message]).toEqual([ERROR_CODE.invalidRequest, expect.stringContaining(`${MAX_JSON_VALUES} values`)]);
    await client.request('ping', { many: Array(MAX_JSON_VALUES - 30).fill(0) });
  });

  it.each([
    ['metadata', MAX_METADATA_LENGTH],
    ['config', MAX_CONFIG_LENGTH],
  ])('[SCH6] with too much %s are refused', async (name, most) => {
    const value = (length: number) => ({ [name]: { a: 'x'.repeat(length - 8) } });
    const refusal = await client.refusal('createSession', { session: newSession(), ...value(most + 1) });
    expect(refusal).toMatchObject({ code: ERROR_CODE.invalidParams, message: expect.stringContaining(`${most}`) });
    await client.request('createSession', { session: newSession(), ...value(most) });
  });

  it('[SCH6] to import with too much metadata are refused', async () => {
    const metadata = { a: 'x'.repeat(MAX_METADATA_LENGTH) };
    const refusal = await client.refusal('importSession', { session: newSession(), turns: [], metadata });
    expect(refusal.code).toBe(ERROR_CODE.invalidParams);
  });

  it('[PAGE1] of listSessions return as many summaries as fit, and all pages together have every session once', async () => {
    const made = Array.from({ length: 90 }, newSession);
    const metadata = { a: 'x'.repeat(16_000) };
    for (const session of made) await client.request('importSession', { session, turns: [], metadata });
    const listed: string[] = [];
    let cursor: string | undefined;
    do {
      const params = { limit: 500, ...(cursor !== undefined && { cursor }) };
      const page = await client.request<ListSessionsResult>('listSessions', params);
      expect(JSON.stringify(page.items).length).toBeLessThan(1.1 * MAX_PAGE_BYTES);
      expect(page.total).toBeGreaterThanOrEqual(made.length);
      listed.push(...page.items.map(({ resource }) => resource));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed).toEqual(expect.arrayContaining(made));
  });

  it('of the SDK to import many small parts are split until they fit', async () => {
    const sdk = await host.connect();
    const turns = Array.from(
      { length: 2 },
      (_, n): Turn => ({
        id: `t${n}`,
        userMessage: { text: 'hello' },
        responseParts: Array.from({ length: 20_000 }, (__, k) => ({ kind: 'markdown', id: `p${k}`, content: 'a' })),
        toolCalls: [],
        state: 'complete',
        startedAt: n,
        endedAt: n,
      }),
    );
    const session = await sdk.importSession({ provider: 'mock', turns });
    const parts = { session: session.uri, turnId: 't1', limit: 1 };
    expect(await client.request('fetchParts', parts)).toMatchObject({ earlier: 19_999 });
  });
});
