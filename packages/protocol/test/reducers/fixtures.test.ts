import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { changesReducer } from '../../src/reducers/changesReducer.js';
import { rootReducer } from '../../src/reducers/rootReducer.js';
import { sessionReducer } from '../../src/reducers/sessionReducer.js';
import { SCHEMAS } from '../../src/schemas/schemas.js';
import { ACTION_INTRODUCED_IN } from '../../src/tables/tableRules.js';
import type { Action, ChangesAction, RootAction, SessionAction } from '../../src/types/actions.js';
import type { RootState } from '../../src/types/rootState.js';
import type { SessionState } from '../../src/types/sessionState.js';
import type { ChangesState } from '../../src/types/work.js';
import { deepFreeze } from './deepFreeze.js';

/**
 * One file of `test/fixtures/<group>/`. The expected states are written from SPEC.md, not from what the reducers return.
 *
 * `initial` and `expected` are whole states; `initial` may be the name of a file in `fixtures/states/`. `"unchanged"`
 * means that every one of the actions returns the very same object. Long strings are written as
 * `{ "$repeat": ["ab", 9000] }` and `{ "$concat": ["a", { "$repeat": ["b", 3] }] }`, anywhere in a file. Many entries of a
 * list are written as `{ "$each": [7, 3, { "id": "n#" }] }`: n7, n8 and n9.
 */
interface Fixture {
  readonly name: string;
  readonly rules: readonly string[];
  readonly description: string;
  readonly reducer: 'session' | 'root' | 'changes';
  /** Its actions are not what the schema lets through: ids and keys that are refused or dropped, unknown types. */
  readonly invalidOnPurpose: boolean;
  readonly initial: State;
  readonly actions: readonly Action[];
  readonly expected: State | 'unchanged';
}

type State = SessionState | RootState | ChangesState;

type FixtureFile = Pick<Fixture, 'rules' | 'description' | 'actions' | 'expected'> &
  Partial<Pick<Fixture, 'reducer' | 'invalidOnPurpose'>> & { readonly initial: State | string };

const FIXTURES = new URL('../fixtures/', import.meta.url);
const SPEC = new URL('../../SPEC.md', import.meta.url);
const GROUPS = [
  ...[
    'chg',
    'cut',
    'general',
    'life',
    'list',
    'part',
    'pend',
    'perm',
    'rev',
    'root',
    'scenario',
    'several',
    'sum',
    'tool',
    'turn',
  ],
];

/** Rules of the reducers that no fixture can show; property tests and the types are there for them. */
const NOT_BY_FIXTURE = ['RED1', 'RED2', 'RED6', 'RED7', 'RED8', 'RED11', 'RED12', 'PART7'];

/** Actions without a no-op that a fixture could show. */
const ALWAYS_APPLIES: ReadonlyMap<string, string> = new Map([
  ['root/agentsChanged', 'it is for no session, has no precondition, and ROOT1 always replaces'],
]);

class Entries {
  readonly all: readonly unknown[];

  constructor([first, count, template]: [number, number, unknown]) {
    const text = JSON.stringify(template);
    this.all = Array.from({ length: count }, (_, n) => JSON.parse(text.replaceAll('#', String(first + n))));
  }
}

/** A reviver, because it defines each property: a copy made by assignment would lose the key `__proto__`. */
function expandLongStrings(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('$repeat' in value) {
    const [text, times] = value.$repeat as [string, number];
    return text.repeat(times);
  }
  if ('$each' in value) return new Entries(value.$each as [number, number, unknown]);
  if (Array.isArray(value)) return value.flatMap((entry) => (entry instanceof Entries ? entry.all : [entry]));
  return '$concat' in value ? (value.$concat as string[]).join('') : value;
}

function readJson(path: string): unknown {
  return deepFreeze(JSON.parse(readFileSync(new URL(path, FIXTURES), 'utf8'), expandLongStrings));
}

function readFixture(group: string, file: string): Fixture {
  const fixture = readJson(`${group}/${file}`) as FixtureFile;
  const { initial } = fixture;
  return {
    reducer: 'session',
    invalidOnPurpose: false,
    ...fixture,
    name: `${group}/${file.replace(/\.json$/, '')}`,
    initial: typeof initial === 'string' ? (readJson(`states/${initial}.json`) as State) : initial,
  };
}

const fixtures = GROUPS.flatMap((group) =>
  readdirSync(new URL(`${group}/`, FIXTURES)).map((file) => readFixture(group, file)),
);

function reduce(fixture: Fixture, state: State, action: Action): State {
  if (fixture.reducer === 'changes') return changesReducer(state as ChangesState, action as ChangesAction);
  return fixture.reducer === 'root'
    ? rootReducer(state as RootState, action as RootAction)
    : sessionReducer(state as SessionState, action as SessionAction);
}

/** `toStrictEqual` sees own properties only: an unsafe key that was assigned hides in the prototype. */
function expectPlain(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  expect(Object.getPrototypeOf(value)).toBe(Array.isArray(value) ? Array.prototype : Object.prototype);
  for (const child of Object.values(value)) expectPlain(child);
}

function rulesOf(sections: readonly string[]): string[] {
  const rules = [...readFileSync(SPEC, 'utf8').matchAll(/^- \*\*(([A-Z]+)\d+)\*\*/gm)];
  return rules.flatMap(([, rule = '', section = '']) => (sections.includes(section) ? [rule] : []));
}

const REDUCER_SECTIONS = [
  'RED',
  'ROOT',
  'LIFE',
  'TURN',
  'PART',
  'TOOL',
  'PERM',
  'PEND',
  'SUM',
  'LIST',
  'REV',
  'CUT',
  'SEV',
  'CHG',
];
const ACTION_TYPES = Object.keys(ACTION_INTRODUCED_IN);

describe('fixtures', () => {
  test.each(fixtures.map((fixture) => [fixture.rules.join(), fixture.name, fixture.description, fixture] as const))(
    '[%s] %s: %s',
    (_rules, _name, _description, fixture) => {
      let state = fixture.initial;
      for (const [index, action] of fixture.actions.entries()) {
        state = deepFreeze(reduce(fixture, state, action));
        if (fixture.expected === 'unchanged') {
          expect(state === fixture.initial, `action ${index} returns the same reference`).toBe(true);
        }
      }
      expect(state).toStrictEqual(fixture.expected === 'unchanged' ? fixture.initial : fixture.expected);
      expectPlain(state);
    },
  );
});

describe('the fixtures themselves', () => {
  test('are enough, all in a known group, and use every state', () => {
    expect(fixtures.length).toBeGreaterThanOrEqual(150);
    expect(readdirSync(FIXTURES).sort()).toStrictEqual([...GROUPS, 'states'].sort());
    const texts = GROUPS.flatMap((group) =>
      readdirSync(new URL(`${group}/`, FIXTURES)).map((file) =>
        readFileSync(new URL(`${group}/${file}`, FIXTURES), 'utf8'),
      ),
    );
    const unused = readdirSync(new URL('states/', FIXTURES)).filter(
      (file) => !texts.some((text) => text.includes(`"initial": "${file.replace(/\.json$/, '')}"`)),
    );
    expect(unused).toStrictEqual([]);
  });

  test('each have rules, a description and actions, and change what they claim to change', () => {
    for (const fixture of fixtures) {
      expect(fixture.rules.length, fixture.name).toBeGreaterThan(0);
      expect(fixture.description.length, fixture.name).toBeGreaterThan(0);
      expect(fixture.actions.length, fixture.name).toBeGreaterThan(0);
      // A state that equals the initial one would not say whether the reference must be the same.
      expect(fixture.expected, fixture.name).not.toStrictEqual(fixture.initial);
    }
  });

  test('show each action type alone with a change, and as a no-op', () => {
    // Alone: in a longer fixture it could be one of the actions that do nothing.
    const changing = fixtures.filter(({ actions, expected }) => expected !== 'unchanged' && actions.length === 1);
    const unchanged = fixtures.filter(({ expected }) => expected === 'unchanged');
    const types = (some: readonly Fixture[], prefix: string) =>
      new Set(
        some.flatMap((fixture) => fixture.actions.map(({ type }) => type).filter((type) => type.startsWith(prefix))),
      );
    const changed = types(changing, '');
    // An action that is given to the other reducer is an unknown type there, and says nothing about its own no-ops.
    const noOps = new Set([
      ...types(
        unchanged.filter(({ reducer }) => reducer === 'session'),
        'session/',
      ),
      ...types(
        unchanged.filter(({ reducer }) => reducer === 'root'),
        'root/',
      ),
      ...types(
        unchanged.filter(({ reducer }) => reducer === 'changes'),
        'changes/',
      ),
    ]);
    expect(ACTION_TYPES.length).toBeGreaterThan(0);
    expect(ACTION_TYPES.filter((type) => !changed.has(type as Action['type']))).toStrictEqual([]);
    expect(ACTION_TYPES.filter((type) => !noOps.has(type as Action['type']))).toStrictEqual([...ALWAYS_APPLIES.keys()]);
  });

  test('carry every rule of the reducers, and no unknown rule', () => {
    const rules = rulesOf(REDUCER_SECTIONS);
    const carried = new Set(fixtures.flatMap((fixture) => fixture.rules));
    expect(rules.length).toBeGreaterThan(0);
    expect(rules.filter((rule) => !carried.has(rule))).toStrictEqual(NOT_BY_FIXTURE);
    expect([...carried].filter((rule) => !rules.includes(rule))).toStrictEqual([]);
  });

  // Equal, not only accepted: the schemas drop fields that they do not know, such as a misspelt one.
  test.each(['initial', 'expected'] as const)('every %s state matches the schema', (which) => {
    for (const fixture of fixtures) {
      const schema = { root: SCHEMAS.RootState, session: SCHEMAS.SessionState, changes: SCHEMAS.ChangesState }[
        fixture.reducer
      ];
      const state = fixture[which];
      if (state !== 'unchanged') expect(schema.parse(state), fixture.name).toStrictEqual(state);
    }
  });

  test('every action matches the schema, except where it is invalid on purpose', () => {
    for (const fixture of fixtures) {
      const invalid = fixture.actions.filter(
        (action) => !isDeepStrictEqual(SCHEMAS.Action.safeParse(action).data, action),
      );
      if (fixture.invalidOnPurpose) expect(invalid, fixture.name).not.toStrictEqual([]);
      else expect(invalid, fixture.name).toStrictEqual([]);
    }
  });
});
