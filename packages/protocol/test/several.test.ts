import { describe, expect, it } from 'vitest';
import { MAX_SEVERAL } from '../src/limits.js';
import { severalOf } from '../src/reducers/several.js';

const own = { session: 'shell:/a' };
const other = { session: 'mock:/b', model: 'small' };
const of = (several: unknown, resource = 'shell:/a') => severalOf({ resource, metadata: { several } });

describe('which sessions got the same prompt', () => {
  it('[SEVERAL1] is what its metadata says', () => {
    expect(of({ title: 'x', members: [own, other], more: 1 })).toEqual({ title: 'x', members: [own, other] });
    expect(severalOf({ resource: 'shell:/a' })).toBeUndefined();
  });

  it.each([
    ['null', null],
    ['a text', 'shell:/b'],
    ['no title', { members: [own, other] }],
    ['no members', { title: 'x' }],
    ['one member', { title: 'x', members: [own] }],
    [
      'too many',
      { title: 'x', members: [own, ...Array.from({ length: MAX_SEVERAL }, (_, n) => ({ session: `a:/${n}` }))] },
    ],
    ['one twice', { title: 'x', members: [own, own] }],
    ['a member that is none', { title: 'x', members: [own, other, null] }],
    ['a model that is no text', { title: 'x', members: [own, { ...other, model: 5 }] }],
    ['others only', { title: 'x', members: [other, { session: 'a:/1' }] }],
  ])('[SEVERAL1] is nothing with %s', (_, several) => {
    expect(of(several)).toBeUndefined();
  });
});
