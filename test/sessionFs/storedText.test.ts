import { fromStoredText, isPlainStoredText, toStoredText } from '@agenthost/protocol/internal';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WEB_BYTES } from '../../packages/client/src/byteTools.js';
import { NODE_BYTES } from '../../packages/host/src/storage/client/providerContent.js';
import { holds } from '../support/holds.js';

describe.each([
  ['Node', NODE_BYTES],
  ['browsers', WEB_BYTES],
])('bytes as stored text, with the functions of %s', (_name, tools) => {
  const stored = (content: string | Uint8Array) => toStoredText(content, tools);
  const restored = (text: string) => Buffer.from(fromStoredText(text, tools));

  it('leaves text unchanged', () => {
    const text = '\uFEFFein Text: äöü 漢字 🦊\r\n\0\t\u001b[0m\u2028 dGV4dA== base64,dGV4dA==';
    expect([stored(text), stored(Buffer.from(text)), isPlainStoredText(stored(text))]).toEqual([text, text, true]);
    expect(restored(text).equals(Buffer.from(text))).toBe(true);
  });

  it('returns any bytes, whatever pieces they were stored in', () => {
    holds(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (pieces) => {
        const all = restored(pieces.map(stored).join(''));
        expect(all.equals(Buffer.concat(pieces))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('returns any text that contains marks, also halves of them', () => {
    const words = fc.constantFrom('\u001a', 'base64,', 'dGV4dA==', 'ü', '🦊', '\u001abase64,dGV4dA==\u001a', '\uD83D');
    holds(
      fc.property(fc.array(words), (texts) => {
        const all = restored(texts.map(stored).join(''));
        expect(all.toString()).toBe(texts.map((text) => text.toWellFormed()).join(''));
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps a piece of text readable that was cut inside of a character', () => {
    const text = Buffer.from('€🦊'.repeat(5));
    for (let start = 0; start < 7; start++) {
      for (let end = text.length - 7; end <= text.length; end++) {
        const piece = text.subarray(start, end);
        expect(stored(piece)).toContain('€🦊€🦊');
        expect(restored(stored(piece)).equals(piece)).toBe(true);
      }
    }
  });

  it('leaves foreign marks unchanged', () => {
    for (const text of [
      '\u001a',
      'a\u001ab',
      '\u001abase64,dGV4d',
      '\u001abase64,d!\u001a',
      '\u001abase64,dGV4d\u001a',
      '\u001a\u001a',
    ]) {
      expect(restored(text).toString()).toBe(text);
    }
  });

  it('never marks a log, whatever its content', () => {
    const line = JSON.stringify({ text: '\u001abase64,dGV4dA==\u001a ü' });
    expect(stored(line)).toBe(line);
  });
});
