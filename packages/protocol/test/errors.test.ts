import { describe, expect, it } from 'vitest';
import { REJECTION, type RejectionCode, refuse, rejectionOf } from '../src/errors.js';

const CODES = Object.keys(REJECTION) as RejectionCode[];

describe('[VAL8] a refusal', () => {
  it.each(CODES)('says %s by its code and by the text of that code', (code) => {
    expect(refuse(code)).toEqual({ rejectionReason: REJECTION[code], rejection: { code } });
    expect(refuse(code, { detail: 'more' })).toEqual({
      rejectionReason: `${REJECTION[code]}: more`,
      rejection: { code, detail: 'more' },
    });
  });

  it('names whoever answered first, by the name or else by the id', () => {
    const by = { clientId: 'c1', name: 'Bob' };
    expect(refuse('notWaitingForConfirmation', { by })).toEqual({
      rejectionReason: 'tool call is not waiting for confirmation: Bob answered it',
      rejection: { code: 'notWaitingForConfirmation', by },
    });
    expect(refuse('unknownPermissionRequest', { by: { clientId: 'c1' } }).rejectionReason).toBe(
      'unknown permission request ID: c1 answered it',
    );
  });

  it('is read from its code where there is one, whatever the text says', () => {
    const rejection = { code: 'fromTheFuture', detail: 'x' };
    expect(rejectionOf({ rejectionReason: REJECTION.queueFull, rejection })).toBe(rejection);
    expect(rejectionOf({})).toBeUndefined();
  });

  // Two codes that are newer than the texts of older hosts.
  it.each(CODES.filter((code) => code !== 'diskFull' && code !== 'roleNotAllowed'))(
    'of an older host has the code %s by its text',
    (code) => {
      expect(rejectionOf({ rejectionReason: REJECTION[code] })).toEqual({ code });
      expect(rejectionOf({ rejectionReason: `${REJECTION[code]}: more` })).toEqual({ code, detail: 'more' });
      expect(rejectionOf({ rejectionReason: `${REJECTION[code]}!` })).toEqual({
        code: 'unknown',
        detail: `${REJECTION[code]}!`,
      });
    },
  );
});
