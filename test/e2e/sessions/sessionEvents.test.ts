import { rm } from 'node:fs/promises';
import { type SessionAction, type SessionState, sessionReducer } from '@agenthost/protocol';
import type { FetchEventsResult } from '@agenthost/protocol/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RawClient } from '../../support/rawClient.js';
import { rawSession, startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';

const UNLOGGED = ['session/clientsChanged', 'session/approvalsChanged', 'session/clientToolsChanged'];

describe('fetchEvents', () => {
  let host: TestHost;
  let client: RawClient;
  let session: string;
  beforeEach(async () => {
    host = await startTestHost({ stateDir: await temporaryFolder() });
    client = await host.raw('client');
    session = await rawSession([client]);
  });
  afterEach(async () => {
    await host.dispose();
    await rm(host.stateDir, { recursive: true, force: true });
  });

  const fetch = (params: object, by = client) => by.request<FetchEventsResult>('fetchEvents', { session, ...params });
  async function run(turnId: string, text: string): Promise<void> {
    await client.act({ type: 'session/turnStarted', session, turnId, userMessage: { text } });
    await client.nextAction(session, 'session/turnComplete', (action) => action.turnId === turnId);
  }
  async function all(limit: number, after?: string) {
    const items: FetchEventsResult['items'][number][] = [];
    for (let cursor = after; ; ) {
      const page = await fetch({ limit, ...(cursor !== undefined && { after: cursor }) });
      items.push(...page.items);
      cursor = page.cursor;
      if (!page.hasMore) return items;
    }
  }

  it('[EVENTS1] gives every stored action once and in order, in pages of any length', async () => {
    await run('t1', 'hello');
    await run('t2', 'stream 200');
    const whole = await all(500);
    const live = client.envelopes.filter(({ action }) => 'session' in action && action.session === session);
    const texts = (envelopes: readonly { readonly action: object }[]) =>
      envelopes.flatMap(({ action }) => ('content' in action ? [action.content] : [])).join('');
    expect(texts(whole.map(({ envelope }) => envelope))).toBe(texts(live));
    expect(whole.map(({ envelope }) => envelope.serverSeq)).toEqual(
      whole.map(({ envelope }) => envelope.serverSeq).toSorted((a, b) => a - b),
    );
    for (const type of UNLOGGED) expect(whole.map(({ envelope }) => envelope.action.type)).not.toContain(type);
    for (const limit of [1, 2, 7]) expect(await all(limit)).toEqual(whole);
    for (const [at, { cursor }] of whole.entries()) expect(await all(500, cursor)).toEqual(whole.slice(at + 1));
  });

  it('[EVENTS1] has what was told, in the moment in which it was told', async () => {
    let { cursor } = await fetch({ newest: true, limit: 1 });
    for (const turnId of ['a', 'b', 'c']) {
      await client.act({ type: 'session/turnStarted', session, turnId, userMessage: { text: 'hello' } });
      await client.nextAction(session, 'session/turnComplete', (action) => action.turnId === turnId);
      const page = await fetch({ after: cursor, limit: 500 });
      expect(page.items.at(-1)?.envelope.action.type).not.toBe('session/turnStarted');
      expect(page.items.map(({ envelope }) => envelope.action.type)).toContain('session/turnComplete');
      expect(page.items.filter(({ envelope }) => envelope.action.type === 'session/turnStarted').length).toBe(1);
      cursor = page.cursor;
    }
  });

  it('[EVENTS1] reduces to the state of a subscriber', async () => {
    const { state, fromSeq } = await client.request<{ state: SessionState; fromSeq: number }>('subscribe', {
      resource: session,
    });
    await run('t1', 'stream 50');
    await client.act({ type: 'session/titleChanged', session, title: 'by hand' });
    const envelopes = (await all(500)).map(({ envelope }) => envelope).filter(({ serverSeq }) => serverSeq > fromSeq);
    const reduced = envelopes.reduce((before, { action }) => sessionReducer(before, action as SessionAction), state);
    const { turns, summary } = await client.stateOf(session);
    expect(reduced.turns).toEqual(turns);
    expect(reduced.summary.title).toBe(summary.title);
  });

  it('[EVENTS2] continues after a restart of the host, where it was', async () => {
    await run('t1', 'hello');
    const before = await all(500);
    const { stateDir } = host;
    await host.dispose();
    host = await startTestHost({ stateDir });
    client = await host.raw('another');
    expect(await all(500, before.at(-1)?.cursor)).toEqual([]);
    await client.request('subscribe', { resource: session });
    await run('t2', 'again');
    const after = await all(500, before.at(-1)?.cursor);
    expect(after.map(({ envelope }) => envelope.action.type)).toContain('session/turnComplete');
    expect([...before, ...after]).toEqual(await all(500));
  });

  it('[EVENTS2] refuses a place of another session of that name, and any that is made up', async () => {
    await run('t1', 'hello');
    const { cursor } = await fetch({ newest: true, limit: 1 });
    const id = session.slice('mock:/'.length);
    await client.request('disposeSession', { session });
    await client.request('createSession', { session: `mock:/${id}` });
    const places = [cursor, '0-0-0-00000000', '1-0-10-00000000', `1-${'9'.repeat(15)}-1-00000000`, '5-3-9-0011aabb'];
    for (const after of places) {
      const refused = await client.refusal('fetchEvents', { session, after, limit: 1 });
      expect([after, refused.code]).toEqual([after, -32008]);
    }
    expect((await client.refusal('fetchEvents', { session, after: '../x', limit: 1 })).code).toBe(-32602);
  });

  it('[EVENTS1] bounds a page by its bytes, with one event in any case', async () => {
    for (const n of [1, 2, 3]) await run(`t${n}`, `say ${'x'.repeat(700_000)}`);
    const pages: number[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await fetch({ limit: 500, ...(cursor !== undefined && { after: cursor }) });
      pages.push(Buffer.byteLength(JSON.stringify(page)));
      cursor = page.cursor;
      if (!page.hasMore) break;
    }
    expect(Math.max(...pages)).toBeLessThan(2 * 1024 * 1024);
  });
});
