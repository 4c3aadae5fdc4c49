import { posix, win32 } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../../../test/support/holds.js';
import { artifactSegments, isArtifactName } from '../../../src/storage/artifacts/artifactName.js';

const CONVENTIONS = ['posix', 'windows'] as const;
const REFUSED_BY_BOTH: readonly (readonly [name: string, reason: string])[] = [
  ['', 'it is empty'],
  ['..', '.. leads to another folder'],
  ['.', '. leads to another folder'],
  ['a/../../b', '.. leads to another folder'],
  ['a/./b', '. leads to another folder'],
  ['/etc/passwd', 'it is an absolute path'],
  ['\\windows', 'it is an absolute path'],
  ['//server/share', 'it is a network path'],
  ['\\\\server\\share', 'it is a network path'],
  ['\\\\?\\C:\\x', 'it is a network path'],
  ['C:\\x', 'it begins with a drive letter'],
  ['c:x', 'it begins with a drive letter'],
  ['a\\..\\b', 'it holds a backslash; write / between folders'],
  ['a\0b', 'it holds a control character'],
  ['a\nb', 'it holds a control character'],
  ['a\u0085b', 'it holds a control character'],
  ['a//b', 'a part of it is empty'],
  ['a/', 'a part of it is empty'],
  ['\ud800', 'it holds half a character'],
  ['a'.repeat(256), 'a part of it is longer than 255 bytes'],
  ['ä'.repeat(128), 'a part of it is longer than 255 bytes'],
  [`${'a'.repeat(200)}/`.repeat(6), 'it is longer than 1024 bytes'],
  [Array.from({ length: 17 }, () => 'a').join('/'), 'it is deeper than 16 folders'],
];
const REFUSED_ON_WINDOWS = [
  ...['con', 'NUL', 'nul.txt', 'Aux.tar.gz', 'com1', 'LPT9.md', 'com¹', 'CONIN$', 'nul .txt', 'a/prn/b'],
  ...['a.', 'a ', '.. ', '...', 'a/b./c', 'notes.txt:stream', 'what?', 'a|b', '"a"', '<a>', 'a*'],
];
const ACCEPTED = [
  'a',
  'a.txt',
  'deep/er/a.txt',
  '..a',
  'a..b',
  '.hidden',
  'con-text.md',
  'console',
  'com10',
  'ä 漢字 🎉.md',
  'a%2e%2e',
];

describe('[ART1] the name of an artifact', () => {
  describe.each(CONVENTIONS)('by %s conventions', (conventions) => {
    it.each(REFUSED_BY_BOTH)('%j is refused: %s', (name, reason) => {
      expect(() => artifactSegments(name, conventions)).toThrow(`can't be the name of an artifact: ${reason}`);
      expect(isArtifactName(name, conventions)).toBe(false);
    });

    it.each(ACCEPTED)('%j is accepted', (name) => {
      expect(artifactSegments(name, conventions).join('/')).toBe(name);
      expect(isArtifactName(name, conventions)).toBe(true);
    });
  });

  it.each(REFUSED_ON_WINDOWS)('%j is refused only on Windows', (name) => {
    expect(() => artifactSegments(name, 'windows')).toThrow('Windows');
    expect(artifactSegments(name, 'posix').join('/')).toBe(name);
  });

  const piece = fc.oneof(
    fc.constantFrom(
      '..',
      '.',
      '',
      '/',
      '\\',
      'C:',
      '\0',
      ' ',
      '. ',
      '.. ',
      '%2e%2e',
      '?',
      '\\\\?\\',
      'nul',
      ':',
      '\u2024\u2024',
      'a',
    ),
    fc.string({ unit: 'binary', maxLength: 5 }),
  );
  const nasty = fc
    .array(piece, { maxLength: 8 })
    .chain((pieces) => fc.constantFrom('', '/', '\\').map((s) => pieces.join(s)));

  it.each([
    ['posix', posix, '/state/files'],
    ['windows', win32, 'C:\\state\\files'],
  ] as const)('stays inside, under its own name, when %s conventions accept it', (conventions, path, root) => {
    let accepted = 0;
    holds(
      fc.property(nasty, (name) => {
        if (!isArtifactName(name, conventions)) return;
        accepted++;
        const segments = artifactSegments(name, conventions);
        const joined = path.join(root, ...segments);
        // Neither joining nor resolving read anything but plain entries in it.
        expect(joined).toBe([root, ...segments].join(path.sep));
        expect(path.resolve(root, ...segments)).toBe(joined);
        expect(path.relative(root, joined).split(path.sep)).toEqual(segments);
        expect(segments.join('/')).toBe(name);
      }),
      { numRuns: 5_000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});
