import type { ListSessionsResult } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawClient } from '../../support/rawClient.js';
import { AttackedHost } from './attackedHost.js';

const SESSIONS = 20;
const TURNS = 10;

/** What a search has to look at is written by agents: repetitive output is enough to make it slow. */
describe('searches', () => {
  let attacked: AttackedHost;
  let client: RawClient;

  beforeAll(async () => {
    attacked = await AttackedHost.start();
    client = await RawClient.open(attacked.host);
    await client.request('initialize', { protocolVersion: 2, clientId: 'attacker' });
    for (let n = 0; n < SESSIONS; n++) {
      const turns = Array.from({ length: TURNS }, (_, turn) => ({
        id: `t${turn}`,
        userMessage: { text: 'a '.repeat(8_000) },
        responseParts: [{ kind: 'markdown', id: 'm', content: 'a b '.repeat(8_000) }],
        toolCalls: [],
        state: 'complete',
        startedAt: 1,
        endedAt: 2,
      }));
      await client.request('importSession', { session: `mock:/s${n}`, provider: 'mock', turns });
    }
  }, 120_000);
  afterAll(async () => {
    await client.end();
    await attacked.dispose();
  });

  const search = (text: string) => client.request<ListSessionsResult>('listSessions', { filter: { text }, limit: 500 });

  it.each([
    ['a word', 'a'],
    ['many words', Array(32).fill('a').join(' ')],
    ['many prefixes', Array.from({ length: 32 }, (_, n) => 'ab'[n % 2]).join(' ')],
    ['a long phrase', `"${'a b '.repeat(240)}"`],
  ])('for %s in repetitive text do not hold up others', async (what, text) => {
    const { total, snippets = {} } = await attacked.during(`a search for ${what}`, () => search(text));
    expect(total).toBe(SESSIONS);
    for (const snippet of Object.values(snippets)) expect(snippet).toContain('⟨a');
  });
});
