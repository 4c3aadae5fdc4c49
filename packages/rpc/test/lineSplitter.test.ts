import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../src/transports/lineSplitter.js';

const encode = (text: string) => new TextEncoder().encode(text);

function split(chunks: readonly Uint8Array[], maxLineBytes = 1_000): string[] {
  const out: string[] = [];
  const splitter = new LineSplitter({
    maxLineBytes,
    onLine: (line) => out.push(new TextDecoder().decode(line)),
    onOversizeLine: () => out.push('OVERSIZE'),
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return out;
}

describe('LineSplitter', () => {
  it.each([
    ['lines', 'a\nb\n', ['a', 'b']],
    ['CRLF', 'a\r\nb\r\n', ['a', 'b']],
    ['blank lines', '\n\r\na\n\n', ['a']],
    ['a last line without a newline', 'a\nb', ['a', 'b']],
    ['a last line with only a carriage return', 'a\nb\r', ['a', 'b']],
    ['a carriage return inside a line', 'a\rb\n', ['a\rb']],
    ['nothing', '', []],
    ['exactly the limit', '12345678\n12345678\r\n12345678', ['12345678', '12345678', '12345678']],
    [
      'one over the limit',
      '123456789\nok\n123456789\r\nok\n123456789',
      ['OVERSIZE', 'ok', 'OVERSIZE', 'ok', 'OVERSIZE'],
    ],
    ['far over the limit', `${'x'.repeat(100)}\nok`, ['OVERSIZE', 'ok']],
  ])('%s, in one chunk or byte by byte', (_, text, expected) => {
    const bytes = encode(text);
    expect(split([bytes], 8)).toEqual(expected);
    expect(
      split(
        Array.from(bytes, (byte) => Uint8Array.of(byte)),
        8,
      ),
    ).toEqual(expected);
  });

  it('reports a line over the limit before its end, once', () => {
    const heard: string[] = [];
    const splitter = new LineSplitter({
      maxLineBytes: 8,
      onLine: (line) => heard.push(new TextDecoder().decode(line)),
      onOversizeLine: () => heard.push('OVERSIZE'),
    });
    for (let n = 0; n < 5; n++) splitter.push(encode('12345678'));
    expect(heard).toEqual(['OVERSIZE']);
    splitter.push(encode('\nok\n'));
    expect(heard).toEqual(['OVERSIZE', 'ok']);
  });

  it('returns the same lines however the bytes are cut', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '€', '😀', '\n', '\r\n', '0123456789'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 200 })), (source, cuts) => {
        const bytes = encode(source);
        const at = [0, ...cuts.filter((cut) => cut <= bytes.length).sort((x, y) => x - y), bytes.length];
        const chunks = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
        const expected = source
          .split('\n')
          .map((line) => line.replace(/\r$/, ''))
          .filter((line) => line !== '')
          .map((line) => (encode(line).length > 20 ? 'OVERSIZE' : line));
        expect(split(chunks, 20)).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });
});
