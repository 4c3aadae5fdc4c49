import { expect, it } from 'vitest';
import { linePieces } from '../src/diff/linePieces.js';
import { pairLines } from '../src/diff/pairLines.js';
import { unifiedDiff } from '../src/diff/unifiedDiff.js';
import { wordMarks } from '../src/diff/wordMarks.js';

const DIFF = `diff --git a/x.ts b/x.ts
--- a/x.ts
+++ b/x.ts
@@ -84,3 +84,3 @@ resume()
 same
-const highest = this.lastSent
+const highest = accepted[this.session]
 end
@@ -100 +100,2 @@
 tail
+--- not a header
\\ No newline at end of file
`;

it('reads hunks with both numbers', () => {
  expect(unifiedDiff(DIFF)).toEqual([
    {
      oldStart: 84,
      oldLines: 3,
      heading: 'resume()',
      lines: [
        { kind: 'same', text: 'same', oldNumber: 84, newNumber: 84 },
        { kind: 'removed', text: 'const highest = this.lastSent', oldNumber: 85 },
        { kind: 'added', text: 'const highest = accepted[this.session]', newNumber: 85 },
        { kind: 'same', text: 'end', oldNumber: 86, newNumber: 86 },
      ],
    },
    {
      oldStart: 100,
      oldLines: 1,
      heading: '',
      lines: [
        { kind: 'same', text: 'tail', oldNumber: 100, newNumber: 100 },
        { kind: 'added', text: '--- not a header', newNumber: 101 },
      ],
    },
  ]);
});

it('reads a removed line that looks like a header', () => {
  const [hunk] = unifiedDiff('@@ -1,2 +1 @@\n--- a\n kept\n');
  expect(hunk?.lines).toEqual([
    { kind: 'removed', text: '-- a', oldNumber: 1 },
    { kind: 'same', text: 'kept', oldNumber: 2, newNumber: 1 },
  ]);
});

it('marks the changed words', () => {
  const [hunk] = unifiedDiff(DIFF);
  const marks = wordMarks(hunk?.lines ?? []);
  expect(marks.map((line) => line.filter((part) => part.marked).map((part) => part.text))).toEqual([
    [],
    ['lastSent'],
    ['accepted[', 'session]'],
    [],
  ]);
});

it('returns nothing for a text that is no diff', () => {
  expect(unifiedDiff('hello\n+world')).toEqual([]);
});

const UNEVEN = `@@ -84,3 +84,5 @@
-    const highest = this.lastSent
-    return this.pending.filter((p) => p.clientSeq > highest)
+    // The host's word, not ours.
+    const highest = accepted[this.session] ?? 0
+    this.pending = this.pending.filter((p) => p.clientSeq > highest)
+    return this.pending
   }
`;

it('marks words also when more lines were added than removed', () => {
  const [hunk] = unifiedDiff(UNEVEN);
  const marks = wordMarks(hunk?.lines ?? []);
  expect(marks.map((line) => line.filter((part) => part.marked).map((part) => part.text))).toEqual([
    ['lastSent'],
    ['return'],
    [],
    ['accepted[', 'session] ?? 0'],
    ['this.pending = '],
    [],
    [],
  ]);
});

it('pairs no lines without common words, and none of a rewrite', () => {
  expect(pairLines(['alpha beta'], ['gamma delta', 'alpha beta gamma'])).toEqual([[0, 1]]);
  expect(pairLines(['one'], ['two'])).toEqual([]);
  const many = Array.from({ length: 100 }, (_, index) => `line ${index}`);
  expect(pairLines(many, many.slice(1))).toEqual([]);
});

it('cuts a line where a mark or a colour changes, and shows no colours of another text', () => {
  const marks = [
    { text: 'const a', marked: false },
    { text: ' = 1', marked: true },
  ];
  const colours = [
    { text: 'const', color: 'red' },
    { text: ' a = ', color: undefined },
    { text: '1', color: 'blue' },
  ];
  expect(linePieces(marks, colours)).toEqual([
    { text: 'const', marked: false, color: 'red' },
    { text: ' a', marked: false, color: undefined },
    { text: ' = ', marked: true, color: undefined },
    { text: '1', marked: true, color: 'blue' },
  ]);
  expect(linePieces(marks, [{ text: 'other', color: 'red' }])).toEqual([
    { text: 'const a', marked: false, color: undefined },
    { text: ' = 1', marked: true, color: undefined },
  ]);
});
