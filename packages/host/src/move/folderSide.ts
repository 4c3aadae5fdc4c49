import { stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { TrustFile } from '../customizations/workspaceTrust.js';
import type { HostLog } from '../hostLog.js';
import { DeviceTokens } from '../server/access/deviceTokens.js';
import { LocalSessionFs } from '../storage/fs/localSessionFs.js';
import { SESSION_STATE_FOLDER } from '../storage/fs/sessionFolder.js';
import { LocalSessionStorage } from '../storage/localSessionStorage.js';
import { SequenceFailure, SequenceFile } from '../storage/stateRoot/sequenceFile.js';
import { StateRoot, StateRootFailure } from '../storage/stateRoot/stateRoot.js';
import { MoveError, type MoveSide, type SessionFiles } from './moveSide.js';

/** Opens a state folder and takes its lock. Rejects with a `MoveError` when a host has it. */
export async function openFolderSide(
  path: string,
  { create, log }: { readonly create: boolean; readonly log: HostLog },
): Promise<MoveSide> {
  if (!create && !(await stat(join(path, SESSION_STATE_FOLDER)).catch(() => undefined))) {
    throw new MoveError(`${path} is not a state folder.`, 'Give the folder in which a host keeps its sessions.');
  }
  const warn = (message: string) => log.warn(message);
  const stateRoot = await StateRoot.open({ path, env: {}, warn }).catch((error: unknown) => {
    if (!(error instanceof StateRootFailure)) throw error;
    const whatToDo = error.code === 'LOCKED' ? 'Stop it, then run this again.' : 'Mend that, or give another folder.';
    throw new MoveError(error.what, whatToDo, { cause: error });
  });
  const sessions = new LocalSessionStorage({
    stateRoot: stateRoot.path,
    listSessionIds: () => stateRoot.listSessionIds(),
    initialCwd: stateRoot.path,
    durability: 'fsync',
    now: Date.now,
    newId: () => '',
    onDamage: () => undefined,
  });
  const open = async (sessionId: string, isNew: boolean): Promise<SessionFiles> => {
    const fs = await LocalSessionFs.open({ stateRoot: stateRoot.path, sessionId, create: isNew });
    return {
      fs,
      setTime: (file, time) => utimes(file, time / 1_000, time / 1_000),
      assertOwned: async () => undefined,
    };
  };
  const trust = new TrustFile(stateRoot.path, log);
  let reserved: number | undefined;
  return {
    name: stateRoot.path,
    tokens: new DeviceTokens(stateRoot.path),
    trust,
    async *listSessions() {
      // Not those of the storage: it removes drafts.
      for await (const id of stateRoot.listSessionIds()) if (await sessions.exists(id)) yield id;
    },
    hasSession: (sessionId) => sessions.exists(sessionId),
    openSession: (sessionId) => open(sessionId, false),
    createSession: async (sessionId) => {
      const left = await stat(join(stateRoot.path, SESSION_STATE_FOLDER, sessionId)).catch(() => undefined);
      if (left) await sessions.remove(sessionId);
      return open(sessionId, true);
    },
    spaceOf: (sessionId) => sessions.spaceOf(sessionId),
    raiseSequence: async (atLeast) => {
      reserved ??= await reserve(stateRoot.path);
      if (atLeast > reserved) reserved = await reserve(stateRoot.path, atLeast);
    },
    intruders: async () => [],
    close: () => stateRoot.dispose(),
  };
}

async function reserve(stateRoot: string, atLeast?: number): Promise<number> {
  try {
    const sequence = await SequenceFile.open(stateRoot, atLeast === undefined ? {} : { atLeast });
    await sequence.dispose();
    return sequence.current;
  } catch (error) {
    // The next host goes on above the highest number in all logs, the copied ones included.
    if (error instanceof SequenceFailure && error.code === 'DAMAGED') return Number.POSITIVE_INFINITY;
    throw error;
  }
}
