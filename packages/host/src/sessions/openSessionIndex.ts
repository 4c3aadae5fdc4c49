import { open, rm } from 'node:fs/promises';
import type { HostLog } from '../hostLog.js';
import { SessionIndex } from '../index/sessionIndex.js';
import type { SessionStorage } from '../sessionFs/sessionStorage.js';
import { indexLog } from './indexLog.js';

/** Opens the index; one that is missing or can't be read is made anew from the sessions themselves. */
export async function openSessionIndex(path: string, storage: SessionStorage, log: HostLog): Promise<SessionIndex> {
  const index = await openOrReplace(path, log);
  if (index.isNew) {
    await rebuild(index, storage, log);
    index.markFilled();
  }
  return index;
}

async function openOrReplace(path: string, log: HostLog): Promise<SessionIndex> {
  const openIndex = async () => {
    // Made by us, so that it is for this user's eyes only; SQLite gives its other files the same rights.
    await (await open(path, 'a', 0o600)).close();
    return new SessionIndex(path, (error) => log.warn(`the session index could not be written: ${String(error)}`));
  };
  try {
    return await openIndex();
  } catch (error) {
    log.warn(
      `the session index can't be used and is made anew: ${error instanceof Error ? error.message : String(error)}`,
    );
    for (const suffix of ['', '-wal', '-shm']) await rm(`${path}${suffix}`, { force: true });
    return await openIndex();
  }
}

async function rebuild(index: SessionIndex, storage: SessionStorage, log: HostLog): Promise<void> {
  let count = 0;
  for await (const sessionId of storage.list()) {
    const stored = await storage.open(sessionId);
    if (!stored) continue;
    try {
      await indexLog(index, stored.log);
      if (++count % 1_000 === 0) log.info(`${count} sessions are in the session index`);
    } catch (error) {
      log.error(`session ${sessionId} can't be read`, error);
    } finally {
      await stored.fs.dispose();
    }
  }
  if (count > 0) log.info(`made the session index anew from ${count} sessions`);
}
