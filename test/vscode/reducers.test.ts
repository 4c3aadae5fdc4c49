import { describe, expect, it } from 'vitest';
import { DIALECTS } from '../../packages/ahp/test/comparable.js';
import { expectSameFold } from '../../packages/ahp/test/expectSameFold.js';
import { VSCODE_VERSIONS } from './support/installVscode.js';
import { vscodeReducers } from './support/vscodeReducers.js';

describe.each(VSCODE_VERSIONS)('the reducers of VS Code %s', (version) => {
  it("lead to the same state as a new window's snapshot, whatever happens in a session", async () => {
    const { session, chat } = await vscodeReducers(version);
    const unknown: string[] = [];
    const report = (message: string) => void unknown.push(message);
    expectSameFold({
      version: '0.9.0',
      dialect: DIALECTS['0.9.0'],
      session: (state, action) => session(state, action, report),
      chat: (state, action) => chat(state, action, report),
      numRuns: 1_000,
    });
    expect(unknown).toEqual([]);
  });
});
