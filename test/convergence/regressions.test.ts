import { setTimeout as delay, setImmediate as tick } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { LocalSessionStorage } from '../../packages/host/src/sessionFs/localSessionStorage.js';
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
};

describe('what the suite has found', { timeout: TIMEOUT_MS }, () => {
  const root = temporaryRoot();
  afterAll(() => root.dispose());
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(Object.entries(found))('%s', async (_, steps) => {
    for (let times = 0; times < 10; times++) await runScenario({ ...calm, steps }, root.path);
  });

  it('a session that leaves the memory while another one loads for the same handshake is loaded again', async () => {
    const scenario: Scenario = { ...calm, evict: true, steps: [] };
    const world = await World.start(scenario, root.path);
    await concludeRun(world, async () => {
      await play(world, { do: 'create', client: 0 });
      await world.journal.allSettled();
      await play(world, { do: 'close', client: 1, session: 0 });
      await play(world, { do: 'settle', client: 1 });
      await play(world, { do: 'cut', client: 0, hostNotices: true, offline: true });
      // Nobody looks at either session: both leave the memory.
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
  it.each([false, true])(
    'brings everything that is in flight, with a frame that is doubled (late: %s)',
    async (late) => {
      const arrived: string[] = [];
      const lane = new Lane(false, (entry) => arrived.push(entry.kind === 'frame' ? entry.text : entry.kind));
      const action = '{"method":"dispatchAction"}';
      lane.send({ kind: 'frame', text: action });
      lane.send({ kind: 'frame', text: 'last' });
      lane.duplicate(late);
      await tick();
      expect(arrived).toEqual(late ? [action, 'last', action] : [action, action, 'last']);
    },
  );
});
