import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exceedsUtf8Bytes, frameToBytes, frameToText } from '../src/peer/frame.js';

describe('frame', () => {
  it('means the same as text and as bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(frameToText(frameToBytes(text))).toBe(text);
      }),
    );
    expect(frameToText(frameToBytes('\ufeff{}'))).toBe('\ufeff{}');
  });

  it('counts the bytes of the encoder, including lone surrogates', () => {
    const anyUnits = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          anyUnits.map((u) => String.fromCharCode(...u)),
        ),
        (text) => {
          const bytes = frameToBytes(text).length;
          expect([exceedsUtf8Bytes(text, bytes - 1), exceedsUtf8Bytes(text, bytes)]).toEqual([true, false]);
        },
      ),
    );
  });
});
