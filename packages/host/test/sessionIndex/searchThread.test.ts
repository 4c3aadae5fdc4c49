import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListSessionsResult } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InvalidCursorError } from '../../src/sessionIndex/listQuery.js';
import { SearchFailedError, SearchThread } from '../../src/sessionIndex/searchThread.js';
import { SqliteSessionIndex } from '../../src/sessionIndex/sqliteSessionIndex.js';
import { summary, turn } from './indexSamples.js';

describe.each(['a file', 'memory'])('searching an index in %s from a thread', (where) => {
  let folder: string;
  let index: SqliteSessionIndex;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agenthost-search-'));
    const path = where === 'memory' ? ':memory:' : join(folder, 'index.sqlite');
    index = new SqliteSessionIndex(path, {
      searchInThread: true,
      onError: (error) => {
        throw error;
      },
    });
  });
  afterEach(async () => {
    index.close();
    await rm(folder, { recursive: true });
  });

  const ids = ({ items }: ListSessionsResult) => items.map(({ resource }) => resource.slice('mock:/'.length));
  const found = async (text: string) => ids(await index.search({ filter: { text } }));

  it('finds earlier text, and follows every change', async () => {
    index.put(summary('a', { title: 'parser' }));
    index.putTurn('mock:/a', turn('t1', 'why does it crash'));
    expect(await found('parser')).toEqual(['a']);
    expect(await index.search({ filter: { text: 'crash' } })).toMatchObject({
      snippets: { 'mock:/a': expect.stringContaining('⟨crash⟩') },
    });
    index.put(summary('a', { title: 'lexer' }));
    index.put(summary('b', { title: 'parser' }));
    expect(await found('parser')).toEqual(['b']);
    expect(await found('lexer')).toEqual(['a']);
    index.forgetTurn('mock:/a', 't1');
    expect(await found('crash')).toEqual([]);
    index.remove('mock:/b');
    expect(await found('parser')).toEqual([]);
    expect(ids(index.list({}))).toEqual(['a']);
  });

  it('answers many searches at once, each with its own result', async () => {
    for (let n = 0; n < 200; n++) index.put(summary(`s${n}`, { title: `number${n} common` }));
    const results = await Promise.all(Array.from({ length: 200 }, (_, n) => found(`"number${n}"`)));
    expect(results).toEqual(Array.from({ length: 200 }, (_, n) => [`s${n}`]));
  });

  it('refuses a wrong cursor and too many waiting searches, and continues', async () => {
    index.put(summary('a', { title: 'word' }));
    await expect(index.search({ filter: { text: 'word' }, cursor: 'nonsense' })).rejects.toThrow(InvalidCursorError);
    const many = await Promise.allSettled(Array.from({ length: 1_500 }, () => found('word')));
    const refused = many.filter((outcome) => outcome.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.reason).toBeInstanceOf(SearchFailedError);
    expect(await found('word')).toEqual(['a']);
  });

  it('rejects running searches when the index is closed', async () => {
    const running = [found('word'), found('word')];
    const settled = Promise.allSettled(running);
    index.close();
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

it('cancels a search that takes too long, and runs the next one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agenthost-search-'));
  const path = join(folder, 'index.sqlite');
  const index = new SqliteSessionIndex(path);
  index.put(summary('a', { title: 'word' }));
  index.flush();
  // A thread takes longer than that to start.
  const thread = new SearchThread(path, 1);
  const outcomes = await Promise.allSettled([1, 2].map(() => thread.search({ filter: { text: 'word' } }, 'default')));
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && String(outcome.reason))).toEqual(
    Array(2).fill(expect.stringContaining('look for rarer words')),
  );
  expect(thread.isBusy).toBe(false);
  thread.close();
  index.close();
  await rm(folder, { recursive: true });
});
