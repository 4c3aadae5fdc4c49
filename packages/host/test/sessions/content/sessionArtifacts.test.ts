import { createSessionState, type SessionState, sessionReducer } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/hostLog.js';
import { SessionArtifacts } from '../../../src/sessions/content/sessionArtifacts.js';
import type { UnstampedAction } from '../../../src/sessions/sessionStore.js';
import { MAX_ARTIFACT_BYTES } from '../../../src/storage/artifacts/artifactFolder.js';
import { ArtifactStore, MAX_PLAN_BYTES } from '../../../src/storage/artifacts/artifactStore.js';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import { SessionFsFailure } from '../../../src/storage/fs/sessionFs.js';
import type { NewLogRecord } from '../../../src/storage/log/eventLog.js';

const uri = 'mock:/s1';

async function setUp() {
  const fs = new MemorySessionFs();
  const created = createSessionState({ resource: uri, provider: 'mock', createdAt: 1 });
  let state: SessionState = { ...created, lifecycle: 'ready' };
  const store = {
    uri,
    get state() {
      return state;
    },
    dispatch: (action: UnstampedAction) => {
      state = sessionReducer(state, { ...action, session: uri, at: 2 } as never);
    },
  };
  store.dispatch({ type: 'session/turnStarted', turnId: 't1', userMessage: { text: 'go' } });
  const records: NewLogRecord[] = [];
  const artifacts = await SessionArtifacts.open({
    fs,
    artifactStore: new ArtifactStore(fs),
    provider: 'mock',
    sessionId: 's1',
    store,
    records: { append: (record) => records.push(record) },
    now: () => 5,
    log: silentLog,
  });
  const notices = () => state.activeTurn?.responseParts.flatMap((part) => (part.kind === 'notice' ? [part.text] : []));
  return { fs, artifacts, records, notices, metadata: () => state.summary.metadata };
}

describe('SessionArtifacts', () => {
  it('writes only the newest of many plans', async () => {
    const { fs, artifacts, metadata } = await setUp();
    let writes = 0;
    const { writeFile } = fs;
    fs.writeFile = (path, content) => {
      writes++;
      return writeFile.call(fs, path, content);
    };
    for (let n = 1; n <= 10_000; n++) artifacts.take({ kind: 'plan', markdown: `# ${n}` });
    await artifacts.settled();
    expect([writes, await fs.readFile('/session-state/memory/plan.md')]).toEqual([1, '# 10000']);
    expect(metadata()).toEqual({ artifacts: { plan: 5 } });
    artifacts.take({ kind: 'plan', markdown: '# Another' });
    await artifacts.settled();
    expect(metadata()).toEqual({ artifacts: { plan: 6 } });
  });

  it('logs compaction summaries at once, in order', async () => {
    const { artifacts, records, metadata } = await setUp();
    for (const title of ['One', 'Two']) artifacts.take({ kind: 'checkpoint', title, markdown: title });
    expect(records).toEqual(
      ['001-one.md', '002-two.md'].map((name) => ({
        type: 'session.checkpoint',
        path: `/session-state/memory/checkpoints/${name}`,
      })),
    );
    expect(metadata()).toBeUndefined();
    await artifacts.settled();
    expect(metadata()).toEqual({ artifacts: { checkpoint: 6 } });
  });

  it('limits waiting artifacts, says so once per turn, and accepts more when they are written', async () => {
    const { fs, artifacts, notices } = await setUp();
    const gate = Promise.withResolvers<void>();
    const { writeFile } = fs;
    fs.writeFile = async (path, content) => {
      await gate.promise;
      return writeFile.call(fs, path, content);
    };
    const content = new Uint8Array(MAX_ARTIFACT_BYTES);
    for (let n = 0; n < 4; n++) artifacts.take({ kind: 'file', name: `${n}`, content });
    expect(notices()).toEqual([]);
    for (let n = 0; n < 3; n++) artifacts.take({ kind: 'file', name: 'more', content: 'x' });
    expect(notices()).toEqual([expect.stringContaining('too many artifacts wait')]);
    gate.resolve();
    await artifacts.settled();
    artifacts.take({ kind: 'file', name: 'later', content: 'x' });
    const { items } = await artifacts.list({ session: uri });
    expect(items.map(({ name }) => name)).toEqual(['0', '1', '2', '3', 'later']);
  });

  it.each([
    { kind: 'plan', markdown: 'x'.repeat(MAX_PLAN_BYTES + 1) },
    { kind: 'checkpoint', title: 'T', markdown: 'x'.repeat(MAX_PLAN_BYTES) },
    { kind: 'file', name: 'f', content: new Uint8Array(MAX_ARTIFACT_BYTES + 1) },
  ] as const)('refuses a $kind that is too large', async (artifact) => {
    const { artifacts, notices, records } = await setUp();
    artifacts.take(artifact);
    expect(notices()).toEqual([expect.stringMatching(/^Not kept: .*at most \d+$/)]);
    expect([records, await artifacts.list({ session: uri })]).toEqual([[], { items: [] }]);
  });

  it('reports a failed write, and continues', async () => {
    const { fs, artifacts, notices, metadata } = await setUp();
    const { writeFile } = fs;
    fs.writeFile = () => Promise.reject(new SessionFsFailure('ENOSPC', 'the disk is full'));
    artifacts.take({ kind: 'research', name: 'note.md', content: 'x' });
    await artifacts.settled();
    expect([notices(), metadata()]).toEqual([['Not kept: note.md. the disk is full'], undefined]);
    fs.writeFile = writeFile;
    artifacts.take({ kind: 'research', name: 'note.md', content: 'x' });
    await artifacts.settled();
    expect(metadata()).toEqual({ artifacts: { research: 5 } });
  });
});
