import type { HostLog } from '../hostLog.js';
import type { SessionStorage } from '../storage/sessionStorage.js';
import { SequenceFailure, SequenceFile } from '../storage/stateRoot/sequenceFile.js';
import { foldLog } from './history/foldLog.js';

/** Opens the host's counter. When its files are damaged, it continues above the highest number in all sessions' logs. */
export async function openSequence(stateRoot: string, storage: SessionStorage, log: HostLog): Promise<SequenceFile> {
  try {
    return await SequenceFile.open(stateRoot);
  } catch (error) {
    if (!(error instanceof SequenceFailure) || error.code !== 'DAMAGED') throw error;
    log.warn(`${error.message}; going on above the highest number in the sessions' logs`);
    return SequenceFile.open(stateRoot, { atLeast: await highestInLogs(storage, log) });
  }
}

async function highestInLogs(storage: SessionStorage, log: HostLog): Promise<number> {
  let highest = 0;
  for await (const sessionId of storage.list()) {
    const stored = await storage.open(sessionId);
    try {
      const folded = stored && (await foldLog(stored.log.load()));
      highest = Math.max(highest, folded?.lastServerSeq ?? 0);
    } catch (error) {
      log.error(`session ${sessionId} can't be read`, error);
    } finally {
      await stored?.fs.dispose();
    }
  }
  return highest;
}
