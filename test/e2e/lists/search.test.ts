import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRestartableHost } from '../../support/restartableHost.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

describe('searching sessions through the SDK', () => {
  let stateDir: string;
  let host: TestHost;
  let alice: HostClient;

  async function start(): Promise<void> {
    host = await startTestHost({ stateDir });
    alice = await host.connect({ clientInfo: { name: 'Alice' } });
  }

  beforeEach(async () => {
    stateDir = await temporaryFolder();
    await start();
  });
  afterEach(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true });
  });

  async function session(provider = 'mock'): Promise<SessionHandle> {
    const made = await alice.createSession({ provider });
    await made.ready();
    // Else its first message becomes its title, and is found there.
    await made.rename('Untitled');
    return made;
  }

  async function say(made: SessionHandle, text: string, approve = false): Promise<void> {
    const turnId = await made.send(text);
    if (approve) {
      const [prompt] = await until(made.pendingConfirmations, (prompts) => prompts.length === 1, 'the question');
      await prompt?.approve();
    }
    await until(made.confirmed, ({ turns }) => turns.some(({ id }) => id === turnId), 'the end of the turn', 20_000);
  }

  const search = async (text: string) => (await alice.listSessions({ filter: { text } })).snippets;

  /** One session each for a title, a message, an answer and a tool's output. */
  async function fourSessions() {
    const titled = await session();
    await titled.rename('Aubergine recipes');
    const asked = await session();
    await say(asked, 'error about xylophones');
    const answered = await session();
    await say(answered, 'reasoning');
    const ran = await session('shell');
    await say(ran, `printf '%s-%s\\n' quick silver; printf '%s%s\\n' pine apple`, true);
    return { titled, asked, answered, ran };
  }

  it('finds a word in a title, a message, an answer and the output of a tool', async () => {
    const { titled, asked, answered, ran } = await fourSessions();
    expect(await search('auberg')).toEqual({ [titled.uri]: '⟨Aubergine⟩ recipes' });
    expect(await search('xylophones')).toEqual({ [asked.uri]: expect.stringContaining('about ⟨xylophones⟩') });
    expect(await search('"answer is 42"')).toEqual({ [answered.uri]: expect.stringContaining('The ⟨answer is 42⟩.') });
    expect(await search('pineapple')).toEqual({ [ran.uri]: expect.stringContaining('⟨pineapple⟩') });
    expect(await search('xylophones aubergine')).toEqual({});

    await say(titled, 'hello');
    expect(Object.keys((await search('aubergine hello')) ?? {})).toEqual([titled.uri]);
    await alice.disposeSession(titled.uri);
    expect(await search('aubergine')).toEqual({});
  });

  it('finds the message of a running turn', async () => {
    const running = await session();
    await running.send('hang on a zeppelin');
    expect(await search('zeppelin')).toEqual({ [running.uri]: expect.stringContaining('⟨zeppelin⟩') });
  });

  it('finds the turns of a fork', async () => {
    const source = await session();
    await say(source, 'a tale of walruses');
    const fork = await alice.forkSession({ source: source.uri });
    expect(Object.keys((await search('walruses')) ?? {}).toSorted()).toEqual([source.uri, fork.uri].toSorted());
  });

  it('kill -9 right after a turn: it is found nevertheless', async () => {
    const own = await startRestartableHost();
    try {
      const bob = await own.connect({ clientInfo: { name: 'Bob' } });
      const made = await bob.createSession({ provider: 'mock' });
      await made.ready();
      await made.rename('Untitled');
      await made.send('about armadillos');
      await until(made.confirmed, ({ turns }) => turns.length === 1, 'the end of the turn');
      made.dispose();
      await own.end('SIGKILL');
      await own.start();
      await bob.connected();
      const { snippets } = await bob.listSessions({ filter: { text: '"you said" armadillos' } });
      expect(snippets).toEqual({ [made.uri]: expect.stringContaining('⟨armadillos⟩') });
    } finally {
      await own.dispose();
    }
  });

  it('a deleted index is rebuilt with the same content', async () => {
    const { asked, ran } = await fourSessions();
    await say(asked, 'and once more');
    await host.dispose();
    const path = join(stateDir, 'index.sqlite');
    const before = contents(path);
    for (const suffix of ['', '-wal', '-shm']) await rm(`${path}${suffix}`, { force: true });
    await start();
    expect(Object.keys((await search('pineapple')) ?? {})).toEqual([ran.uri]);
    await host.dispose();
    expect(contents(path)).toEqual(before);
    await start();
  });
});

function contents(path: string) {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare(
    `SELECT resource, summary, text FROM sessions JOIN search ON search.rowid >> 20 = sessions.id
     ORDER BY resource, search.rowid`,
  );
  try {
    return rows.all();
  } finally {
    database.close();
  }
}
