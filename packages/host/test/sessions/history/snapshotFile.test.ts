import { createSessionState, type SessionState, type Turn } from '@agenthost/protocol';
import { expect, it } from 'vitest';
import { SnapshotFile } from '../../../src/sessions/history/snapshotFile.js';
import { HISTORY_LIMITS } from '../../../src/sessions/sessionLimits.js';
import { AcceptedSequences } from '../../../src/sessions/turn/acceptedSequences.js';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import { LOG_BEGINNING } from '../../../src/storage/log/eventLog.js';

it('a state that is too large is not even serialised, because that would block the host', async () => {
  const seen = new Set<string>();
  const turnOf = (id: string): Turn =>
    Object.assign(
      {
        id,
        userMessage: { text: 'hello' },
        responseParts: [{ kind: 'markdown', id: 'p', content: 'x'.repeat(400_000) }],
        toolCalls: {},
        state: 'complete',
      },
      {
        toJSON(this: object) {
          seen.add(id);
          return { ...this, toJSON: undefined };
        },
      },
    ) as unknown as Turn;
  const ids = Array.from({ length: HISTORY_LIMITS.window }, (_, n) => `t${n}`);
  const file = new SnapshotFile(new MemorySessionFs({ sessionStatePath: '/state' }), '1', HISTORY_LIMITS);
  const session = 'mock:/large';
  const empty = createSessionState({
    resource: session,
    provider: 'mock',
    title: 'large',
    createdAt: 1,
    modifiedAt: 1,
  } as never);
  const state: SessionState = { ...empty, turns: ids.map(turnOf) };
  const start = { n: 0, type: 'session.start' } as never;
  const bytes = await file.write({
    from: { position: LOG_BEGINNING, broken: [] },
    folded: { state, start, accepted: new AcceptedSequences([]), lastServerSeq: 1 },
    turns: undefined,
  });
  expect(bytes).toBeLessThan(HISTORY_LIMITS.maxSnapshotBytes);
  const kept = (await file.read())?.folded.state;
  expect(kept?.turns.length).toBeGreaterThan(3);
  expect(kept?.turns.at(-1)?.id).toBe(ids.at(-1));
  expect(seen.size).toBeLessThan(15);
});
