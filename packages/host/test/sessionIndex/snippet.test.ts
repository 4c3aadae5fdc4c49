import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../../test/support/holds.js';
import { searchTerms } from '../../src/sessionIndex/searchQuery.js';
import { snippetOf } from '../../src/sessionIndex/snippet.js';

describe('a snippet', () => {
  const snippet = (text: string, search: string) => snippetOf(text, searchTerms(search));

  it.each([
    ['one two three', 'two', 'one ⟨two⟩ three'],
    ['one two three', 'thr', 'one two ⟨three⟩'],
    ['one two three', '"one two"', '⟨one two⟩ three'],
    ['a b a b a', '"a b a"', '⟨a b a b a⟩'],
    ['Café ÜBER', 'cafe uber', '⟨Café⟩ ⟨ÜBER⟩'],
    ['cafe\u0301!', 'café', '⟨cafe\u0301⟩!'],
    ['nothing here', 'absent', ''],
    ['', 'x', ''],
    ['(foo-bar)', '"foo bar"', '(⟨foo-bar⟩)'],
  ])('of %j for %j is %j', (text, search, expected) => {
    expect(snippet(text, search)).toBe(expected);
  });

  it('is short, however long the text, its words and the phrase are', () => {
    const words = 'word '.repeat(100_000);
    expect(snippet(`${words}needle ${words}`, 'needle').split(' ').length).toBeLessThanOrEqual(25);
    expect(snippet('x'.repeat(100_000), 'xx').length).toBeLessThanOrEqual(402);
    expect(snippet('a '.repeat(50_000), `"${'a '.repeat(490)}"`)).toMatch(/^⟨a [a ]*⟩…$/);
  });

  it('exists for every hit of the index', () => {
    const database = new DatabaseSync(':memory:');
    database.exec(`CREATE VIRTUAL TABLE search USING fts5(text, tokenize = 'unicode61 remove_diacritics 2')`);
    const write = database.prepare('INSERT OR REPLACE INTO search (rowid, text) VALUES (1, ?)');
    const find = database.prepare('SELECT rowid FROM search WHERE search MATCH ?');
    const text = fc.string({ unit: fc.constantFrom(...'aAáÉe\u0301bB-_ .!1漢字мМ'), maxLength: 40 });
    holds(
      fc.property(text, text, (stored, typed) => {
        write.run(stored);
        for (const term of searchTerms(typed)) {
          if (term.kind !== 'match') continue;
          expect(snippetOf(stored, [term]) !== '').toBe(find.all(term.query).length > 0);
        }
      }),
      { numRuns: 2_000 },
    );
    database.close();
  });
});
