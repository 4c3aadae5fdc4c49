import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { AcpAgents } from '@agenthost/host';
import { parseSessionUri } from '@agenthost/protocol';
import { artifactTimes } from '@agenthost/protocol/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stubEntry, stubSession, writeAgents } from '../../support/agents/stubAgent.js';
import { say } from '../../support/say.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

describe('an agent that compacts its context', () => {
  let stateDir: string;
  let host: TestHost;
  let client: HostClient;

  const start = async () => {
    host = await startTestHost({ stateDir, agentSources: [new AcpAgents()] });
    client = await host.connect();
  };
  beforeEach(async () => {
    stateDir = await temporaryFolder();
    await writeAgents(stateDir, { stub: stubEntry(stateDir, { STUB_RESUME: 'load' }) });
    await start();
  });
  afterEach(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const folderOf = ({ uri }: SessionHandle) => join(stateDir, 'session-state', parseSessionUri(uri)?.sessionId ?? '');
  const checkpoints = async (session: SessionHandle) =>
    (await session.listArtifacts({ kind: 'checkpoint' })).items.map(({ name }) => name);
  const recorded = async (session: SessionHandle) => {
    const lines = (await readFile(join(folderOf(session), 'events.jsonl'), 'utf8')).trim().split('\n');
    const records = lines.map((line) => JSON.parse(line) as { type: string; path?: string });
    return records.flatMap(({ type, path }) => (type === 'session.checkpoint' ? [path] : []));
  };
  const turnId = (session: SessionHandle, index: number) => session.confirmed.value.turns[index]?.id ?? '';

  it('leaves its summary as an artifact, which forks have from its turn on', async () => {
    const session = await stubSession(client);
    await say(session, 'hello');
    await say(session, 'compact # First things\n\nWe met.');
    expect(await checkpoints(session)).toEqual(['001-first-things.md']);
    // The next summary comes when its turn is over.
    const before = artifactTimes(session.confirmed.value.summary).checkpoint ?? 0;
    await say(session, 'compact-later We parted.');
    await until(
      session.confirmed,
      ({ summary }) => (artifactTimes(summary).checkpoint ?? 0) > before,
      'the second checkpoint',
    );
    const names = ['001-first-things.md', '002-summary-of-the-conversation.md'];
    expect(await checkpoints(session)).toEqual(names);
    const folder = join(folderOf(session), 'checkpoints');
    expect(await recorded(session)).toEqual(names.map((name) => join(folder, name)));
    expect(await readFile(join(folder, '001-first-things.md'), 'utf8')).toBe('# First things\n\nWe met.\n');
    expect(await readFile(join(folder, 'index.md'), 'utf8')).toBe(
      '# Checkpoints\n\n- [First things](001-first-things.md)\n- [Summary of the conversation](002-summary-of-the-conversation.md)\n',
    );
    const fork = async (index?: number) => {
      const toTurnId = index === undefined ? {} : { toTurnId: turnId(session, index) };
      const made = await client.forkSession({ source: session.uri, ...toTurnId });
      const paths = (await recorded(made)).every((path) => path?.startsWith(folderOf(made)));
      return [await checkpoints(made), paths];
    };
    expect(await fork(0)).toEqual([[], true]);
    expect(await fork(1)).toEqual([[names[0]], true]);
    // It was made after this turn had ended.
    expect(await fork(2)).toEqual([[names[0]], true]);
    expect(await fork()).toEqual([names, true]);
  });

  it('keeps a summary once when its history is loaded again', async () => {
    await writeAgents(stateDir, { again: stubEntry(stateDir, { STUB_RESUME: 'load', STUB_COMPACTED: 'We met.' }) });
    await until(client.root.state, ({ agents }) => agents.some(({ provider }) => provider === 'again'), 'the agent');
    const session = await client.createSession({ provider: 'again' });
    await session.ready();
    await say(session, 'compact We met.');
    const pid = Number(await say(session, 'pid'));
    // It ends between two turns, and the next one restarts it.
    await say(session, 'die');
    await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
    expect(await say(session, 'recall')).toBe('compact We met. | pid | die | recall');
    expect(await checkpoints(session)).toEqual(['001-summary-of-the-conversation.md']);
    await say(session, 'compact We met again.');
    expect(await checkpoints(session)).toHaveLength(2);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
