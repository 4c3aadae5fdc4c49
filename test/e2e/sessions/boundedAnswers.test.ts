import type { SessionState } from '@agenthost/protocol';
import {
  type FetchPartsResult,
  type InitializeResult,
  MAX_PAGE_BYTES,
  MAX_RESYNC_BYTES,
  type ReconnectResult,
} from '@agenthost/protocol/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawClient } from '../../support/rawClient.js';
import { endedTurn } from '../../support/samples.js';
import { rawSession, startTestHost, type TestHost } from '../../support/testHost.js';

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Issue 17, point 17: what a client is sent at once is bounded by bytes, whatever sessions hold. */
describe('[PAGE1] answers', () => {
  let host: TestHost;
  let client: RawClient;
  beforeEach(async () => {
    host = await startTestHost();
    client = await host.raw('client');
  });
  afterEach(() => host.dispose());

  async function run(session: string, turnId: string, text: string): Promise<void> {
    await client.act({ type: 'session/turnStarted', session, turnId, userMessage: { text } });
    await client.nextAction(session, 'session/turnComplete', (action) => action.turnId === turnId);
  }

  it('to a handshake share their limit among its sessions, and each has its newest turn', async () => {
    const sessions = Array.from({ length: 12 }, () => `mock:/${crypto.randomUUID()}`);
    for (const session of sessions) {
      const turns = Array.from({ length: 8 }, (_, n) => endedTurn(n, 'x'.repeat(120_000)));
      await client.request('importSession', { session, turns });
    }
    const other = await RawClient.open(host);
    const { snapshots } = await other.request<InitializeResult>('initialize', {
      protocolVersion: 2,
      clientId: 'other',
      initialSubscriptions: sessions,
    });
    expect(snapshots.length).toBe(12);
    expect(bytesOf(snapshots)).toBeLessThan(MAX_RESYNC_BYTES * 1.1);
    for (const { state } of snapshots) expect((state as SessionState).turns.at(-1)?.id).toBe('t7');
    await other.end();
  });

  it('to reconnect have what was missed, or snapshots when that is too much', async () => {
    const session = await rawSession([client]);
    const missedSince = async (lastSeenServerSeq: number) => {
      const back = await RawClient.open(host);
      const result = await back.request<ReconnectResult>('reconnect', {
        protocolVersion: 2,
        clientId: 'away',
        lastSeenServerSeq,
        subscriptions: [session],
      });
      await back.end();
      return result;
    };
    const seen = () => client.envelopes.at(-1)?.serverSeq ?? 0;
    const before = seen();
    await run(session, 't1', 'many-notices 100 100');
    expect((await missedSince(before)).type).toBe('replay');
    const last = seen();
    await run(session, 't2', 'many-notices 400 15000');
    const result = await missedSince(last);
    expect(result.type).toBe('snapshot');
    expect(bytesOf(result)).toBeLessThan(MAX_PAGE_BYTES * 1.2);
  });

  it('of fetchParts have as many parts as fit, and all pages together have every part once', async () => {
    const session = await rawSession([client]);
    await run(session, 't1', 'many-notices 300 15000');
    const texts: string[] = [];
    for (let before = 301; before > 0; ) {
      const page = await client.request<FetchPartsResult>('fetchParts', { session, turnId: 't1', before, limit: 200 });
      expect(bytesOf(page.parts)).toBeLessThanOrEqual(MAX_PAGE_BYTES * 1.01);
      expect(page.parts.length).toBe(before - page.earlier);
      texts.unshift(
        ...page.parts.map((part) => (part.kind === 'notice' ? (part.text.split(' x')[0] ?? '') : part.kind)),
      );
      before = page.earlier;
    }
    expect(texts).toEqual([...Array.from({ length: 300 }, (_, n) => `Notice ${n}`), 'markdown']);
  });
});
