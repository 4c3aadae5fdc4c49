import { describe, expect, it } from 'vitest';
import { OutputTail } from '../../../src/work/checks/outputTail.js';

function tailOf(most: number, ...pieces: readonly (string | Buffer)[]) {
  const tail = new OutputTail(most);
  const add = tail.source();
  for (const piece of pieces) add(Buffer.from(piece));
  return tail.end();
}

describe('the end of what a program prints', () => {
  it.each([
    ['short output as it is', ['one\n', 'two\n'], 'one\ntwo', false],
    [
      'colours and titles of windows are taken out',
      ['\u001b[31mred\u001b[0m \u001b]0;title\u0007end'],
      'red end',
      false,
    ],
    ['a progress bar shows what it drew last', ['10 %\r50 %\r100 %\r\ndone\r\n'], '100 %\ndone', false],
    ['control characters are taken out', ['a\u0000b\u0008c\u009bd\te'], 'abcd\te', false],
    ['the last lines are kept, whole', ['first line\n'.repeat(10), 'the last line'], 'the last line', true],
    ['one very long line keeps its end', ['x'.repeat(100)], 'x'.repeat(20), true],
    ['no character is cut', [`a${'🎉'.repeat(30)}z`], `${'🎉'.repeat(9)}z`, true],
  ] as const)('%s', (_, pieces, output, isCut) => {
    expect(tailOf(20, ...pieces)).toEqual({ output, isCut });
  });

  it('a character may come in two pieces, also between pieces of the other stream', () => {
    const [tail, bytes] = [new OutputTail(100), Buffer.from('é')];
    const [out, err] = [tail.source(), tail.source()];
    out(bytes.subarray(0, 1));
    err(Buffer.from('!'));
    out(bytes.subarray(1));
    expect(tail.end()).toEqual({ output: '!é', isCut: false });
  });

  it('ten thousand megabytes would take no more room than one', () => {
    const [tail, piece] = [new OutputTail(1_000), Buffer.alloc(65_536, 'y\n')];
    const add = tail.source();
    for (let count = 0; count < 500; count++) add(piece);
    expect(tail.end().output).toHaveLength(999);
  });
});
