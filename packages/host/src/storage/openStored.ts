import type { KeyedLock } from './fs/keyedLock.js';
import type { SessionFs } from './fs/sessionFs.js';
import type { DamageReport } from './log/eventLog.js';
import { type Durability, JsonlEventLog } from './log/jsonlEventLog.js';
import { recoverStartRecord } from './recoverStartRecord.js';
import type { StoredSession } from './sessionStorage.js';

/** How a storage keeps the logs of its sessions, wherever their files are. */
export interface StoredLogOptions {
  readonly durability: Durability;
  /** What the records of the logs are stamped with. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly onDamage: (sessionId: string, damage: DamageReport) => void;
}

/** Opens the log of a session in its file system, which it disposes of when that fails. */
export async function openStored(
  sessionId: string,
  fs: SessionFs,
  { durability, now, newId, onDamage }: StoredLogOptions,
  where: { readonly lock: KeyedLock; readonly isDraft: boolean },
): Promise<StoredSession> {
  try {
    const damaged = (damage: DamageReport) => onDamage(sessionId, damage);
    const readStart = () => recoverStartRecord(fs, sessionId);
    return {
      fs,
      log: await JsonlEventLog.open({ fs, durability, now, newId, onDamage: damaged, readStart, ...where }),
    };
  } catch (error) {
    await fs.dispose();
    throw error;
  }
}
