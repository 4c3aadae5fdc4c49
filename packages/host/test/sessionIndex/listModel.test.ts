import type { ListSessionsFilter, SessionSummary } from '@agenthost/protocol';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionIndex } from '../../src/sessionIndex/sessionIndex.js';
import { INDEX_FORMS } from './indexForms.js';
import { summary, turn } from './indexSamples.js';

const word = fc.constantFrom('a', 'ab', 'abc', 'b', 'ba', 'common');
const words = fc.array(word, { maxLength: 4 }).map((all) => all.join(' '));
const id = fc.integer({ min: 0, max: 11 }).map(String);
/** Of each session, by its id: some have a space for themselves, and one is empty. */
const SPACES = ['default', 'design', 'empty'] as const;
const spaceOf = (resource: string) => SPACES[Number(resource.slice('mock:/'.length)) % 3 === 0 ? 1 : 0];

const turnId = fc.constantFrom('t1', 't2', 't3');
const workspaces = ['file:///x', 'file:///y'] as const;

const fields = fc.record({
  title: words,
  provider: fc.constant('mock'),
  modifiedAt: fc.integer({ min: 0, max: 5 }),
  status: fc.constantFrom('idle' as const, 'error' as const, 'inProgress' as const),
  isRead: fc.boolean(),
  isArchived: fc.boolean(),
  workingDirectory: fc.constantFrom(...workspaces, undefined),
});

const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('put' as const), id, fields }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('say' as const), id, turnId, text: words }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unsay' as const), id, turnId }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), id }) },
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const term = fc.oneof(
  word,
  fc.array(word, { minLength: 1, maxLength: 2 }).map((all) => `"${all.join(' ')}"`),
);
const filter = fc.record(
  {
    provider: fc.constantFrom('mock', 'other'),
    status: fc.constantFrom('idle' as const, 'error' as const),
    isArchived: fc.boolean(),
    isRead: fc.boolean(),
    workspace: fc.constantFrom(...workspaces, ''),
    modifiedSince: fc.integer({ min: 0, max: 6 }),
    text: fc.array(term, { minLength: 1, maxLength: 3 }).map((all) => all.join(' ')),
  },
  { requiredKeys: [] },
);

/** The same without a database: everything is gone through, for every question. */
class Model {
  readonly sessions = new Map<string, { summary: SessionSummary; turns: Map<string, string> }>();

  apply(index: SessionIndex, change: Change): void {
    const resource = `mock:/${change.id}`;
    const known = this.sessions.get(resource);
    if (change.kind === 'put') {
      const { workingDirectory, ...others } = change.fields;
      const next = summary(change.id, { ...others, ...(workingDirectory && { workingDirectory }) });
      index.put(next, spaceOf(resource) ?? '');
      this.sessions.set(resource, { summary: next, turns: known?.turns ?? new Map() });
    } else if (change.kind === 'remove') {
      index.remove(resource);
      this.sessions.delete(resource);
    } else if (known && change.kind === 'say') {
      index.putTurn(resource, turn(change.turnId, change.text));
      known.turns.set(change.turnId, change.text);
    } else if (known) {
      index.forgetTurn(resource, change.turnId);
      known.turns.delete(change.turnId);
    }
  }

  list(filter: ListSessionsFilter, space: string): SessionSummary[] {
    return [...this.sessions.values()]
      .filter(({ summary }) => spaceOf(summary.resource) === space)
      .filter(({ summary, turns }) => fits(filter, summary, [summary.title, ...turns.values()]))
      .map(({ summary }) => summary)
      .toSorted((a, b) => b.modifiedAt - a.modifiedAt || (a.resource < b.resource ? 1 : -1));
  }
}

function fits(filter: ListSessionsFilter, summary: SessionSummary, texts: readonly string[]): boolean {
  const { provider, status, isArchived, isRead, workspace, modifiedSince, text = '' } = filter;
  if (provider !== undefined && provider !== summary.provider) return false;
  if (status !== undefined && status !== summary.status) return false;
  if (isArchived !== undefined && isArchived !== summary.isArchived) return false;
  if (isRead !== undefined && isRead !== summary.isRead) return false;
  if (workspace !== undefined && workspace !== summary.workingDirectory) return false;
  if (modifiedSince !== undefined && summary.modifiedAt < modifiedSince) return false;
  const terms = text.match(/"[^"]*"|[^" ]+/g) ?? [];
  return terms.every((term, n) => {
    const isPrefix = n === terms.length - 1 && !term.endsWith('"');
    const wanted = ` ${term.replaceAll('"', '')}${isPrefix ? '' : ' '}`;
    return texts.some((said) => ` ${said} `.includes(wanted));
  });
}

interface Question {
  readonly filter: ListSessionsFilter;
  readonly space: string;
  readonly limit: number;
}

async function pages(index: SessionIndex, { filter, space, limit }: Question, between: () => void = () => {}) {
  const seen: SessionSummary[] = [];
  const totals: number[] = [];
  for (let cursor: string | undefined, more = true; more; ) {
    const page = await index.list({ filter, limit, ...(cursor !== undefined && { cursor }) }, space);
    seen.push(...page.items);
    totals.push(page.total);
    if (filter.text !== undefined) {
      const found = Object.entries(page.snippets ?? {});
      expect(found.map(([resource]) => resource)).toEqual(page.items.map(({ resource }) => resource));
      for (const [, snippet] of found) expect(snippet).toContain('⟨');
    }
    cursor = page.nextCursor;
    more = cursor !== undefined;
    between();
  }
  return { seen, totals };
}

describe.each(INDEX_FORMS)('a list of $name, compared with a simple model', (form) => {
  beforeAll(() => form.start());
  afterAll(() => form.stop());
  // Each question to a database takes a round trip.
  const numRuns = form.name === 'SQLite' ? 400 : 40;

  const withIndex = async (use: (index: SessionIndex, model: Model) => Promise<void>) => {
    const index = await form.open();
    try {
      await use(index, new Model());
    } finally {
      await index.close();
    }
  };

  it('[SPACE1] has the same sessions, order and total for every space, filter and page size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 40 }),
        fc.array(fc.tuple(filter, fc.constantFrom(...SPACES), fc.integer({ min: 1, max: 5 })), {
          minLength: 1,
          maxLength: 8,
        }),
        (changes, questions) =>
          withIndex(async (index, model) => {
            for (const each of changes) model.apply(index, each);
            for (const [asked, space, limit] of questions) {
              const expected = model.list(asked, space);
              const { seen, totals } = await pages(index, { filter: asked, space, limit });
              expect(seen).toEqual(expected);
              expect(new Set(totals)).toEqual(new Set([expected.length]));
            }
          }),
      ),
      { numRuns },
    );
  }, 120_000);

  it('lists unchanged sessions once while others change between two pages, with right totals', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 40 }),
        filter,
        fc.constantFrom(...SPACES),
        fc.integer({ min: 1, max: 3 }),
        fc.array(change, { maxLength: 20 }),
        (changes, asked, space, limit, meanwhile) =>
          withIndex(async (index, model) => {
            for (const each of changes) model.apply(index, each);
            const before = model.list(asked, space);
            const expected = [before.length];
            const waiting = [...meanwhile];
            const { seen, totals } = await pages(index, { filter: asked, space, limit }, () => {
              const next = waiting.shift();
              if (next) model.apply(index, next);
              expected.push(model.list(asked, space).length);
            });
            expect(totals).toEqual(expected.slice(0, totals.length));
            const touched = new Set(meanwhile.map(({ id }) => `mock:/${id}`));
            const untouched = (all: readonly SessionSummary[]) => all.filter(({ resource }) => !touched.has(resource));
            expect(untouched(seen)).toEqual(untouched(before));
          }),
      ),
      { numRuns },
    );
  }, 120_000);

  it('of very many hits, found by a walk through all sessions', async () => {
    await withIndex(async (index, model) => {
      for (let n = 0; n < 3_000; n++) {
        const title = `common ${n % 3 === 0 ? 'third' : ''}`;
        const flags = { isArchived: n % 5 === 0, isRead: n % 2 === 0 };
        const others = { provider: 'mock', status: 'idle', workingDirectory: undefined } as const;
        const fields = { title, modifiedAt: n % 700, ...flags, ...others };
        model.apply(index, { kind: 'put', id: String(n), fields });
      }
      for (const asked of [
        { text: 'common' },
        { text: 'comm', isArchived: false },
        { text: 'common', isRead: true, modifiedSince: 600 },
        { text: 'common third', isArchived: true },
        { text: 'thir common' },
      ]) {
        for (const space of SPACES) {
          const expected = model.list(asked, space);
          expect((await pages(index, { filter: asked, space, limit: 500 })).seen).toEqual(expected);
          expect((await index.list({ filter: asked, limit: 1 }, space)).total).toBe(expected.length);
        }
      }
    });
  });
});
