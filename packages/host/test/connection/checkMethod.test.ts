import { expect, it } from 'vitest';
import { checkMethod } from '../../src/connection/clientConnection.js';

it('refuses a command that the role does not allow, and names the needed role', () => {
  expect(() => checkMethod('viewer', 'listSessions')).not.toThrow();
  expect(() => checkMethod('viewer', 'createSession')).toThrow(
    expect.objectContaining({
      code: -32009,
      data: { role: 'viewer', needs: 'driver' },
      message: 'This device may only watch (role viewer). Ask the owner of the host for a token with the role driver.',
    }),
  );
});
