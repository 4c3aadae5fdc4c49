import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../../test/support/holds.js';
import { searchTerms } from '../../src/sessionIndex/searchQuery.js';

describe('the terms of a typed text', () => {
  const match = (query: string) => ({
    kind: 'match',
    query,
    words: query.replace(/^"|"\*?$/g, ''),
    isUnfinished: query.endsWith('*'),
  });
  const title = (pattern: string) => ({ kind: 'title', pattern });

  it.each([
    ['', []],
    [' \t\n ', []],
    ['"', []],
    ['"" " "', []],
    ['one', [match('"one"*')]],
    [' one  two ', [match('"one"'), match('"two"*')]],
    ['"one two"', [match('"one two"')]],
    ['"one two', [match('"one two"*')]],
    ['one"two three"four', [match('"one"'), match('"two three"'), match('"four"*')]],
    ['one "', [match('"one"*')]],
    [
      'NOT a* OR (b) ^c col:d',
      ['NOT', 'a*', 'OR', '(b)', '^c'].map((word) => match(`"${word}"`)).concat(match('"col:d"*')),
    ],
    ['100% %', [match('"100%"'), title('%\\%%')]],
    ['\\ _ 🎉', [title('%\\\\%'), title('%\\_%'), title('%🎉%')]],
    ['a\0b', [match('"a"'), match('"b"*')]],
  ])('%j', (text, terms) => {
    expect(searchTerms(text)).toEqual(terms);
  });

  it('are limited to what the index can search', () => {
    expect(searchTerms('word '.repeat(1_000))).toHaveLength(32);
  });

  it('are a valid FTS5 query for any text', () => {
    const database = new DatabaseSync(':memory:');
    database.exec(`CREATE VIRTUAL TABLE search USING fts5(text, tokenize = 'unicode61 remove_diacritics 2')`);
    const find = database.prepare('SELECT rowid FROM search WHERE search MATCH ?');
    const signs = fc.string({ unit: fc.constantFrom(...'"*^():+-{}\\\'\0 aé漢ANDORT%_\ud800\u0301\ue000') });
    holds(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), signs), (text) => {
        const terms = searchTerms(text);
        for (const term of terms) if (term.kind === 'match') find.all(term.query);
      }),
      { numRuns: 2_000 },
    );
    database.close();
  });
});
