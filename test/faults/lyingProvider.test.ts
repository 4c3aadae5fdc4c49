import type { SessionState, Snapshot } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import type { RawClient } from '../support/rawClient.js';
import { type Lie, type ProviderCall, SeedProvider } from '../support/storage/seedProvider.js';
import { startTestHost } from '../support/testHost.js';
import { amount, LONG_MS } from './support/amount.js';

const SESSION = 'mock:/kept';
const LIVES = 3;
const TURNS = 6;
/** Of the calls that the host makes. */
const SHARE_OF_LIES = 0.08;
const RUNS = amount('runs', { smoke: 8, full: 200 });

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const failed = (message: string) => ({ code: 'UNKNOWN', message });

/** What a store that is broken, half there or behind a broken network may say. It loses nothing that it said is stored. */
function liar(provider: SeedProvider, random: () => number): Lie {
  const pick = <T>(...all: (() => T)[]): T => (all[Math.floor(random() * all.length)] as () => T)();
  const afterDoing = (call: ProviderCall, message: string) => {
    provider.answer(call);
    return failed(message);
  };
  const readLies = (content: string) =>
    pick<unknown>(
      () => ({ content: content.slice(0, random() * content.length) }),
      () => ({ content: content.replace(/[a-f]/, '\uFFFD') }),
      () => ({ content: Buffer.from(content).toString('base64') }),
      () => ({ content: '' }),
      () => ({ content: content + content }),
      () => ({ code: 'ENOENT', message: 'gone' }),
      () => failed('not now'),
    );
  const writeLies = (call: ProviderCall) => {
    const content = call.params.content ?? '';
    const half = { ...call, params: { ...call.params, content: content.slice(0, random() * content.length) } };
    return pick(
      () => failed('no'),
      () => afterDoing(half, 'only half of it'),
      () => afterDoing(call, 'no, although it is done'),
    );
  };
  return (call, honest) => {
    if (random() >= SHARE_OF_LIES) return undefined;
    switch (call.method) {
      case 'writeFile':
      case 'appendFile':
        return writeLies(call);
      case 'rename':
        return pick(
          () => failed('no'),
          () => afterDoing(call, 'no, although it is done'),
        );
      case 'readFile':
        return readLies((honest() as { content?: string }).content ?? 'a surprise');
      case 'stat':
        return pick<unknown>(
          () => failed('not now'),
          () => ({ code: 'ENOENT', message: 'gone' }),
          () => ({ ...(honest() as object), size: Math.floor(random() * 5_000) }),
        );
      default:
        return pick<unknown>(
          () => failed('not now'),
          () => 5,
        );
    }
  };
}

/** Some turns, some of which are refused; gives the ids of those that were accepted. */
async function talk(client: RawClient, life: string): Promise<string[]> {
  const { error } = await client.ask('subscribe', { resource: SESSION });
  const accepted: string[] = [];
  for (let n = 0; n < TURNS && !error; n++) {
    const turnId = `${life}-${n}`;
    const message = { type: 'session/turnStarted', session: SESSION, turnId, userMessage: { text: 'hello' } };
    if ((await client.act(message)).rejectionReason !== undefined) continue;
    accepted.push(turnId);
    await client.nextEnvelope(
      ({ action }) =>
        (action.type === 'session/turnComplete' || action.type === 'session/error') && action.turnId === turnId,
      'the end of the turn',
    );
  }
  return accepted;
}

async function run(seed: number): Promise<{ readonly accepted: number }> {
  const provider = new SeedProvider({ takesAnyId: seed % 2 === 0 });
  provider.add('kept');
  const lie = liar(provider, randomFrom(seed));
  const accepted: string[] = [];
  for (let life = 0; life <= LIVES; life++) {
    const host = await startTestHost();
    const keeper = await provider.provide(host);
    const client = await host.raw(`client ${life}`);
    try {
      if (life === 0) await client.request('createSession', { session: SESSION });
      if (life < LIVES) {
        provider.lie = lie;
        accepted.push(...(await talk(client, `${seed}-${life}`)));
      } else {
        const { state } = await client.request<Snapshot>('subscribe', { resource: SESSION });
        const { turns, activeTurn } = state as SessionState;
        const there = new Set([...turns.map(({ id }) => id), activeTurn?.id]);
        const lost = accepted.filter((id) => !there.has(id));
        expect(lost, `with the seed ${seed}`).toEqual([]);
      }
    } finally {
      provider.lie = undefined;
      await host.dispose();
      await keeper.end();
    }
  }
  return { accepted: accepted.length };
}

describe('a file provider with arbitrary answers', { timeout: LONG_MS }, () => {
  it('[FS3] loses no accepted turn', async () => {
    let accepted = 0;
    for (let seed = 1; seed <= RUNS; seed++) accepted += (await run(seed)).accepted;
    console.info(
      `${RUNS} providers that lie in ${SHARE_OF_LIES * 100} % of their answers: ${accepted} turns accepted, 0 lost`,
    );
    expect(accepted).toBeGreaterThan(RUNS);
  });
});
