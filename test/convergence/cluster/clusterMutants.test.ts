import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { FollowedSession } from '../../../packages/host/src/cluster/followedSession.js';
import { Link } from '../../../packages/host/src/cluster/links/link.js';
import type { FollowResult } from '../../../packages/host/src/cluster/links/linkMessages.js';
import { SessionStore } from '../../../packages/host/src/sessions/sessionStore.js';
import { ReplayBuffer } from '../../../packages/host/src/state/replayBuffer.js';
import { isWhole } from '../../faults/support/amount.js';
import { TIMEOUT_MS } from '../property.js';
import { ClusterPlaces, runCluster } from './clusterProperty.js';
import { type ClusterStep, clusterScenario, HOSTS } from './clusterSteps.js';
import type { ClusterPlace } from './clusterWorld.js';

const MAX_RUNS = 400;
const LANES = 4;
const SEED = 7;
/** What hangs for this long hangs for good. */
const HEAL_MS = 10_000;

const LINKS = [...Array(HOSTS * (HOSTS - 1)).keys()];

interface Mutant {
  readonly breakIt: () => void;
  /** How it has to show, so that nothing else can be taken for it. */
  readonly shows: RegExp;
  /** What shows it comes about by chance in few histories: all begin with this. */
  readonly begins?: readonly ClusterStep[];
}

/** Each breaks one promise between hosts on purpose. */
const mutants: Readonly<Record<string, Mutant>> = {
  '[FOL1] a follower that answers before it has its snapshot': {
    // With what it knew when it followed the session last.
    breakIt: () => {
      const { connect } = Link;
      const known = new Map<string, FollowResult>();
      vi.spyOn(Link, 'connect').mockImplementation(async (from, target, events, log) => {
        const keyOf = (uri: string) => `${from.hostId} ${target.id} ${uri}`;
        const followed = (uri: string, result: FollowResult) => {
          if (!known.has(keyOf(uri))) events.followed(uri, result);
          known.set(keyOf(uri), result);
        };
        const link = await connect.call(Link, from, target, { ...events, followed }, log);
        const { request } = link;
        link.request = (method, params, options) => {
          const answer = request.call(link, method, params, options);
          const { uri = '' } = params as { readonly uri?: string };
          const early = known.get(keyOf(uri));
          if (method !== 'link.follow' || !early) return answer;
          answer.catch(() => {});
          events.followed(uri, early);
          return Promise.resolve({});
        };
        return link;
      });
    },
    shows: /client-\d: mock:\S+: expected|not settled/,
  },
  '[FEN5] a host that keeps its replay when the owner of a session changes': {
    breakIt: () => vi.spyOn(ReplayBuffer.prototype, 'end').mockImplementation(() => {}),
    shows: /client-\d: mock:\S+: expected|accepted, but not in the log/,
  },
  '[FOL2] an owner that is silent about a number that it has seen before': {
    breakIt: () => {
      const { repeat } = SessionStore.prototype;
      vi.spyOn(SessionStore.prototype, 'repeat').mockImplementation(function (this: SessionStore, sender, ...rest) {
        if (!sender.via) repeat.call(this, sender, ...rest);
      });
    },
    shows: /never answered|not settled/,
    // Its answer is lost with the client, which sends it again when it is back.
    begins: [
      { do: 'hold', client: 1, lane: 'toClient' },
      { do: 'rename', client: 1, session: 0 },
      ...Array.from({ length: 6 }, (): ClusterStep => ({ do: 'run', ticks: 12 })),
      { do: 'crashClient', client: 1, hostNotices: true, resend: true },
      { do: 'release', client: 1 },
      { do: 'settle', client: 1 },
    ],
  },
  '[FOL3] a follower that takes what comes twice for something new': {
    breakIt: () => {
      const { receive } = FollowedSession.prototype;
      let fresh = Number.MAX_SAFE_INTEGER / 2;
      vi.spyOn(FollowedSession.prototype, 'receive').mockImplementation(function (this: FollowedSession, envelope) {
        receive.call(this, { ...envelope, serverSeq: fresh++ });
      });
    },
    shows: /client-\d: mock:\S+: expected/,
    begins: [
      ...LINKS.map((link): ClusterStep => ({ do: 'holdLink', link, lane: 'toFollower' })),
      { do: 'send', client: 0, session: 0, prompt: 'hello' },
      ...Array.from({ length: 6 }, (): ClusterStep => ({ do: 'run', ticks: 12 })),
      { do: 'settle', client: 0 },
      ...LINKS.map((link): ClusterStep => ({ do: 'repeatLink', link, lane: 'toFollower' })),
      { do: 'releaseLinks' },
      { do: 'settle', client: 1 },
    ],
  },
};

describe.runIf(isWhole)('the suite finds', () => {
  let places: ClusterPlaces | undefined;
  beforeAll(async () => {
    places = await ClusterPlaces.open(LANES);
  });
  afterAll(() => places?.dispose());
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(Object.entries(mutants))('%s', { timeout: TIMEOUT_MS }, async (_, { breakIt, shows, begins = [] }) => {
    breakIt();
    let found: unknown;
    const property = (place: ClusterPlace) =>
      fc.asyncProperty(clusterScenario, async (run) => {
        if (found !== undefined) return;
        await runCluster({ ...run, steps: [...begins, ...run.steps] }, place, { healMs: HEAL_MS }).catch(
          (error: unknown) => {
            found ??= error;
          },
        );
      });
    const numRuns = MAX_RUNS / LANES;
    await Promise.all(
      (places?.all ?? []).map((place, lane) => fc.check(property(place), { seed: SEED + lane, numRuns })),
    );
    expect(String(found)).toMatch(shows);
  });
});
