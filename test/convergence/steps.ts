import * as fc from 'fast-check';

/** What happens in a run, one after the other. Small plain objects: a failing run is printed as the list of its steps. */
export type Step = ClientStep | HostStep;

/** What people do who review. */
export type ReviewStep =
  | { readonly do: 'comment'; readonly client: number; readonly session: number }
  | { readonly do: 'sendComments'; readonly client: number; readonly session: number }
  | { readonly do: 'uncomment'; readonly client: number; readonly session: number; readonly pick: number }
  | {
      readonly do: 'resolve';
      readonly client: number;
      readonly session: number;
      readonly pick: number;
      readonly value: boolean;
    };

/** What clients do, and what happens to their connections. */
export type ClientStep =
  | ReviewStep
  | {
      readonly do: 'send' | 'queue' | 'steer';
      readonly client: number;
      readonly session: number;
      readonly prompt: Prompt;
    }
  | { readonly do: 'edit' | 'takeBack'; readonly client: number; readonly session: number; readonly pick: number }
  | { readonly do: 'reorder' | 'cancel'; readonly client: number; readonly session: number }
  | { readonly do: 'answer'; readonly client: number; readonly session: number; readonly approve: boolean }
  | { readonly do: 'rename'; readonly client: number; readonly session: number }
  | { readonly do: 'read' | 'archive'; readonly client: number; readonly session: number; readonly value: boolean }
  | { readonly do: 'model'; readonly client: number; readonly session: number; readonly model: string }
  | { readonly do: 'create'; readonly client: number }
  | { readonly do: 'recreate'; readonly client: number; readonly session: number }
  | { readonly do: 'open'; readonly client: number; readonly session: number; readonly turns: number }
  | { readonly do: 'close' | 'loadEarlier' | 'remove'; readonly client: number; readonly session: number }
  | { readonly do: 'hold'; readonly client: number; readonly lane: LaneName }
  | { readonly do: 'deliver'; readonly client: number; readonly lane: LaneName; readonly count: number }
  | { readonly do: 'release'; readonly client: number }
  | { readonly do: 'duplicate'; readonly client: number; readonly late: boolean }
  | { readonly do: 'cut'; readonly client: number; readonly hostNotices: boolean; readonly offline: boolean }
  | { readonly do: 'online'; readonly client: number }
  | {
      readonly do: 'crashClient';
      readonly client: number;
      readonly hostNotices: boolean;
      readonly resend: boolean;
      /** It counts from 1 again. */
      readonly forgets?: boolean;
    }
  | { readonly do: 'run'; readonly ticks: number }
  | { readonly do: 'settle'; readonly client: number };

/** What happens to the one host of a run. */
export type HostStep =
  /** From now on the session can't be read from disk, or can be again. */
  | { readonly do: 'hiccup'; readonly session: number; readonly fails: boolean }
  | { readonly do: 'restartHost'; readonly wait: boolean }
  | { readonly do: 'killHost'; readonly lastFramesArrive: boolean };

export type LaneName = 'toHost' | 'toClient';

/** First words that the mock agent knows, and one that it does not: that is echoed. */
const PROMPTS = [
  'echo',
  'hello',
  'use-tool',
  'reasoning',
  'confirm-tool',
  'permission',
  'question',
  'slow',
  'steer',
  'error',
  'crash',
  'hang',
] as const;
export type Prompt = (typeof PROMPTS)[number];

export interface Scenario {
  readonly clients: number;
  /** Unused sessions and agents are unloaded at once. */
  readonly evict: boolean;
  /** So few envelopes are kept for replay that many reconnects end in snapshots. */
  readonly shortReplay: boolean;
  readonly steps: readonly Step[];
}

export const MAX_CLIENTS = 4;
const MAX_SESSIONS = 3;

export const client = fc.nat(MAX_CLIENTS - 1);
// Mostly the first one: what happens in one place is what collides.
const session = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(MAX_SESSIONS - 1) });
const lane = fc.constantFrom<LaneName[]>('toHost', 'toClient');
const prompt = fc.constantFrom(...PROMPTS);

/** A step, and how often it comes among others. */
export interface Weighted<S> {
  readonly weight: number;
  readonly arbitrary: fc.Arbitrary<S>;
}

export function step<S extends { readonly do: string }>(
  name: S['do'],
  fields: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<S> {
  return fc.record({ do: fc.constant(name), ...fields }) as unknown as fc.Arbitrary<S>;
}

export const clientSteps: readonly Weighted<ClientStep>[] = [
  { weight: 8, arbitrary: step('send', { client, session, prompt }) },
  { weight: 8, arbitrary: step('queue', { client, session, prompt }) },
  { weight: 4, arbitrary: step('steer', { client, session, prompt }) },
  { weight: 2, arbitrary: step('edit', { client, session, pick: fc.nat(3) }) },
  { weight: 2, arbitrary: step('takeBack', { client, session, pick: fc.nat(3) }) },
  { weight: 2, arbitrary: step('reorder', { client, session }) },
  { weight: 3, arbitrary: step('cancel', { client, session }) },
  { weight: 4, arbitrary: step('answer', { client, session, approve: fc.boolean() }) },
  { weight: 4, arbitrary: step('rename', { client, session }) },
  { weight: 1, arbitrary: step('read', { client, session, value: fc.boolean() }) },
  { weight: 1, arbitrary: step('archive', { client, session, value: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: step('model', { client, session, model: fc.constantFrom('mock-small', 'mock-large', 'no-such-model') }),
  },
  { weight: 4, arbitrary: step('comment', { client, session }) },
  { weight: 2, arbitrary: step('sendComments', { client, session }) },
  { weight: 1, arbitrary: step('uncomment', { client, session, pick: fc.nat(3) }) },
  { weight: 1, arbitrary: step('resolve', { client, session, pick: fc.nat(3), value: fc.boolean() }) },
  { weight: 1, arbitrary: step('create', { client }) },
  { weight: 1, arbitrary: step('recreate', { client, session: fc.integer({ min: 1, max: MAX_SESSIONS - 1 }) }) },
  { weight: 3, arbitrary: step('open', { client, session, turns: fc.constantFrom(1, 2, 30) }) },
  { weight: 1, arbitrary: step('close', { client, session }) },
  { weight: 1, arbitrary: step('loadEarlier', { client, session }) },
  { weight: 1, arbitrary: step('remove', { client, session: fc.integer({ min: 1, max: MAX_SESSIONS - 1 }) }) },
  { weight: 5, arbitrary: step('hold', { client, lane }) },
  { weight: 4, arbitrary: step('deliver', { client, lane, count: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: step('release', { client }) },
  { weight: 2, arbitrary: step('duplicate', { client, late: fc.boolean() }) },
  { weight: 5, arbitrary: step('cut', { client, hostNotices: fc.boolean(), offline: fc.boolean() }) },
  { weight: 2, arbitrary: step('online', { client }) },
  {
    weight: 2,
    arbitrary: step('crashClient', {
      client,
      hostNotices: fc.boolean(),
      resend: fc.boolean(),
      forgets: fc.boolean(),
    }),
  },
  { weight: 8, arbitrary: step('run', { ticks: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 5, arbitrary: step('settle', { client }) },
];

const hostSteps: readonly Weighted<HostStep>[] = [
  { weight: 2, arbitrary: step('hiccup', { session, fails: fc.boolean() }) },
  { weight: 2, arbitrary: step('restartHost', { wait: fc.boolean() }) },
  { weight: 2, arbitrary: step('killHost', { lastFramesArrive: fc.boolean() }) },
];

export const scenario: fc.Arbitrary<Scenario> = fc.record({
  clients: fc.integer({ min: 2, max: MAX_CLIENTS }),
  evict: fc.boolean(),
  shortReplay: fc.boolean(),
  steps: fc.array(fc.oneof<Weighted<Step>[]>(...clientSteps, ...hostSteps), {
    minLength: 1,
    maxLength: 40,
    size: 'max',
  }),
});
