import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { connect } from '../src/connect.js';
import { ConnectionLostError } from '../src/errors.js';
import { endedTurns, FakeHost } from './support/fakeHost.js';
import { flush } from './support/flush.js';

const URI = 'shell:/one';

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('queue' as const), client: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename' as const), client: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('send' as const), client: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('refused' as const), client: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('flush' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('microtask' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('mute' as const, 'deaf' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('drop' as const, 'restart' as const, 'forget' as const) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('retry' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('agent' as const) }) },
);

describe('convergence', () => {
  it('[WA2] [ONCE1] [ONCE2] two clients and a host agree after any history, with every message exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const fake = new FakeHost();
        fake.addSession(URI, { turns: endedTurns(5) });
        const hosts = await Promise.all(
          ['a', 'b'].map((clientId) =>
            connect({ transport: fake.transport, clientId, keepAliveMs: 0, random: () => 0.9 }),
          ),
        );
        const sessions = await Promise.all(hosts.map((host) => host.openSession(URI)));
        const outcomes: Promise<{ text: string; told: 'accepted' | 'refused' | 'unknown' }>[] = [];
        const watch = (text: string, promise: Promise<unknown> | undefined) =>
          outcomes.push(
            Promise.resolve(promise).then(
              () => ({ text, told: 'accepted' }),
              (error) => ({ text, told: error instanceof ConnectionLostError ? 'unknown' : 'refused' }),
            ),
          );
        for (const [index, each] of steps.entries()) {
          const text = `m${index}`;
          const session = 'client' in each ? sessions[each.client] : undefined;
          if (each.kind === 'queue') watch(text, session?.queue(text));
          else if (each.kind === 'rename') watch('', session?.rename(text));
          else if (each.kind === 'send') watch('', session?.send(text, text));
          else if (each.kind === 'refused') watch('', session?.setModel('no such model'));
          else if (each.kind === 'flush') await flush();
          else if (each.kind === 'microtask') await Promise.resolve();
          else if (each.kind === 'mute') fake.mute = true;
          else if (each.kind === 'deaf') fake.deaf = true;
          else if (each.kind === 'drop') fake.drop();
          else if (each.kind === 'restart') fake.restart(text);
          else if (each.kind === 'forget') fake.forgetReplay();
          else if (each.kind === 'retry') for (const host of hosts) host.retryNow();
          else {
            const turnId = fake.stateOf(URI).activeTurn?.id;
            if (turnId) fake.dispatch(URI, { type: 'session/turnComplete', turnId });
          }
        }
        // Whatever was muted or deaf: the connection is lost with it, as a real one would be.
        fake.drop();
        for (let i = 0; i < 3; i++) {
          await flush();
          for (const host of hosts) host.retryNow();
        }
        const settled = await Promise.all(outcomes);
        await flush();
        for (const session of sessions) {
          expect(session.confirmed.value).toEqual(fake.stateOf(URI));
          expect(session.state.value).toBe(session.confirmed.value);
        }
        const texts = (told: 'accepted' | 'refused' | 'unknown') =>
          settled.filter((outcome) => outcome.text !== '' && outcome.told === told).map(({ text }) => text);
        const queued = (fake.stateOf(URI).queuedMessages ?? []).map(({ userMessage }) => userMessage.text);
        const unknown = new Set(texts('unknown'));
        expect(queued.filter((text) => !unknown.has(text)).toSorted()).toEqual(texts('accepted').toSorted());
        expect(new Set(queued).size).toBe(queued.length);
        expect(texts('refused')).toEqual([]);
        for (const host of hosts) host.close();
      }),
      { numRuns: 300 },
    );
  });
});
