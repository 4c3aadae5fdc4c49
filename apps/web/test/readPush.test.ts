import { describe, expect, it } from 'vitest';
import { readPush } from '../src/worker/readPush.js';

const question = {
  kind: 'question',
  tag: 't',
  session: 'mock:/s',
  title: 'A title',
  text: 'make',
  answer: { turnId: 'x' },
};

describe('what the worker takes for a message of the host', () => {
  it.each([question, { kind: 'finished', tag: 't', title: '', text: '' }, { kind: 'closed', tag: 't', title: 'x' }])(
    'is %j',
    (message) => {
      expect(readPush(JSON.stringify(message))).toEqual(message);
    },
  );

  it.each([
    undefined,
    '',
    'null',
    '[]',
    '5',
    '{',
    '{}',
    JSON.stringify({ ...question, kind: 'advertisement' }),
    JSON.stringify({ ...question, tag: 5 }),
    JSON.stringify({ ...question, title: undefined }),
    JSON.stringify({ ...question, text: { toString: 'x' } }),
  ])('is not %j', (text) => {
    expect(readPush(text)).toBeUndefined();
  });
});
