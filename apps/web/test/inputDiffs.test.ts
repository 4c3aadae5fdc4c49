import { describe, expect, it } from 'vitest';
import { inputDiffs } from '../src/diff/inputDiffs.js';

const HUNK = '@@ -1,2 +1,2 @@\n same\n-old\n+new';

describe('the diff in a question', () => {
  it('has a file for each path', () => {
    expect(inputDiffs(`src/a.ts\n${HUNK}\n\nsrc/b.ts\n@@ -7,0 +8 @@\n+more\n`)).toEqual([
      { path: 'src/a.ts', diff: HUNK, insertions: 1, deletions: 1, isFragment: true },
      { path: 'src/b.ts', diff: '@@ -7,0 +8 @@\n+more', insertions: 1, deletions: 0, isFragment: false },
    ]);
  });

  it('may have the headers of git', () => {
    const text = `diff --git a/x.ts b/x.ts\nindex 1..2 100644\n--- a/x.ts\n+++ b/x.ts\n@@ -5 +5 @@ f()\n-a\n+b\n\\ No newline at end of file`;
    expect(inputDiffs(text)).toMatchObject([{ path: 'x.ts', insertions: 1, deletions: 1, isFragment: false }]);
  });

  it.each([
    ['a line that belongs to no hunk', `src/a.ts\n${HUNK}\nrm -rf /`],
    ['a hunk that is cut', 'src/a.ts\n@@ -1,9 +1,2 @@\n same\n+new'],
    ['a hunk with too many lines', 'src/a.ts\n@@ -1 +1 @@\n-a\n+b\n+c'],
    ['a line without a mark in a hunk', 'src/a.ts\n@@ -1,2 +1,2 @@\nwhat\n-a\n+b'],
    ['no path', HUNK],
    ['no hunk', 'src/a.ts'],
    ['nothing', ''],
  ])('is not shown as one with %s', (_, text) => {
    expect(inputDiffs(text)).toBeUndefined();
  });

  it('takes a time that grows with its length', () => {
    const lines = Array.from({ length: 100_000 }, (_, n) => `+${n}`);
    expect(inputDiffs(`a\n@@ -0,0 +1,100000 @@\n${lines.join('\n')}`)).toMatchObject([{ insertions: 100_000 }]);
  });
});
