import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSessionUri } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawClient } from '../../support/rawClient.js';
import { rawSession, spawnHost, startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';

const folderOf = (stateDir: string, session: string) =>
  join(stateDir, 'session-state', parseSessionUri(session)?.sessionId ?? '');
const title = (session: string, text: string) => ({ session, type: 'session/titleChanged', title: text });

describe('a session whose folder is deleted or moved while the host runs', () => {
  let host: TestHost;
  let alice: RawClient;
  beforeEach(async () => {
    host = await startTestHost();
    alice = await host.raw('alice');
  });
  afterEach(() => host.dispose());

  const losses: Readonly<Record<string, (folder: string) => Promise<void>>> = {
    'its folder deleted': (folder) => rm(folder, { recursive: true }),
    'its log deleted': (folder) => rm(join(folder, 'events.jsonl')),
    'its folder moved': (folder) => rename(folder, `${folder}-elsewhere`),
  };

  it.each(Object.entries(losses))('refuses what it can no longer store: %s', async (_, lose) => {
    const session = await rawSession([alice]);
    expect(await alice.act(title(session, 'stored'))).not.toHaveProperty('rejectionReason');
    await lose(folderOf(host.stateDir, session));

    for (const text of ['lost', 'lost again']) {
      const { rejectionReason } = await alice.act(title(session, text));
      expect(rejectionReason).toMatch(/was deleted or moved away|another program changed it|no such file/);
    }
    // Other sessions are not affected.
    const other = await rawSession([alice]);
    expect(await alice.act(title(other, 'fine'))).not.toHaveProperty('rejectionReason');
  });
});

it('removes an import that a killed host left, and nothing else', async () => {
  const stateDir = await temporaryFolder();
  const folders = async () => (await readdir(join(stateDir, 'session-state'))).sort();
  const first = await spawnHost(stateDir);
  const alice = await RawClient.open(first);
  await alice.request('initialize', { protocolVersion: 1, clientId: 'alice', clientInfo: { name: 'alice' } });
  await alice.request('createSession', { session: 'mock:/kept' });
  const turn = {
    id: 't1',
    userMessage: { text: 'x' },
    responseParts: [],
    toolCalls: [],
    state: 'complete',
    startedAt: 1,
  };
  await alice.request('importSession', { session: 'mock:/half', turns: [{ ...turn, endedAt: 2 }], more: true });
  expect(await folders()).toEqual(['half', 'kept']);
  await first.kill('SIGKILL');
  const second = await spawnHost(stateDir);
  try {
    await expect.poll(folders, { timeout: 30_000 }).toEqual(['kept']);
    const bob = await RawClient.open(second);
    await bob.request('initialize', { protocolVersion: 1, clientId: 'bob', clientInfo: { name: 'bob' } });
    expect(await bob.request('listSessions')).toMatchObject({ items: [{ resource: 'mock:/kept' }] });
    await bob.end();
  } finally {
    await second.kill('SIGTERM');
    await rm(stateDir, { recursive: true, force: true });
  }
});
