import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_MESSAGE_LIMITS, jsonValues, parseMessage } from '../src/peer/message.js';

/** What it should be, from the parsed value. */
function count(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const children = Object.values(value);
  const keys = Array.isArray(value) ? 0 : children.length;
  return (
    2 +
    keys +
    Math.max(
      children.reduce<number>((sum, child) => sum + count(child), 0),
      1,
    )
  );
}

describe('jsonValues', () => {
  it('counts the values of any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonValues(JSON.stringify(value))).toBe(count(value));
      }),
    );
  });

  it.each([
    ['commas and brackets in a text', [',[{', '\\', '\\\\"[[[,', '"']],
    ['an escaped quote before a comma', ['a\\",b', ',']],
  ])('does not count %s', (_, value) => {
    expect(jsonValues(JSON.stringify(value))).toBe(count(value));
  });

  it('stops at the end of a truncated text', () => {
    expect(jsonValues('["abc')).toBe(3);
    expect(jsonValues('["abc\\"')).toBe(3);
  });
});

describe('a message with too many values', () => {
  const limits = { ...DEFAULT_MESSAGE_LIMITS, maxValues: 100 };
  const request = (id: unknown, values: number) =>
    parseMessage(JSON.stringify({ jsonrpc: '2.0', id, method: 'm', params: { list: Array(values).fill(0) } }), limits);

  it('is refused without being parsed, with the id of its request', () => {
    expect(request(7, 10).kind).toBe('request');
    for (const id of [7, 'a-7']) {
      const message = 'the message has more than 100 values: send it in parts';
      expect(request(id, 200)).toEqual({ kind: 'malformed', id, code: -32600, message });
    }
    expect(request('an "odd" id', 200)).toMatchObject({ kind: 'malformed', id: null });
  });
});
