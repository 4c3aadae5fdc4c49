import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_MESSAGE_LIMITS, parseMessage } from '../src/peer/message.js';

const parse = (value: unknown) => parseMessage(JSON.stringify(value));

describe('parseMessage', () => {
  it.each([
    [
      { jsonrpc: '2.0', id: 1, method: 'm' },
      { kind: 'request', id: 1, method: 'm' },
    ],
    [
      { jsonrpc: '2.0', id: '', method: 'm' },
      { kind: 'request', id: '', method: 'm' },
    ],
    [
      { jsonrpc: '2.0', id: 1.5, method: 'm', params: [1] },
      { kind: 'request', id: 1.5, method: 'm', params: [1] },
    ],
    [
      { jsonrpc: '2.0', method: 'm', params: {} },
      { kind: 'notification', method: 'm', params: {} },
    ],
    [
      { jsonrpc: '2.0', id: 1, result: null },
      { kind: 'response', id: 1, result: null },
    ],
    [
      { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'x', data: [] } },
      { kind: 'errorResponse', id: 1, error: { code: -1, message: 'x', data: [] } },
    ],
    [
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'x' } },
      { kind: 'errorResponse', id: null, error: { code: -32700, message: 'x' } },
    ],
    // With a method it is a call, whatever else it has.
    [
      { jsonrpc: '2.0', id: 1, method: 'm', result: 1 },
      { kind: 'request', id: 1, method: 'm' },
    ],
  ])('reads %j', (value, expected) => {
    expect(parse(value)).toEqual(expected);
  });

  it.each([
    ['no id', { jsonrpc: '2.0', result: 1 }, null],
    ['a null id', { jsonrpc: '2.0', id: null, result: 1 }, null],
    ['an object as id', { jsonrpc: '2.0', id: {}, error: { code: 1, message: '' } }, null],
    ['an error without an id', { jsonrpc: '2.0', error: { code: 1, message: '' } }, null],
    ['both', { jsonrpc: '2.0', id: 1, result: 1, error: { code: 1, message: '' } }, 1],
    ['no jsonrpc', { id: 1, result: 1 }, 1],
    ['another jsonrpc', { jsonrpc: 2, id: 1, result: 1 }, 1],
    ['a null error', { jsonrpc: '2.0', id: 1, error: null }, 1],
    ['a code that is no integer', { jsonrpc: '2.0', id: 1, error: { code: 1.5, message: '' } }, 1],
    ['an error without a message', { jsonrpc: '2.0', id: 1, error: { code: 1 } }, 1],
    ['an unsafe key', { jsonrpc: '2.0', id: 1, result: { constructor: 1 } }, 1],
  ])('never asks for an answer to a response with %s', (_, value, id) => {
    expect(parse(value)).toEqual({ kind: 'malformedResponse', id, message: expect.any(String) });
  });

  it('accepts exactly the allowed depth, length and id length', () => {
    const nested = (depth: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"m","params":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const withId = (length: number) => parse({ jsonrpc: '2.0', id: 'i'.repeat(length), method: 'm' }).kind;
    const limits = { ...DEFAULT_MESSAGE_LIMITS, maxFrameBytes: 1024, maxDepth: 64 };
    const ofBytes = (bytes: number) => {
      const empty = JSON.stringify({ jsonrpc: '2.0', method: '' }).length;
      const text = JSON.stringify({ jsonrpc: '2.0', method: `ä${'m'.repeat(bytes - empty - 2)}` });
      return parseMessage(text, limits).kind;
    };
    expect([parseMessage(nested(63)).kind, parseMessage(nested(64)).kind]).toEqual(['request', 'malformed']);
    expect([
      parseMessage(nested(2), { ...limits, maxDepth: 3 }).kind,
      parseMessage(nested(3), { ...limits, maxDepth: 3 }).kind,
    ]).toEqual(['request', 'malformed']);
    expect([withId(256), withId(257)]).toEqual(['request', 'malformed']);
    expect([ofBytes(1024), ofBytes(1025)]).toEqual(['notification', 'malformed']);
  });

  it('counts depth along a path, not over siblings', () => {
    expect(parse({ jsonrpc: '2.0', method: 'm', params: Array.from({ length: 1_000 }, () => [[{}], {}]) }).kind).toBe(
      'notification',
    );
  });

  it('finds an unsafe key anywhere', () => {
    const unsafe = fc.constantFrom('__proto__', 'constructor', 'prototype');
    const safe = fc.string().filter((key) => !['__proto__', 'constructor', 'prototype', 'toJSON'].includes(key));
    const path = fc.array(fc.oneof(safe, fc.nat({ max: 5 })), { maxLength: 40 });
    fc.assert(
      fc.property(path, unsafe, fc.boolean(), (steps, key, escaped) => {
        const last = escaped ? `\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${key.slice(1)}` : key;
        const json = steps.reduceRight<string>(
          (inner, step) =>
            typeof step === 'number' ? `[${'{},'.repeat(step)}${inner}]` : `{"z":0,${JSON.stringify(step)}:${inner}}`,
          `{"${last}":1}`,
        );
        const wrapped = (inner: string) =>
          parseMessage(`{"jsonrpc":"2.0","id":7,"method":"m","params":{"p":${inner}}}`);
        expect(wrapped(json)).toEqual({
          kind: 'malformed',
          id: 7,
          code: -32600,
          message: `the key "${key}" is not allowed`,
        });
        expect(wrapped(json.replace(`{"${last}":1}`, '{"ok":1}')).kind).toBe('request');
      }),
    );
  });

  it('accepts unsafe words as values', () => {
    expect(parse({ jsonrpc: '2.0', method: 'constructor', params: ['__proto__', 'prototype'] }).kind).toBe(
      'notification',
    );
  });

  it('never throws, and answers nothing that looks like a response', () => {
    const fields = fc.record(
      {
        jsonrpc: fc.oneof(fc.constant('2.0'), fc.jsonValue()),
        id: fc.oneof(fc.nat(), fc.string(), fc.jsonValue()),
        method: fc.oneof(fc.string(), fc.jsonValue()),
        params: fc.jsonValue(),
        result: fc.jsonValue(),
        error: fc.oneof(fc.record({ code: fc.integer(), message: fc.string() }), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => void parseMessage(text)),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(fc.json(), (text) => void parseMessage(text)),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(fields, (value) => {
        const { kind } = parse(value);
        const responseLike = !('method' in value) && ('result' in value || 'error' in value);
        expect(kind === 'response' || kind === 'errorResponse' || kind === 'malformedResponse').toBe(responseLike);
      }),
      { numRuns: 5_000 },
    );
  });
});
