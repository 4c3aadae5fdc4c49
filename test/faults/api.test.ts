import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ask, eventually, follow, newSession, type SentEvent, storedEvents } from '../e2e/api/support.js';
import { type RestartableHost, startRestartableHost } from '../support/restartableHost.js';
import { amount, LONG_MS } from './support/amount.js';

const CUTS = amount('cuts', { smoke: 10, full: 100 });
const WRITES = amount('writes', { smoke: 20, full: 200 });

async function withHost(run: (host: RestartableHost) => Promise<void>): Promise<void> {
  const host = await startRestartableHost();
  try {
    await run(host);
  } finally {
    await host.dispose();
  }
}

/** Repeats a request until the host says what became of it. */
async function insist(
  host: RestartableHost,
  ...[method, path, asked]: Parameters<typeof ask> extends [unknown, ...infer R] ? R : never
) {
  for (const signal = AbortSignal.timeout(60_000); ; await delay(5, undefined, { signal })) {
    const answer = await ask(host, method, path, asked).catch(() => undefined);
    if (answer && answer.status < 500 && answer.json?.code !== 'sessionNotReady') return answer;
  }
}

describe('HTTP for scripts on a connection that is cut, to a host that is killed', { timeout: LONG_MS }, () => {
  it('a reader of events loses and doubles nothing', () =>
    withHost(async (host) => {
      const session = await newSession(host);
      const seen: SentEvent[] = [];
      let [connections, isOver] = [0, false];
      const reading = (async () => {
        while (!isOver) {
          try {
            for await (const one of follow(host, session, { last: seen.at(-1)?.id })) {
              if (one.event === 'connected') connections++;
              else seen.push(one);
              if (isOver) return;
            }
          } catch {
            await delay(2);
          }
        }
      })();
      for (let cut = 0; cut < CUTS; cut++) {
        const before = connections;
        await insist(host, 'POST', `/api/v1/sessions/${session}/messages`, {
          key: randomUUID(),
          body: { text: 'stream 300', kind: 'queued' },
        });
        await eventually(
          async () => connections,
          (now) => now > before || cut === 0,
        );
        if (cut === Math.floor(CUTS / 2)) {
          await host.end('SIGKILL');
          await host.start();
        } else host.cut(1);
      }
      const isIdle = ({ summary, queuedMessages }: { summary: { status: string }; queuedMessages?: object[] }) =>
        summary.status !== 'inProgress' && !queuedMessages;
      await eventually(async () => (await insist(host, 'GET', `/api/v1/sessions/${session}`)).json, isIdle);
      const all = await storedEvents(host, session);
      await eventually(
        async () => seen.length,
        (count) => count >= all.length,
      );
      isOver = true;
      host.cut(1);
      await reading;
      expect(seen.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
      expect(seen).toEqual(all);
      expect(connections).toBeGreaterThanOrEqual(CUTS / 2);
      console.info(`${connections} connections, ${all.length} events: 0 lost, 0 doubled`);
    }));

  it('a write with a key happens once, however often it is repeated', () =>
    withHost(async (host) => {
      const session = await newSession(host);
      const at = `/api/v1/sessions/${session}`;
      let isOver = false;
      const breaking = (async () => {
        for (let round = 0; !isOver; round++) {
          await delay(20);
          if (round % 40 === 39) {
            await host.end('SIGKILL');
            await host.start();
          } else if (round % 3 === 0) host.swallowAnswers();
          else host.cut(1);
        }
      })();
      const turns: string[] = [];
      const made: string[] = [];
      for (let n = 0; n < WRITES; n++) {
        const key = randomUUID();
        const sent = await insist(host, 'POST', `${at}/messages`, {
          key,
          body: { text: `message ${n}`, kind: 'queued' },
        });
        expect([sent.status, sent.text]).toEqual([202, expect.any(String)]);
        turns.push(`message ${n}`);
        if (n % 10 === 0)
          made.push(
            (await insist(host, 'POST', '/api/v1/sessions', { key, body: { provider: 'mock' } })).json.code ?? '',
          );
        if (n % 10 === 5)
          made.push(
            (await insist(host, 'POST', '/api/v1/sessions', { key: `${key}-s`, body: { provider: 'mock' } })).json
              .session,
          );
      }
      isOver = true;
      await breaking;
      host.cut(1);
      const texts = async () => {
        const { turns: found } = (await insist(host, 'GET', `${at}/turns?limit=200`)).json as {
          turns: { userMessage: { text: string } }[];
        };
        return found.map(({ userMessage }) => userMessage.text);
      };
      const found = await eventually(texts, (all) => all.length >= Math.min(turns.length, 200));
      expect(found.sort()).toEqual(turns.slice(-200).sort());
      const sessions = made.filter((one) => one.startsWith('mock:'));
      expect(made.filter((one) => !one.startsWith('mock:'))).toEqual(
        made.filter((one) => one === 'idempotencyKeyUsed'),
      );
      const { json } = await insist(host, 'GET', '/api/v1/sessions?limit=500');
      expect(json.items.map(({ resource }: { resource: string }) => resource).sort()).toEqual(
        [...sessions, decodeURIComponent(session)].sort(),
      );
      console.info(`${turns.length} messages and ${sessions.length} sessions, each once`);
    }));
});
