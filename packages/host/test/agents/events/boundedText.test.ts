import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../../../test/support/holds.js';
import { headAndTail, oneLine, pieces } from '../../../src/agents/events/boundedText.js';

const text = fc.string({ unit: 'grapheme', maxLength: 200 });

describe('bounded text', () => {
  it('headAndTail keeps short text, and whole characters of the rest', () => {
    holds(
      fc.property(text, fc.integer({ min: 8, max: 100 }), (content, max) => {
        const bounded = headAndTail(content, max);
        if (Buffer.byteLength(content) <= max) {
          expect(bounded).toBe(content);
          return;
        }
        const [, head = '', tail = ''] = /^(.*)\n… [\d,]+ bytes omitted …\n(.*)$/s.exec(bounded) ?? [];
        expect([bounded.isWellFormed(), content.startsWith(head), content.endsWith(tail)]).toEqual([true, true, true]);
        expect(Buffer.byteLength(head + tail)).toBeLessThanOrEqual(max + 3);
      }),
    );
  });

  it('pieces are bounded, whole, and together the text', () => {
    holds(
      fc.property(text, fc.integer({ min: 2, max: 10 }), (content, max) => {
        const cut = [...pieces(content, max)];
        expect(cut.join('')).toBe(content);
        expect(cut.every((piece) => piece.length > 0 && piece.length <= max && piece.isWellFormed())).toBe(true);
      }),
    );
  });

  it('oneLine has no control characters and fits', () => {
    holds(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 2, max: 20 }), (content, max) => {
        const line = oneLine(content, max);
        expect([line.length <= max, /\p{Cc}/u.test(line), line.isWellFormed()]).toEqual([true, false, true]);
      }),
    );
  });
});
