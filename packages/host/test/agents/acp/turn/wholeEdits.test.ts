import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../../../../test/support/holds.js';
import { wholeEdits } from '../../../../src/agents/acp/turn/wholeEdits.js';

const BEFORE = 'one\ntwo\nthree\n';
const AFTER = 'one\n2\nthree\n';
const UNSEEN = { text: undefined, isBefore: false };
const FRAGMENT = { oldText: 'two', newText: '2' };

describe('whole contents around an edit', () => {
  it.each([
    ['a fragment, after the fact', [FRAGMENT], UNSEEN],
    ['a fragment, with the file before', [FRAGMENT], { text: BEFORE, isBefore: true }],
    ['a fragment, with a file that may be half written', [FRAGMENT], { text: 'one\ntwo\n', isBefore: false }],
    ['the whole file', [{ oldText: BEFORE, newText: AFTER }], UNSEEN],
    ['the whole file, seen too late', [{ oldText: BEFORE, newText: AFTER }], { text: AFTER, isBefore: false }],
    [
      'the whole file without the old one, seen before',
      [{ oldText: undefined, newText: AFTER }],
      { text: BEFORE, isBefore: true },
    ],
    [
      'the whole file with a wrong old one, seen before',
      [{ oldText: 'x', newText: AFTER }],
      { text: BEFORE, isBefore: true },
    ],
  ])('are proven by %s', (_, told, seen) => {
    expect(wholeEdits(told, seen, AFTER)).toEqual([{ before: BEFORE, after: AFTER }]);
  });

  it('are proven for a deletion and an insertion by the file before', () => {
    const seen = { text: BEFORE, isBefore: true };
    expect(wholeEdits([{ oldText: 'two\n', newText: '' }], seen, 'one\nthree\n')).toEqual([
      { before: BEFORE, after: 'one\nthree\n' },
    ]);
    const inserted = 'one\ntwo\nand\nthree\n';
    expect(wholeEdits([{ oldText: '', newText: 'and\n' }], seen, inserted)).toEqual([
      { before: BEFORE, after: inserted },
    ]);
  });

  it('are those of a new file only when none existed', () => {
    const told = [{ oldText: undefined, newText: AFTER }];
    expect(wholeEdits(told, { text: null, isBefore: true }, AFTER)).toEqual([{ before: null, after: AFTER }]);
    expect(wholeEdits(told, { text: null, isBefore: false }, AFTER)).toEqual([{ before: null, after: AFTER }]);
    expect(wholeEdits(told, UNSEEN, AFTER)).toBeUndefined();
    expect(wholeEdits(told, { text: AFTER, isBefore: false }, AFTER)).toBeUndefined();
  });

  it.each([
    ['a text that is not there', [{ oldText: 'two', newText: 'zwei' }], UNSEEN, AFTER],
    ['a text that is there twice', [{ oldText: 'x', newText: 'e' }], UNSEEN, AFTER],
    ['texts that overlap', [{ oldText: 'x', newText: 'aa' }], UNSEEN, 'aaa'],
    ['a deletion that nobody saw', [{ oldText: 'two', newText: '' }], UNSEEN, AFTER],
    ['an insertion that nobody saw', [{ oldText: undefined, newText: 'one\n2\nthree' }], UNSEEN, AFTER],
    ['a third text', [{ oldText: 'old', newText: AFTER }], { text: 'neither', isBefore: false }, AFTER],
    ['a file that is gone', [FRAGMENT], { text: BEFORE, isBefore: true }, null],
    ['a file that can’t be read', [FRAGMENT], { text: BEFORE, isBefore: true }, undefined],
    ['no edit', [], UNSEEN, AFTER],
  ])('are not proven by %s', (_, told, seen, after) => {
    const whole = wholeEdits(told, seen, after);
    expect(whole ?? []).toEqual([]);
  });

  it('are right whenever they are reported, for every truthful edit', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 12 });
    holds(
      fc.property(
        text,
        text,
        text,
        text,
        fc.constantFrom('before', 'after', 'nothing'),
        (head, oldText, tail, newText, sight) => {
          const [before, after] = [head + oldText + tail, head + newText + tail];
          const seen =
            sight === 'before'
              ? { text: before, isBefore: true }
              : { text: sight === 'after' ? after : undefined, isBefore: false };
          const whole = wholeEdits([{ oldText, newText }], seen, after);
          if (whole) expect(whole).toEqual([{ before, after }]);
          // What was seen before can always be proven, but for a text that is there several times.
          const isOnce =
            oldText !== '' &&
            before.split(oldText).length === 2 &&
            before.indexOf(oldText) === before.lastIndexOf(oldText);
          if (sight === 'before' && isOnce) expect(whole).toBeDefined();
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
