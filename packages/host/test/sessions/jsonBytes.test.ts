import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { holds } from '../../../../test/support/holds.js';
import { sessionReducer } from '../../../protocol/src/reducers/sessionReducer.js';
import { history, newSession, OPENING } from '../../../protocol/test/reducers/arbitraryActions.js';
import { jsonBytes } from '../../src/sessions/stateBytes.js';

const real = (value: object) => Buffer.byteLength(JSON.stringify(value));

it('counts the bytes of JSON.stringify exactly', () => {
  holds(
    fc.property(fc.jsonValue({ noUnicodeString: false }), fc.string({ unit: 'binary' }), (json, text) => {
      const value = { json, text, [text]: 1, list: [text, null, true, -1.5e-9], none: undefined };
      expect(jsonBytes(value)).toBe(real(value));
    }),
    { numRuns: 2_000 },
  );
  for (const text of ['\uD800', '\uDC00', 'a\uD83D\uDE00b\uD83D', '\u0000\b\t\n\v\f\r\u001f\u007f"\\/', 'é€😀']) {
    expect([text, jsonBytes([text])]).toEqual([text, real([text])]);
  }
  for (const empty of [{}, [], { a: [] }]) expect(jsonBytes(empty)).toBe(real(empty));
});

it('counts states of sessions', () => {
  holds(
    fc.property(history, (actions) => {
      const state = actions.reduce(sessionReducer, OPENING.reduce(sessionReducer, newSession()));
      expect(jsonBytes(state)).toBe(real(state));
    }),
  );
});
