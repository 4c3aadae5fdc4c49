import { describe, expect, it } from 'vitest';
import { placeIn, splitPaths } from '../src/files/pathText.js';

describe('a text that names a file', () => {
  it.each([
    ['src/a.ts', { path: 'src/a.ts' }],
    ['src/a.ts:12', { path: 'src/a.ts', line: 12 }],
    ['src/a.ts:12:5', { path: 'src/a.ts', line: 12 }],
    ['src/a.ts:12-20', { path: 'src/a.ts', line: 12 }],
    ['src/a.ts#L12', { path: 'src/a.ts', line: 12 }],
    ['a.ts#L12-L20', { path: 'a.ts', line: 12 }],
    ['./a', { path: './a' }],
    ['/home/me/app/a.ts:3', { path: '/home/me/app/a.ts', line: 3 }],
    ['file:///home/me/a.ts', { path: '/home/me/a.ts' }],
    ['Makefile', { path: 'Makefile' }],
    ['docs/', { path: 'docs/' }],
    ['src/a.ts:0', { path: 'src/a.ts', line: 1 }],
  ])('%s', (text, place) => {
    expect(placeIn(text)).toEqual(place);
  });

  it.each([
    '',
    'word',
    '1.5',
    '-rf',
    'https://example.org/a.ts',
    'call()',
    'a b.ts',
    '"a.ts"',
    'x'.repeat(500),
    'a\0.ts',
  ])('is not %j', (text) => {
    expect(placeIn(text)).toBeUndefined();
  });
});

describe('running text', () => {
  const paths = (text: string) => splitPaths(text).flatMap((piece) => (piece.isPath ? [piece.text] : []));

  it('has paths with a folder and an ending, and nothing is lost between them', () => {
    const text = 'See src/a.ts:12, ./b/c.py and (docs/d.md). Not https://x.org/e.html, and/or, 1/2, f.ts.';
    expect(paths(text)).toEqual(['src/a.ts:12', './b/c.py', 'docs/d.md']);
    expect(
      splitPaths(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
  });

  it.each([
    'a'.repeat(200_000),
    'a/'.repeat(100_000),
    'a.'.repeat(100_000),
    '../'.repeat(70_000),
    '@a/'.repeat(60_000),
  ])('of any shape is read in time', (text) => {
    const start = performance.now();
    splitPaths(text);
    // Without going back over it, it takes milliseconds; with it, minutes.
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
