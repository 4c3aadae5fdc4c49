import type { SessionState, Snapshot, Turn } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AttackedHost } from './attackedHost.js';
import { FloodReader } from './floodReader.js';

const SESSIONS = 200;

/** Issue 17, point 22: what all loaded sessions take is bounded, not only how long they stay. */
describe('many large sessions', { timeout: 300_000 }, () => {
  let attacked: AttackedHost;
  let client: FloodReader;
  const sessions = Array.from({ length: SESSIONS }, () => `mock:/${crypto.randomUUID()}`);

  beforeAll(async () => {
    attacked = await AttackedHost.start();
    client = await FloodReader.open(attacked.host, 'driver');
    const turns = Array.from({ length: 4 }, (_, n) => turn(n));
    for (const session of sessions) await client.request('importSession', { session, turns });
  }, 300_000);
  afterAll(async () => {
    await client.end();
    await attacked.dispose();
  });

  const turn = (n: number): Turn => ({
    id: `t${n}`,
    userMessage: { text: 'hello' },
    responseParts: Array.from({ length: 8 }, (_, part) => ({
      kind: 'markdown',
      id: `p${part}`,
      content: `${n} ${part} `.repeat(8_000),
    })),
    toolCalls: [],
    state: 'complete',
    startedAt: n,
    endedAt: n,
  });

  it('are opened one after the other', async () => {
    await attacked.during(`${SESSIONS} sessions of 1 MB are opened one after the other`, async () => {
      for (const resource of sessions) {
        const { state } = await client.request<Snapshot>('subscribe', { resource });
        expect((state as SessionState).turns.length).toBeGreaterThan(0);
        client.notify('unsubscribe', { resource });
      }
    });
  });

  it('are named in one handshake', async () => {
    await attacked.during(`${SESSIONS} sessions of 1 MB are named in one handshake`, async () => {
      const greedy = await FloodReader.open(attacked.host, 'greedy', sessions);
      const { snapshots } = greedy.greeting as { readonly snapshots: readonly Snapshot[] };
      expect(snapshots.length).toBeGreaterThan(10);
      expect(JSON.stringify(snapshots).length).toBeLessThan(8 * 1024 * 1024);
      await greedy.end();
    });
  });
});
