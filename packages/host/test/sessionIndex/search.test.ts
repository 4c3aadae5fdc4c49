import type { ListSessionsFilter, ListSessionsResult } from '@agenthost/protocol';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { InvalidCursorError } from '../../src/sessionIndex/listQuery.js';
import { SqliteSessionIndex } from '../../src/sessionIndex/sqliteSessionIndex.js';
import { INDEX_FORMS, type TestedIndex } from './indexForms.js';
import { summary, toolCall, turn } from './indexSamples.js';

describe.each(INDEX_FORMS)('searching sessions with $name', (form) => {
  let index: TestedIndex;

  beforeAll(() => form.start());
  beforeEach(async () => {
    index = await form.open();
  });
  afterEach(async () => index.close());
  afterAll(() => form.stop());

  const ids = ({ items }: ListSessionsResult) => items.map(({ resource }) => resource.slice('mock:/'.length));
  const found = async (text: string, filter: ListSessionsFilter = {}) =>
    ids(await index.list({ filter: { ...filter, text } }));
  const snippet = async (text: string) => Object.values((await index.list({ filter: { text } })).snippets ?? {});

  it('finds words of titles, messages, answers and tools, in any of them', async () => {
    index.put(summary('a', { title: 'Fix the parser' }));
    index.putTurn(
      'mock:/a',
      turn('t1', 'why does it crash', {
        responseParts: [{ kind: 'markdown', id: 'm', content: 'an **overflow** of the stack' }],
        toolCalls: [toolCall({ toolInput: 'npm test', output: { text: 'segmentation fault' } })],
      }),
    );
    index.put(summary('b', { title: 'Parser again' }));
    for (const text of ['fix', 'CRASH', 'overflow', 'npm', 'segmentation', 'parser crash', 'fault fix stack']) {
      expect(await found(text), text).toEqual(['a']);
    }
    expect(await found('parser')).toEqual(['b', 'a']);
    expect(await found('parser again crash')).toEqual([]);
    expect(await found('   ')).toEqual(['b', 'a']);
  });

  it('the last word may be unfinished, the others not; quotes make phrases', async () => {
    index.put(summary('a', { title: 'one two three' }));
    expect(await found('one thr')).toEqual(['a']);
    expect(await found('on three')).toEqual([]);
    expect(await found('"one two"')).toEqual(['a']);
    expect(await found('"two one"')).toEqual([]);
    expect(await found('"one tw"')).toEqual([]);
    expect(await found('"one tw')).toEqual(['a']);
    expect(await found('one OR nothing')).toEqual([]);
    expect(await found('one -two')).toEqual(['a']);
  });

  it('folds case and diacritics, and finds words of other scripts', async () => {
    index.put(summary('a', { title: 'Café ÜBER naïve' }));
    index.put(summary('b', { title: '東京タワー 漢字 Москва' }));
    index.put(summary('c', { title: 'party 🎉' }));
    for (const text of ['cafe', 'CAFÉ', 'cafe\u0301', 'uber', 'naive']) expect(await found(text), text).toEqual(['a']);
    for (const text of ['東京', '東京タワー', '漢字', 'москва']) expect(await found(text), text).toEqual(['b']);
    expect(await found('🎉')).toEqual(['c']);
  });

  it('shows the first hit, and nothing without a search', async () => {
    index.put(summary('a', { title: 'a title' }));
    const before = 'before '.repeat(40);
    const after = 'after '.repeat(40);
    index.putTurn('mock:/a', turn('t1', `${before}the needle is here ${after}`));
    index.putTurn('mock:/a', turn('t2', 'another needle'));
    expect(await snippet('needle')).toEqual([expect.stringMatching(/^…before .*the ⟨needle⟩ is here.* after…$/)]);
    expect((await snippet('needle'))[0]?.split(' ').length).toBeLessThanOrEqual(25);
    expect(await snippet('title needl')).toEqual(['a ⟨title⟩']);
    expect(await snippet('anoth')).toEqual(['⟨another⟩ needle\n']);
    expect(await index.list({})).not.toHaveProperty('snippets');
    expect(await index.list({ filter: { text: '%' } })).not.toHaveProperty('snippets');
    expect(await index.list({ filter: { text: 'absent' } })).toEqual({ items: [], total: 0, snippets: {} });
  });

  it('shows little even of endless words', async () => {
    const long = 'x'.repeat(5_000);
    index.put(summary('a', { title: `${long} needle ${long}` }));
    expect(await snippet('needle')).toEqual([`…${'x'.repeat(199)} ⟨needle⟩ ${'x'.repeat(191)}…`]);
    expect(await snippet('xxx')).toEqual([`⟨${'x'.repeat(399)}⟩…`]);
  });

  it('combines with every other filter', async () => {
    const other = {
      provider: { provider: 'shell' },
      status: { status: 'error' },
      isArchived: { isArchived: true },
      isRead: { isRead: false },
      workspace: { workingDirectory: 'file:///w' },
      modifiedSince: { modifiedAt: 9 },
    } as const;
    const filters: Record<keyof typeof other, ListSessionsFilter> = {
      provider: { provider: 'shell' },
      status: { status: 'error' },
      isArchived: { isArchived: true },
      isRead: { isRead: false },
      workspace: { workspace: 'file:///w' },
      modifiedSince: { modifiedSince: 9 },
    };
    for (const [name, fields] of Object.entries(other)) {
      index.put(summary(name, { title: 'needle', ...fields }));
      index.put(summary(`${name}-not`, { title: 'hay', ...fields }));
    }
    for (const [name, filter] of Object.entries(filters)) {
      expect(await index.list({ filter: { ...filter, text: 'needle' } }), name).toMatchObject({
        items: [{ resource: `mock:/${name}` }],
        total: 1,
      });
      expect((await found('', filter)).toSorted(), name).toEqual([name, `${name}-not`]);
    }
    expect(await found('needle', { isArchived: false, isRead: true, status: 'idle', provider: 'mock' })).toEqual([
      'modifiedSince',
      'workspace',
    ]);
  });

  it('pages through ten thousand, newest first, each once', async () => {
    for (let n = 0; n < 10_000; n++) {
      const id = String(n).padStart(5, '0');
      // Times that are the same for many.
      index.put(summary(id, { title: n % 2 ? 'odd' : 'even', modifiedAt: Math.floor(n / 7) }));
      index.putTurn(`mock:/${id}`, turn('t', `number ${n} common`));
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await index.list({
        filter: { text: 'odd comm' },
        limit: 500,
        ...(cursor !== undefined && { cursor }),
      });
      expect(page.total).toBe(5_000);
      expect(Object.keys(page.snippets ?? {})).toEqual(page.items.map(({ resource }) => resource));
      seen.push(...ids(page));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(Array.from({ length: 5_000 }, (_, n) => String(9_999 - 2 * n).padStart(5, '0')));
    expect(await found('"number 4321"')).toEqual(['04321']);
    await expect((async () => index.list({ filter: { text: 'odd' }, cursor: 'nonsense' }))()).rejects.toThrow(
      InvalidCursorError,
    );
  });

  it('follows changes: a title, a turn that continues, a session that is removed', async () => {
    index.put(summary('a', { title: 'old' }));
    index.putTurn('mock:/a', turn('t1', 'question'));
    expect(await found('question')).toEqual(['a']);
    index.putTurn(
      'mock:/a',
      turn('t1', 'question', { responseParts: [{ kind: 'markdown', id: 'm', content: 'answer' }] }),
    );
    index.put(summary('a', { title: 'new' }));
    for (const text of ['question', 'answer', 'new']) expect(await found(text), text).toEqual(['a']);
    expect(await found('old')).toEqual([]);
    index.forgetTurn('mock:/a', 't0');
    index.putTurn('mock:/a', turn('t2', 'refused'));
    expect(await found('refused')).toEqual(['a']);
    index.forgetTurn('mock:/a', 't2');
    expect(await found('refused')).toEqual([]);

    index.put(summary('b', { title: 'other' }));
    index.putTurn('mock:/a', turn('t2', 'waiting'));
    index.remove('mock:/a');
    index.putTurn('mock:/a', turn('t3', 'late'));
    for (const text of ['question', 'answer', 'new', 'waiting', 'late']) expect(await found(text), text).toEqual([]);
    index.put(summary('c', { title: 'fresh' }));
    expect(await found('o')).toEqual(['b']);
    index.put(summary('a', { title: 'back' }));
    expect(await found('question')).toEqual([]);
    expect(await found('back')).toEqual(['a']);
  });

  it('never throws for any title, message and search, and a title finds itself', async () => {
    const anything = fc.string({ unit: 'binary', maxLength: 60 });
    const words = fc
      .array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 5 })
      .map((all) => all.join(' '));
    await fc.assert(
      fc.asyncProperty(anything, anything, anything, words, async (title, message, text, known) => {
        index.put(summary('a', { title: `${title} ${known}` }));
        index.putTurn('mock:/a', turn('t', message));
        await found(text);
        expect(await found(known)).toEqual(['a']);
        expect(await found(`"${known}"`)).toEqual(['a']);
      }),
      { numRuns: form.name === 'SQLite' ? 300 : 100 },
    );
  });
});

it('knows which sessions are incomplete', () => {
  const index = new SqliteSessionIndex(':memory:');
  expect(index.isComplete('mock:/a')).toBe(false);
  index.put(summary('a'));
  expect(index.isComplete('mock:/a')).toBe(true);
  index.flush();
  expect(index.isComplete('mock:/a')).toBe(true);
  index.expect('mock:/a');
  expect(index.isComplete('mock:/a')).toBe(false);
  index.put(summary('a'));
  index.flush();
  expect(index.isComplete('mock:/a')).toBe(true);
  index.close();
});
