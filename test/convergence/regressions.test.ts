import { setTimeout as delay, setImmediate as tick } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { LocalSessionStorage } from '../../packages/host/src/storage/localSessionStorage.js';
import { play } from './play.js';
import { concludeRun, runScenario, TIMEOUT_MS, temporaryRoot } from './property.js';
import type { Scenario, Step } from './steps.js';
import { Lane } from './wire.js';
import { World } from './world.js';

const calm = { clients: 2, evict: false, shortReplay: false } as const;

/** What the suite found once, as short as it could be made. Timing decides, so each is done several times. */
const found: Readonly<Record<string, readonly Step[]>> = {
  'a refusal that was lost with the host is not taken for an acceptance': [
    { do: 'queue', client: 0, session: 0, prompt: 'echo' },
    { do: 'send', client: 0, session: 0, prompt: 'echo' },
    { do: 'steer', client: 0, session: 0, prompt: 'echo' },
    { do: 'run', ticks: 1 },
    { do: 'killHost', lastFramesArrive: false },
  ],
  'a session can be created while somebody looks for it in vain': [
    { do: 'cut', client: 1, hostNotices: false, offline: false },
    { do: 'create', client: 1 },
    { do: 'open', client: 0, session: 1, turns: 30 },
  ],
  'a handshake that was overtaken by that of a newer connection does not end it': [
    { do: 'cut', client: 1, hostNotices: false, offline: false },
    { do: 'hold', client: 1, lane: 'toHost' },
    { do: 'run', ticks: 1 },
    { do: 'cut', client: 1, hostNotices: false, offline: false },
    { do: 'run', ticks: 2 },
    { do: 'deliver', client: 1, lane: 'toHost', count: 1 },
    { do: 'release', client: 0 },
  ],
  'of two who remove a session one is told that there is none': [
    { do: 'create', client: 0 },
    { do: 'remove', client: 0, session: 1 },
    { do: 'remove', client: 0, session: 1 },
    { do: 'settle', client: 0 },
  ],
  'a host that ends finishes a removal first': [
    { do: 'create', client: 0 },
    { do: 'remove', client: 0, session: 1 },
    { do: 'restartHost', wait: false },
    { do: 'run', ticks: 1 },
  ],
  'a session that is removed while somebody makes it again is removed once': [
    { do: 'create', client: 0 },
    { do: 'remove', client: 0, session: 1 },
    { do: 'recreate', client: 0, session: 1 },
    { do: 'remove', client: 0, session: 1 },
  ],
};

describe('faults that the suite has found', { timeout: TIMEOUT_MS }, () => {
  const root = temporaryRoot();
  afterAll(() => root.dispose());
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(Object.entries(found))('%s', async (_, steps) => {
    for (let times = 0; times < 10; times++) await runScenario({ ...calm, steps }, root.path);
  });

  /** Steps, each of which has to be answered before the next one; `unanswered` ones wait for a connection. */
  async function playAll(world: World, steps: readonly (Step & { readonly unanswered?: true })[]): Promise<void> {
    for (const step of steps) {
      await play(world, step);
      if (!step.unanswered) await world.journal.allSettled();
    }
  }

  /** Every operation, and how it ended. */
  const outcomes = ({ journal }: World) => journal.operations.map(({ kind, outcome }) => `${kind}: ${outcome.state}`);

  it('[REC2] a session that was remade while a client was away is not the one that it knew', async () => {
    const world = await World.start({ ...calm, steps: [] }, root.path);
    await concludeRun(world, () =>
      playAll(world, [
        { do: 'create', client: 0 },
        { do: 'open', client: 1, session: 1, turns: 30 },
        { do: 'rename', client: 1, session: 1 },
        { do: 'cut', client: 1, hostNotices: true, offline: true },
        { do: 'remove', client: 0, session: 1 },
        { do: 'recreate', client: 0, session: 1 },
        { do: 'queue', client: 1, session: 1, prompt: 'echo', unanswered: true },
        { do: 'online', client: 1 },
        { do: 'queue', client: 1, session: 1, prompt: 'echo' },
      ]),
    );
    expect(outcomes(world).slice(0, 7)).toEqual([
      'create: accepted',
      'open: accepted',
      'rename: accepted',
      'remove: accepted',
      'recreate: accepted',
      // It was for the old one.
      'queue: unknown',
      'queue: accepted',
    ]);
  });

  it('[REC3] a session that could not be loaded has no gap after another loss', async () => {
    const world = await World.start({ ...calm, steps: [{ do: 'hiccup', session: 0, fails: true }] }, root.path);
    await concludeRun(world, async () => {
      await playAll(world, [
        { do: 'cut', client: 0, hostNotices: true, offline: true },
        { do: 'rename', client: 1, session: 0 },
        { do: 'hiccup', session: 0, fails: true },
        { do: 'restartHost', wait: true },
        { do: 'online', client: 0 },
        { do: 'create', client: 0 },
        { do: 'create', client: 1 },
      ]);
      const [first, second] = world.clients.map(({ handles }) => handles.get(world.sessions[0] ?? ''));
      expect([first, second].map((handle) => handle?.interrupted.value?.error.message)).toEqual([
        expect.stringContaining('a hiccup'),
        expect.stringContaining('a hiccup'),
      ]);
      await playAll(world, [
        { do: 'cut', client: 0, hostNotices: true, offline: true },
        { do: 'hiccup', session: 0, fails: false },
        { do: 'online', client: 0 },
      ]);
    });
  });

  it('[ONCE4] a client that counts from 1 again is not mistaken for the earlier one', async () => {
    const world = await World.start({ ...calm, steps: [] }, root.path);
    await concludeRun(world, () =>
      playAll(world, [
        { do: 'rename', client: 0, session: 0 },
        { do: 'queue', client: 0, session: 0, prompt: 'echo' },
        { do: 'crashClient', client: 0, hostNotices: true, resend: false, forgets: true },
        { do: 'rename', client: 0, session: 0 },
        { do: 'queue', client: 0, session: 0, prompt: 'echo' },
      ]),
    );
    const [before, , , after] = world.journal.operations.map(({ clientSeq }) => clientSeq);
    expect([before, after]).toEqual([1, 3]);
    expect(new Set(world.journal.operations.map(({ outcome }) => outcome.state))).toEqual(new Set(['accepted']));
  });

  it('a session that is unloaded while another one loads for the same handshake is loaded again', async () => {
    const scenario: Scenario = { ...calm, evict: true, steps: [] };
    const world = await World.start(scenario, root.path);
    await concludeRun(world, async () => {
      await play(world, { do: 'create', client: 0 });
      await world.journal.allSettled();
      await play(world, { do: 'close', client: 1, session: 0 });
      await play(world, { do: 'settle', client: 1 });
      await play(world, { do: 'cut', client: 0, hostNotices: true, offline: true });
      // Neither session has a subscriber: both are unloaded.
      await delay(40);
      const { open } = LocalSessionStorage.prototype;
      const slowOnce = vi.fn(async () => {}).mockImplementationOnce(() => delay(60));
      vi.spyOn(LocalSessionStorage.prototype, 'open').mockImplementation(async function (
        this: LocalSessionStorage,
        ...args
      ) {
        if (args[0] === 's1') await slowOnce();
        return open.apply(this, args);
      });
      await play(world, { do: 'online', client: 0 });
      await play(world, { do: 'settle', client: 0 });
      await play(world, { do: 'open', client: 1, session: 0, turns: 30 });
      await world.journal.allSettled();
      await play(world, { do: 'rename', client: 1, session: 0 });
    });
  });
});

describe('the wire of these tests', () => {
  it.each([false, true])('delivers everything in flight, with a frame that is doubled (late: %s)', async (late) => {
    const arrived: string[] = [];
    const lane = new Lane(false, (entry) => arrived.push(entry.kind === 'frame' ? entry.text : entry.kind));
    const action = '{"method":"dispatchAction"}';
    lane.send({ kind: 'frame', text: action });
    lane.send({ kind: 'frame', text: 'last' });
    lane.duplicate(late);
    await tick();
    expect(arrived).toEqual(late ? [action, 'last', action] : [action, action, 'last']);
  });
});
