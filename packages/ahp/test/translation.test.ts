import { describe, it } from 'vitest';
import { AHP_VERSIONS } from '../src/versions.js';
import { foldChat, foldSession } from './ahpFold.js';
import { DIALECTS } from './comparable.js';
import { expectSameFold } from './expectSameFold.js';

describe.each(AHP_VERSIONS)('%s', (version) => {
  const dialect = DIALECTS[version];

  it('the translated actions lead to the translated state at every step', () => {
    expectSameFold({
      version,
      dialect,
      session: (state, action) => foldSession(state, action, dialect),
      chat: (state, action) => foldChat(state, action, dialect),
      numRuns: version === '0.9.0' ? 200 : 40,
    });
  });
});
