import { rm } from 'node:fs/promises';
import { ERROR_CODE, ROLES, roleIncludes } from '@agenthost/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { runCli, startTestHost, type TestHost, temporaryFolder } from '../support/testHost.js';
import { until } from '../support/until.js';
import { type KeptSession, listCorpora, readCorpus, readTree, sizeOfCorpora, writeTree } from './corpusFile.js';
import { keptSession } from './keptSession.js';

const TIMEOUT_MS = 120_000;

let stateDir: string | undefined;
let test: TestHost | undefined;
afterEach(async () => {
  await test?.dispose();
  test = undefined;
  if (stateDir) await rm(stateDir, { recursive: true, force: true });
});

it('the state roots of earlier commits are small', () => {
  expect(listCorpora().length).toBeGreaterThanOrEqual(8);
  expect(sizeOfCorpora()).toBeLessThan(300_000);
});

it('those since the introduction of roles have a device of each', () => {
  const roles = listCorpora().map((commit) => readCorpus(commit).devices?.map(({ role }) => role));
  const since = roles.filter((found) => found !== undefined);
  expect(since.length).toBeGreaterThanOrEqual(2);
  for (const found of since) expect(found).toEqual(ROLES);
});

it('a newer state root is refused with an explanation, and no byte of it changes', {
  timeout: TIMEOUT_MS,
}, async () => {
  stateDir = await temporaryFolder();
  const { files } = readCorpus(listCorpora()[0] ?? '');
  // A log with a line that this version does not know: mending it would destroy it.
  const newer = Object.entries(files).map(([path, content]) => [
    path,
    path.endsWith('events.jsonl') ? `${content}{"v":99}\n` : content,
  ]);
  await writeTree(stateDir, { ...Object.fromEntries(newer), version: '99\n' });
  const before = await readTree(stateDir);
  const started = await runCli(['serve', '--port', '0', '--state-dir', stateDir]);
  expect(started).toMatchObject({ code: 3, stderr: expect.stringContaining('it was written by a newer agenthost') });
  expect(started.stderr).toContain('so update this one');
  const mended = await runCli(['doctor', '--fix', '--state-dir', stateDir]);
  expect(mended).toMatchObject({ code: 1, stdout: expect.stringContaining('(version 99; this one knows 1)') });
  expect(await readTree(stateDir)).toEqual(before);
});

describe.each(listCorpora())('a state root that %s wrote', { timeout: TIMEOUT_MS }, (commit) => {
  const corpus = readCorpus(commit);

  async function open(): Promise<TestHost> {
    stateDir = await temporaryFolder();
    await writeTree(stateDir, corpus.files);
    test = await startTestHost({ stateDir });
    return test;
  }

  it('opens with all its data', async () => {
    const client = await (await open()).connect();
    const { items } = await client.listSessions({ filter: {} });
    expect(items.map(({ resource }) => resource).sort()).toEqual(corpus.sessions.map(({ uri }) => uri).sort());
    for (const kept of corpus.sessions) {
      // A newer host may know more of an old session (where it works, how long a thought took), and nothing else may differ:
      // every list is as long as it was, and every field that was there has its value.
      expect(comparable(await keptSession(client, kept.uri))).toMatchObject(comparable(afterAKill(kept)));
    }
  });

  it('continues: each session accepts a message, and finds earlier text', async () => {
    const client = await (await open()).connect();
    for (const { uri, summary, turns } of corpus.sessions) {
      const session = await client.openSession(uri);
      const id = await session.send('hello');
      if (summary.provider === 'shell') {
        const [asked] = await until(session.pendingConfirmations, ({ length }) => length > 0, 'a question', TIMEOUT_MS);
        await asked?.deny();
      }
      const ended = ({ turns }: typeof session.confirmed.value) => turns.some((turn) => turn.id === id);
      await until(session.confirmed, ended, 'the end of a new turn', TIMEOUT_MS);
      const all = (await keptSession(client, uri)).turns.map((turn) => turn.id);
      expect(all).toEqual(expect.arrayContaining([...turns.map((turn) => turn.id), id]));
      session.close();
    }
    const { items } = await client.listSessions({ filter: { text: 'agenthost' } });
    expect(items.map(({ title }) => title)).toContain('Commands');
  });

  const { devices } = corpus;
  if (!devices) return;
  it('admits the same devices with the same roles', async () => {
    const { connect, stateDir } = await open();
    const listed = await runCli(['token', 'ls', '--json', '--state-dir', stateDir]);
    const rows = listed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    for (const { name, role, token } of devices) {
      expect(rows).toContainEqual({
        name,
        role,
        space: 'default',
        createdAt: expect.any(Number),
        lastUsedAt: expect.any(Number),
      });
      const device = await connect({ token });
      expect(device.role).toBe(role);
      const made = device.createSession({ provider: 'mock' });
      if (roleIncludes(role, 'driver')) await made;
      else await expect(made).rejects.toMatchObject({ code: ERROR_CODE.permissionDenied });
    }
  });
});

/** The host was killed: what ran then ends with an error, and keeps what was said; the queue waits. */
function afterAKill({ activeTurn, ...kept }: KeptSession): KeptSession {
  if (!activeTurn) return kept;
  const { pendingPermissions: _, toolCalls, ...turn } = activeTurn;
  expect(toolCalls).toEqual({});
  const ended = {
    ...turn,
    responseParts: [],
    toolCalls: [],
    state: 'error' as const,
    error: { errorType: 'interrupted', message: expect.any(String) },
    endedAt: expect.any(Number),
  };
  return { ...kept, summary: { ...kept.summary, status: 'error' }, turns: [...kept.turns, ended] };
}

/** Text may lag behind when a host is killed, and times in the summary change. */
function comparable({ summary, turns, ...kept }: KeptSession) {
  const { modifiedAt: _, activity: __, ...rest } = summary;
  const isCut = ({ error }: KeptSession['turns'][number]) => error?.errorType === 'interrupted';
  return { ...kept, summary: rest, turns: turns.map((turn) => (isCut(turn) ? { ...turn, responseParts: [] } : turn)) };
}
