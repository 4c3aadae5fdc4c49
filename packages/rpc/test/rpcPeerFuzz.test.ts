import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createMemoryTransportPair, encodeNotification, type Link, RpcPeer } from '../src/index.js';
import { encodeError, encodeRequest, encodeResponse } from '../src/peer/frame.js';
import { faultyLink } from './support/links.js';
import { seededRandom } from './support/seededRandom.js';
import { wirePeer } from './support/wirePeer.js';

const MUTATED_FRAMES = 5_000;

function mutate(frame: string, random: () => number): string {
  const at = Math.floor(random() * frame.length);
  const until = at + Math.floor(random() * 8);
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    ':',
    'null',
    '1e999',
    '"__proto__":',
    '"id":',
    '\\u0000',
    '\ud800',
    '"method":"echo"',
  ];
  const piece = pieces[Math.floor(random() * pieces.length)] as string;
  const mutants = [
    () => frame.slice(0, at),
    () => frame.slice(0, at) + frame.slice(until),
    () => frame.slice(0, at) + piece + frame.slice(at),
    () => frame.slice(0, at) + piece + frame.slice(until),
    () => frame.slice(0, until) + frame.slice(at),
    () => frame.slice(0, at) + String.fromCharCode(Math.floor(random() * 0x10000)) + frame.slice(at + 1),
    () => `[${frame},${frame}]`,
    () => frame.replace(/:("[^"]*"|\d+)/, () => `:${piece}`),
  ];
  const mutant = mutants[Math.floor(random() * mutants.length)] as () => string;
  return random() < 0.3 ? mutate(mutant() || '{', random) : mutant();
}

describe('RpcPeer under fuzz', () => {
  it(`stays usable after each of ${MUTATED_FRAMES} mutated frames`, async () => {
    const random = seededRandom(20_240_229);
    const { peer, receive, sent, nextSent } = wirePeer();
    peer.onNotification('told', { parse: (params) => params, handle: () => {} });
    const valid = [
      encodeRequest(1, 'echo', { a: [1, 'two', { three: null }] }),
      encodeRequest('id', 'echo', ['x']),
      encodeNotification('told', { text: 'ä😀' }),
      encodeNotification('$/cancelRequest', { id: 1 }),
      encodeResponse(1, { ok: true }),
      encodeError(1, { code: -32001, message: 'no', data: {} }),
    ];
    const answered = { jsonrpc: '2.0', id: 'alive', result: [0] };
    const unlike: unknown[] = [];
    for (let i = 0; i < MUTATED_FRAMES; i++) {
      receive(mutate(valid[i % valid.length] as string, random));
      receive({ jsonrpc: '2.0', id: 'alive', method: 'echo', params: [0] });
      const answers: unknown[] = [];
      do answers.push(await nextSent());
      while (JSON.stringify(answers.at(-1)) !== JSON.stringify(answered));
      // At most one answer to the mutant itself, before the one that shows that the peer continues.
      if (answers.length > 2 || sent.length > 0) unlike.push(answers);
    }
    expect(unlike).toEqual([]);
  });

  const link = (seed: number, faults: { drop: number; duplicate: number; delay: number }): Link =>
    faultyLink({ random: seededRandom(seed), ...faults });

  it('settles every request, by an answer, a time-out or the close, over any link', async () => {
    vi.useFakeTimers();
    try {
      const probability = fc.double({ min: 0, max: 0.6, noNaN: true });
      const faults = fc.record({ drop: probability, duplicate: probability, delay: fc.nat({ max: 300 }) });
      const seen = new Set<string>();
      await fc.assert(
        fc.asyncProperty(
          fc.integer(),
          faults,
          fc.integer({ min: 1, max: 20 }),
          fc.nat({ max: 2_000 }),
          async (seed, chosen, count, closeAt) => {
            const { a, b } = createMemoryTransportPair({ link: link(seed, chosen) });
            const peers = [a, b].map((end) => new RpcPeer(end, { requestTimeoutMs: 1_000 }));
            for (const peer of peers) {
              peer.onRequest('soon', { parse: (params) => params, handle: (params) => params });
              peer.onRequest('later', {
                parse: (params) => params,
                handle: (params) => new Promise((resolve) => setTimeout(() => resolve(params), 100)),
              });
            }
            const outcomes: string[] = [];
            const expected = peers.flatMap((peer) => Array.from({ length: count }, (_, i) => ({ peer, i })));
            for (const { peer, i } of expected) {
              const params = { i };
              peer.request(i % 2 === 0 ? 'soon' : 'later', params).then(
                (result) =>
                  outcomes.push(JSON.stringify(result) === JSON.stringify(params) ? 'answer' : 'wrong answer'),
                (error) => outcomes.push(error.code),
              );
            }
            await vi.advanceTimersByTimeAsync(closeAt);
            peers[0]?.dispose();
            await vi.advanceTimersByTimeAsync(0);
            expect(outcomes).toHaveLength(expected.length);
            await vi.advanceTimersByTimeAsync(5_000);
            expect(outcomes).toHaveLength(expected.length);
            expect(vi.getTimerCount()).toBe(0);
            for (const outcome of outcomes) seen.add(outcome);
          },
        ),
        { numRuns: 1_000 },
      );
      expect([...seen].sort()).toEqual(['answer', 'connectionClosed', 'requestTimeout']);
    } finally {
      vi.useRealTimers();
    }
  });
});
