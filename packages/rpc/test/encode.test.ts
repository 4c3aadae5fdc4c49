import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeNotification, rawResult } from '../src/index.js';
import { encodeError, encodeRequest, encodeResponse } from '../src/peer/frame.js';
import { parseMessage } from '../src/peer/message.js';

const cycle: { self?: unknown } = {};
cycle.self = cycle;

describe('encode', () => {
  it('writes what the parser reads', () => {
    const id = fc.oneof(fc.integer(), fc.string({ maxLength: 256 }));
    const params = fc.option(fc.array(fc.string()), { nil: undefined });
    fc.assert(
      fc.property(id, fc.string(), params, (requestId, method, list) => {
        const call = list === undefined ? { method } : { method, params: list };
        expect([
          parseMessage(encodeRequest(requestId, method, list)),
          parseMessage(encodeNotification(method, list)),
          parseMessage(encodeResponse(requestId, list)),
          parseMessage(encodeError(requestId, { code: 1, message: method })),
        ]).toEqual([
          { kind: 'request', id: requestId, ...call },
          { kind: 'notification', ...call },
          { kind: 'response', id: requestId, result: list ?? null },
          { kind: 'errorResponse', id: requestId, error: { code: 1, message: method } },
        ]);
      }),
    );
  });

  it('keeps falsy results', () => {
    expect([0, '', false, null, undefined].map((result) => JSON.parse(encodeResponse(1, result)).result)).toEqual([
      0,
      '',
      false,
      null,
      null,
    ]);
  });

  it('inserts a raw result unchanged', () => {
    expect(encodeResponse('x', rawResult('{"a": 1.0}'))).toBe('{"jsonrpc":"2.0","id":"x","result":{"a": 1.0}}');
  });

  it('keeps the data of an error', () => {
    expect(JSON.parse(encodeError(null, { code: -32005, message: 'no', data: [1] }))).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32005, message: 'no', data: [1] },
    });
  });

  it.each([
    ['a BigInt', 1n],
    ['a cycle', cycle],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
  ])('throws for %s', (_, value) => {
    expect(() => encodeResponse(1, value)).toThrow(TypeError);
  });
});
