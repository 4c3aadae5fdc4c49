import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { parseSessionUri, type SessionState } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { startRestartableHost } from '../support/restartableHost.js';
import { until } from '../support/until.js';
import { altered } from './support/alteredHost.js';
import { amount, isWhole, LONG_MS, PATIENCE_MS } from './support/amount.js';

const CLIENTS = amount('clients', { smoke: 40, full: 500 });
const SESSIONS = 20;

interface Member {
  readonly client: HostClient;
  readonly session: SessionHandle;
  readonly index: number;
}

interface AcceptedModule {
  readonly AcceptedSequences: { readonly prototype: { add: () => void } };
}

/**
 * All clients have something under way when the host dies: it was sent, is stored or not, and its answer is lost. All reconnect
 * at once. Throws when anything is lost or doubled, or when a client sees something else than the others.
 */
async function storm(clients: number, env: Readonly<Record<string, string>> = {}) {
  const host = await startRestartableHost([], env);
  try {
    const maker = await host.connect();
    const sessions = await Promise.all(
      Array.from({ length: SESSIONS }, async () => {
        const session = await maker.createSession({ provider: 'mock' });
        await session.ready();
        return session;
      }),
    );
    const join20 = async (index: number): Promise<Member> => {
      const client = await host.connect({ clientId: `member-${index}` });
      const uri = sessions[index % SESSIONS]?.uri ?? '';
      return { client, session: await client.openSession(uri), index };
    };
    const members: Member[] = [];
    while (members.length < clients) {
      const next = Math.min(20, clients - members.length);
      members.push(...(await Promise.all(Array.from({ length: next }, (_, n) => join20(members.length + n)))));
    }
    host.swallowAnswers();
    const answers = Promise.all(members.map(({ session, index }) => session.rename(title(index))));
    answers.catch(() => {});
    // The host has accepted most of it: no client was told.
    const stored = async () => (await titlesOnDisk(host.stateDir, sessions)).length;
    await expect.poll(stored, { timeout: PATIENCE_MS }).toBeGreaterThan(clients / 2);
    await host.end('SIGKILL');
    host.cut(1);
    const began = performance.now();
    await host.start();
    const back = members.map(({ client }) =>
      until(client.connection, ({ state }) => state === 'connected', 'the return', PATIENCE_MS),
    );
    await Promise.all(back);
    const backMs = performance.now() - began;
    await answers;
    const fresh = await host.connect();
    for (const { uri } of sessions) {
      const expected = comparable((await fresh.openSession(uri)).confirmed.value);
      const here = members.filter(({ session }) => session.uri === uri);
      await Promise.all(here.map(({ client }) => client.ping()));
      for (const { session } of here) {
        expect(session.state.value, 'nothing is pending').toBe(session.confirmed.value);
        expect(comparable(session.confirmed.value)).toEqual(expected);
      }
    }
    const found = await titlesOnDisk(host.stateDir, sessions);
    const times = members.map(({ index }) => found.filter((one) => one === title(index)).length);
    expect(times.indexOf(0), 'lost').toBe(-1);
    expect(Math.max(...times), 'a rename is in the log more than once').toBe(1);
    return { accepted: found.length, backMs };
  } finally {
    await host.dispose();
  }
}

const title = (index: number) => `renamed by ${index}`;

async function titlesOnDisk(stateDir: string, sessions: readonly SessionHandle[]): Promise<string[]> {
  const logs = sessions.map(({ uri }) =>
    readFile(join(stateDir, 'session-state', parseSessionUri(uri)?.sessionId ?? '', 'events.jsonl'), 'utf8'),
  );
  return (await Promise.all(logs)).flatMap((log) => log.match(/renamed by \d+/g) ?? []);
}

function comparable({ clients: _, ...state }: SessionState): object {
  return state;
}

describe('all clients reconnect at once after a restart', { timeout: LONG_MS }, () => {
  it('[ONCE2] [WA4] and nothing is lost or doubled', async () => {
    const { accepted, backMs } = await storm(CLIENTS);
    console.info(
      `${CLIENTS} clients back ${Math.round(backMs)} ms after the kill, ${accepted} accepted, 0 lost, 0 doubled, 0 diverged`,
    );
  });

  it.runIf(isWhole)('which a host that does not remember what it accepted does not pass', async () => {
    const forgetful = altered('sessions/turn/acceptedSequences.js', ({ AcceptedSequences }: AcceptedModule) => {
      AcceptedSequences.prototype.add = () => {};
    });
    await expect(storm(40, forgetful)).rejects.toThrow(/more than once/);
  });
});
