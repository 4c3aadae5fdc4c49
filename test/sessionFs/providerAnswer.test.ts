import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../packages/host/src/connection/providerAnswer.js';

const ENOENT = { code: 'ENOENT', message: 'not there' };
const NO_STAT = { isFile: false, isDirectory: false, size: 0, mtime: '', birthtime: '' };
const FILE = { isFile: true, isDirectory: false, size: 3 };

describe('an answer of a provider', () => {
  it.each([
    ['sessionFs.readFile', ENOENT, { content: '', error: ENOENT }],
    ['sessionFs.readFile', { content: '', error: ENOENT }, { content: '', error: ENOENT }],
    ['sessionFs.readFile', { content: 'x', error: null }, { content: 'x' }],
    ['sessionFs.stat', ENOENT, { ...NO_STAT, error: ENOENT }],
    ['sessionFs.stat', FILE, { ...FILE, mtime: '', birthtime: '' }],
    ['sessionFs.stat', { isFile: true, isDirectory: false }, { ...FILE, size: 0, mtime: '', birthtime: '' }],
    [
      'sessionFs.stat',
      { ...FILE, mtime: 0, birthtime: 9e99 },
      { ...FILE, mtime: '1970-01-01T00:00:00.000Z', birthtime: '' },
    ],
    ['sessionFs.readdir', ENOENT, { entries: [], error: ENOENT }],
    ['sessionFs.exists', ENOENT, { exists: false }],
    ['sessionFs.writeFile', undefined, null],
    ['sessionFs.mkdir', null, null],
    ['sessionFs.rm', ENOENT, ENOENT],
  ] as const)('to %s may be %j', (method, answer, expected) => {
    expect(readAnswer(method, answer)).toEqual(expected);
  });

  it.each([
    ['sessionFs.readFile', { content: 5 }],
    ['sessionFs.readFile', 'text'],
    ['sessionFs.readFile', null],
    ['sessionFs.readFile', ['text']],
    ['sessionFs.stat', {}],
    ['sessionFs.stat', { ...FILE, size: -1 }],
    ['sessionFs.exists', { exists: 'yes' }],
    ['sessionFs.writeFile', {}],
    ['sessionFs.writeFile', { code: 5, message: 'no' }],
    ['sessionFs.readdir', { entries: [5] }],
  ] as const)('to %s is refused when it is %j', (method, answer) => {
    expect(() => readAnswer(method, answer)).toThrow(/failed \(its answer to .* makes no sense\); look at that client/);
  });

  it('to exists is a failure when it is an error, not false', () => {
    const error = { code: 'UNKNOWN', message: `on fire${'!'.repeat(10_000)}` };
    expect(() => readAnswer('sessionFs.exists', error)).toThrow(/on fire!{400,500}…\); look at that client/);
  });
});
