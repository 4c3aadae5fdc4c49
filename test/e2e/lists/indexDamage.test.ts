import { copyFile, mkdir, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type HostLog, silentLog } from '@agenthost/host';
import type { ListSessionsResult } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rawSession, startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';

const SESSIONS = 12;
const INDEX = 'index.sqlite';
/** The start waits for the whole rebuild, however busy the machine is. */
const PATIENT = { indexPatienceMs: 60_000 };

/** What a list and two searches must give, whatever happened to the index. */
interface Answers {
  readonly all: ListSessionsResult;
  readonly frequent: ListSessionsResult;
  readonly rare: ListSessionsResult;
}

describe('a damaged index', () => {
  let stateDir: string;
  let right: Answers;
  let warnings: string[];
  let log: HostLog;
  let host: TestHost | undefined;

  const start = async () => {
    host = await startTestHost({ stateDir, log, ...PATIENT });
    return host;
  };
  const stop = async () => {
    await host?.dispose();
    host = undefined;
  };

  async function ask(asked: TestHost): Promise<Answers> {
    const client = await asked.raw(crypto.randomUUID());
    const list = (text?: string) =>
      client.request<ListSessionsResult>('listSessions', { limit: 100, ...(text && { filter: { text } }) });
    return { all: await list(), frequent: await list('you said'), rare: await list('"number 7"') };
  }

  async function answersAfterStart(): Promise<Answers> {
    try {
      return await ask(await start());
    } finally {
      await stop();
    }
  }

  /** The files of the index; not those of the sessions. */
  async function keep(name: string): Promise<void> {
    await mkdir(join(stateDir, name), { recursive: true });
    for (const file of await readdir(stateDir)) {
      if (file.startsWith(INDEX)) await copyFile(join(stateDir, file), join(stateDir, name, file));
    }
  }

  async function restore(name: string): Promise<void> {
    await removeIndex();
    for (const file of await readdir(join(stateDir, name))) {
      await copyFile(join(stateDir, name, file), join(stateDir, file));
    }
  }

  async function removeIndex(): Promise<void> {
    for (const file of await readdir(stateDir)) if (file.startsWith(INDEX)) await rm(join(stateDir, file));
  }

  async function overwrite(file: string, at: number, bytes: Uint8Array): Promise<void> {
    const handle = await open(join(stateDir, file), 'r+');
    await handle.write(bytes, 0, bytes.length, at);
    await handle.close();
  }

  beforeEach(async () => {
    stateDir = await temporaryFolder();
    warnings = [];
    log = { ...silentLog, warn: (message) => void warnings.push(message) };
    const running = await start();
    const client = await running.raw('maker');
    for (let n = 0; n < SESSIONS; n++) {
      const session = await rawSession([client]);
      client.dispatch({ type: 'session/titleChanged', session, title: `Title ${n}` });
      client.dispatch({
        type: 'session/turnStarted',
        session,
        turnId: `t${n}`,
        userMessage: { text: `number ${n} ${'filler '.repeat(300)}` },
      });
      await client.nextAction(session, 'session/turnComplete');
    }
    right = await ask(running);
    expect([right.all.total, right.frequent.total, right.rare.total]).toEqual([SESSIONS, SESSIONS, 1]);
    // As a host leaves it that is killed now: the log of SQLite is there, and not in the database yet.
    await keep('killed');
    await stop();
    await keep('closed');
  });
  afterEach(async () => {
    await stop();
    await rm(stateDir, { recursive: true, force: true });
  });

  it('is not touched when it is intact', async () => {
    expect(await answersAfterStart()).toEqual(right);
    await restore('killed');
    expect(await answersAfterStart()).toEqual(right);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['closed', INDEX],
    ['closed', `${INDEX}-sums`],
    ['killed', INDEX],
    ['killed', `${INDEX}-wal`],
    ['killed', `${INDEX}-sums`],
  ])(
    '%s, with other bytes anywhere in %s: answers are right',
    async (state, file) => {
      const { size } = await stat(join(stateDir, state, file));
      const random = randomNumbers(size);
      const places = 12;
      for (let n = 0; n < places; n++) {
        await restore(state);
        // Spread over all of it, and from one bit to more than a page.
        const at = Math.min(size - 1, Math.floor(((n + random()) / places) * size));
        const length = Math.min(size - at, [1, 1, 16, 600, 5_000][n % 5] as number);
        const before = await readFile(join(stateDir, file));
        const bytes = before.subarray(at, at + length).map((byte) => byte ^ (length === 1 ? 1 << (n % 8) : 0xa5));
        await overwrite(file, at, bytes);
        expect(await answersAfterStart(), `${length} bytes from ${at}`).toEqual(right);
      }
      if (file === INDEX && state === 'closed') expect(warnings).toHaveLength(places);
    },
    240_000,
  );

  it.each([
    ['the index', INDEX],
    ['the log of SQLite', `${INDEX}-wal`],
  ])(
    'without the end of %s: answers are right',
    async (_, file) => {
      for (const part of [0, 0.3, 0.9]) {
        await restore('killed');
        const { size } = await stat(join(stateDir, file));
        await truncate(join(stateDir, file), Math.floor(size * part));
        expect(await answersAfterStart(), `${part} of it`).toEqual(right);
      }
    },
    60_000,
  );

  it('deleted, in part or whole: answers are right, and the next start has nothing to do', async () => {
    for (const gone of [[INDEX], [`${INDEX}-wal`], [`${INDEX}-sums`], [INDEX, `${INDEX}-wal`, `${INDEX}-sums`]]) {
      await restore('killed');
      for (const file of gone) await rm(join(stateDir, file));
      expect(await answersAfterStart(), gone.join(', ')).toEqual(right);
      warnings.length = 0;
      expect(await answersAfterStart(), gone.join(', ')).toEqual(right);
      expect(warnings).toEqual([]);
    }
  }, 60_000);

  it('changed by another program, or not an index at all: is rebuilt', async () => {
    const database = new DatabaseSync(join(stateDir, INDEX));
    database.exec('UPDATE sessions SET isArchived = 1 WHERE id = 3');
    database.close();
    expect(await answersAfterStart()).toEqual(right);
    await removeIndex();
    await writeFile(join(stateDir, INDEX), 'not an index'.repeat(1_000));
    expect(await answersAfterStart()).toEqual(right);
    expect(warnings).toHaveLength(2);
  });

  it('misses a new session and has a removed one: both are corrected after a kill', async () => {
    await restore('closed');
    const [first] = right.all.items;
    const running = await start();
    await keep('early');
    const client = await running.raw('maker');
    const session = await rawSession([client]);
    await client.request('disposeSession', { session: first?.resource });
    const expected = await ask(running);
    await stop();
    await restore('early');
    expect(await answersAfterStart()).toEqual(expected);
    expect(expected.all.items.map(({ resource }) => resource)).toContain(session);
    expect(expected.all.items.map(({ resource }) => resource)).not.toContain(first?.resource);
  });

  it('while the host runs: it is rebuilt, with the current state of open sessions', async () => {
    const running = await start();
    const client = await running.raw('maker');
    const session = await rawSession([client]);
    client.dispatch({ type: 'session/turnStarted', session, turnId: 'x', userMessage: { text: 'hang on a zeppelin' } });
    await client.nextAction(session, 'session/turnStarted');
    const expected = await ask(running);
    const path = join(stateDir, INDEX);
    const other = new DatabaseSync(path);
    // Makes the host read again what it has in its memory.
    other.exec('CREATE TABLE poke (x); PRAGMA wal_checkpoint(TRUNCATE)');
    other.close();
    const { size } = await stat(path);
    await overwrite(INDEX, 4_096, Buffer.alloc(size - 4_096, 0xa5));
    expect(await ask(running)).toEqual(expected);
    expect(warnings.join()).toContain('damaged');
    const { total } = await client.request<ListSessionsResult>('listSessions', { filter: { text: 'zeppelin' } });
    expect(total).toBe(1);
  });
});

/** The same at every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
