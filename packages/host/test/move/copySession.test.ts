import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { say } from '../../../../test/support/say.js';
import { startTestHost, temporaryFolder } from '../../../../test/support/testHost.js';
import { silentLog } from '../../src/hostLog.js';
import { copySession } from '../../src/move/copySession.js';
import { openFolderSide } from '../../src/move/folderSide.js';
import type { MoveSide } from '../../src/move/moveSide.js';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function setUp() {
  const [source, target] = [await temporaryFolder(), await temporaryFolder()];
  cleanups.push(() => Promise.all([source, target].map((path) => rm(path, { recursive: true, force: true }))));
  const host = await startTestHost({ stateDir: source });
  const session = await (await host.connect()).createSession({ provider: 'mock' });
  await session.ready();
  await say(session, 'hello');
  await host.dispose();
  const [from, to] = [
    await openFolderSide(source, { create: false, log: silentLog }),
    await openFolderSide(target, { create: true, log: silentLog }),
  ];
  cleanups.push(() => Promise.all([from.close(), to.close()]));
  const id = session.uri.slice('mock:/'.length);
  return { from, to, id, folders: { source, target } };
}

/** A disk that changes what is written. */
function damaging(to: MoveSide, name: string): MoveSide {
  return {
    ...to,
    createSession: async (sessionId, space) => {
      const files = await to.createSession(sessionId, space);
      const { fs } = files;
      const append = fs.appendFile.bind(fs);
      fs.appendFile = (path, content) => {
        const bytes = Buffer.from(content);
        if (path.includes(name)) bytes[bytes.length - 1] = 0x00;
        return append(path, bytes);
      };
      return files;
    },
  };
}

const signal = new AbortController().signal;

describe('copying a session', () => {
  it.each(['events.jsonl', 'workspace.yaml'])('finds %s that is read back with other bytes', async (name) => {
    const { from, to, id } = await setUp();
    await expect(copySession(id, from, damaging(to, name), signal)).rejects.toThrow(
      `${name} of a session was read back with other bytes`,
    );
    expect(await to.hasSession(id)).toBe(false);
    // What is left does not stand in the way of the next run.
    expect(await copySession(id, from, to, signal)).toBe('copied');
    expect(await copySession(id, from, to, signal)).toBe('same');
  });

  it('takes empty folders, empty files and damaged logs as they are', async () => {
    const { from, to, id, folders } = await setUp();
    const at = (root: string, ...names: string[]) => join(root, 'session-state', id, ...names);
    await writeFile(at(folders.source, 'empty'), '');
    await writeFile(at(folders.source, 'events.jsonl.corrupt'), 'what was damaged');
    await writeFile(at(folders.source, 'events.jsonl'), Buffer.from([0, 255, 10, 200, 0]));
    expect(await copySession(id, from, to, signal)).toBe('copied');
    const list = (root: string) => readdir(at(root), { recursive: true });
    expect((await list(folders.target)).sort()).toEqual((await list(folders.source)).sort());
    for (const name of ['empty', 'events.jsonl', 'events.jsonl.corrupt']) {
      expect(await readFile(at(folders.target, name))).toEqual(await readFile(at(folders.source, name)));
    }
    await rm(at(folders.source, 'events.jsonl'));
    expect(await copySession(id, from, to, signal)).toEqual({ differs: 'events.jsonl' });
  });
});
