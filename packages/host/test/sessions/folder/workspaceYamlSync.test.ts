import { createSessionState, type SessionState } from '@agenthost/protocol';
import { expect, it } from 'vitest';
import { silentLog } from '../../../src/hostLog.js';
import { WorkspaceYamlSync } from '../../../src/sessions/folder/workspaceYamlSync.js';
import { ArtifactStore } from '../../../src/storage/artifacts/artifactStore.js';
import type { WorkspaceInfo } from '../../../src/storage/artifacts/workspaceYaml.js';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';

async function setUp() {
  const files = new ArtifactStore(new MemorySessionFs());
  const written: WorkspaceInfo[] = [];
  const { writeInfo } = files;
  files.writeInfo = (info) => {
    written.push(info);
    return writeInfo.call(files, info);
  };
  const state = createSessionState({ resource: 'mock:/s1', provider: 'mock', createdAt: 1 });
  const start = {
    v: 1,
    n: 1,
    id: 'e1',
    at: 1,
    type: 'session.start',
    sessionId: 's1',
    provider: 'mock',
    cwd: '/',
    versions: { log: 1, protocol: 1 },
    createdAt: 1,
  } as const;
  const options = { start, state, now: () => 5, log: silentLog };
  const workspace = await WorkspaceYamlSync.open(files, options);
  const named = (title: string): SessionState => ({ ...state, summary: { ...state.summary, title } });
  await workspace.settled();
  written.length = 0;
  return { workspace, written, named };
}

it('does not write each of many successive titles', async () => {
  const { workspace, written, named } = await setUp();
  for (let n = 1; n <= 1_000; n++) {
    workspace.summaryChanged(named(`title ${n}`));
    await Promise.resolve();
  }
  await workspace.settled();
  expect(written.at(-1)).toMatchObject({ name: 'title 1000', updatedAt: 5 });
  expect(written.length).toBeLessThan(10);
});

it("writes an agent's resume id at once", async () => {
  const { workspace, written, named } = await setUp();
  workspace.summaryChanged(named('a title that may wait'));
  workspace.setNativeSessionId('native');
  // No timer runs in microtasks: what is written by now did not wait for one.
  for (let n = 0; n < 50; n++) await Promise.resolve();
  expect(written).toMatchObject([{ name: 'a title that may wait', nativeSessionId: 'native' }]);
});
