import * as fc from 'fast-check';
import { type ClientStep, client, clientSteps, MAX_CLIENTS, step, type Weighted } from '../steps.js';

/** What happens in a run with several hosts. */
export type ClusterStep = ClientStep | MemberStep | LinkStep;

/** What happens to one of the hosts. */
export type MemberStep =
  /** From now on the client is sent to that host; `now`: its connection is cut. */
  | { readonly do: 'goTo'; readonly client: number; readonly host: number; readonly now: boolean }
  /** The host neither hears nor says anything until it wakes, as a stopped process. */
  | { readonly do: 'freeze' | 'wake'; readonly host: number }
  /** All others take it for dead, which it is not. */
  | { readonly do: 'takeForDead'; readonly host: number }
  /** As `kill -9`; another one is started. `isKnown`: the others need not find out by themselves. */
  | {
      readonly do: 'killMember';
      readonly host: number;
      readonly lastFramesArrive: boolean;
      readonly isKnown: boolean;
    }
  /** Gives its sessions away as far as it gets in that time, and is replaced. */
  | { readonly do: 'drainMember'; readonly host: number; readonly ms: number }
  /** It tells the database that it is alive, and looks who else is. */
  | { readonly do: 'look'; readonly host: number };

/** What happens to a link between two of them. They are counted: `link` is one of those that are open. */
export type LinkStep =
  | { readonly do: 'holdLink'; readonly link: number; readonly lane: LinkLane }
  | { readonly do: 'deliverLink'; readonly link: number; readonly lane: LinkLane; readonly count: number }
  | { readonly do: 'doubleLink'; readonly link: number; readonly lane: LinkLane; readonly late: boolean }
  /** All that is under way comes a second time. */
  | { readonly do: 'repeatLink'; readonly link: number; readonly lane: LinkLane }
  | { readonly do: 'releaseLinks' }
  | { readonly do: 'cutLink'; readonly link: number; readonly noticedBy: 'both' | 'follower' | 'owner' };

export type LinkLane = 'toOwner' | 'toFollower';

export interface ClusterScenario {
  readonly clients: number;
  /** Unused sessions and agents are unloaded at once, and so given to nobody. */
  readonly evict: boolean;
  readonly shortReplay: boolean;
  readonly steps: readonly ClusterStep[];
}

export const HOSTS = 3;

const host = fc.nat(HOSTS - 1);
const link = fc.nat(HOSTS * (HOSTS - 1) - 1);
const lane = fc.constantFrom<LinkLane[]>('toOwner', 'toFollower');

const memberSteps: readonly Weighted<MemberStep>[] = [
  { weight: 6, arbitrary: step('goTo', { client, host, now: fc.boolean() }) },
  { weight: 2, arbitrary: step('freeze', { host }) },
  { weight: 3, arbitrary: step('wake', { host }) },
  { weight: 3, arbitrary: step('takeForDead', { host }) },
  { weight: 2, arbitrary: step('killMember', { host, lastFramesArrive: fc.boolean(), isKnown: fc.boolean() }) },
  { weight: 2, arbitrary: step('drainMember', { host, ms: fc.constantFrom(1, 300) }) },
  { weight: 3, arbitrary: step('look', { host }) },
];

const linkSteps: readonly Weighted<LinkStep>[] = [
  { weight: 5, arbitrary: step('holdLink', { link, lane }) },
  { weight: 4, arbitrary: step('deliverLink', { link, lane, count: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 4, arbitrary: step('doubleLink', { link, lane, late: fc.boolean() }) },
  { weight: 3, arbitrary: step('repeatLink', { link, lane }) },
  { weight: 3, arbitrary: step('releaseLinks', {}) },
  {
    weight: 6,
    arbitrary: step('cutLink', { link, noticedBy: fc.constantFrom('both', 'follower', 'owner') }),
  },
];

/**
 * A client that restarts knows how far it has counted. What it sent before may reach the owner between the snapshot that it gets from
 * another host and its new route (FOL4), and would be taken for another action with the same number.
 */
const rememberingSteps: readonly Weighted<ClientStep>[] = clientSteps.map(({ weight, arbitrary }) => ({
  weight,
  arbitrary: arbitrary.map((one) => (one.do === 'crashClient' ? { ...one, forgets: false } : one)),
}));

export const clusterScenario: fc.Arbitrary<ClusterScenario> = fc.record({
  clients: fc.integer({ min: 2, max: MAX_CLIENTS }),
  evict: fc.boolean(),
  shortReplay: fc.boolean(),
  steps: fc.array(fc.oneof<Weighted<ClusterStep>[]>(...rememberingSteps, ...memberSteps, ...linkSteps), {
    minLength: 1,
    maxLength: 40,
    size: 'max',
  }),
});
