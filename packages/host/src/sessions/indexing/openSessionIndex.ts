import { stat } from 'node:fs/promises';
import { errorMessage } from '@agenthost/protocol/internal';
import type { HostLog } from '../../hostLog.js';
import { inspectIndex } from '../../sessionIndex/inspectIndex.js';
import type { PageSums } from '../../sessionIndex/pageSums.js';
import { SqliteSessionIndex } from '../../sessionIndex/sqliteSessionIndex.js';

export interface OpenedIndex {
  readonly index: SqliteSessionIndex;
  /** What it may lack; `undefined` if nothing. */
  readonly missing: { readonly changedSince: number } | undefined;
}

/** Sessions that were changed since then, in milliseconds since 1970; 0 for all. Or exactly these. */
export type MissingInIndex = { readonly changedSince: number } | { readonly ids: () => AsyncIterable<string> };

/** Opens the index. A missing, damaged or incompatible one is replaced by an empty one. */
export async function openSessionIndex(
  path: string,
  log: HostLog,
  onReplaced: () => void = () => {},
  sessionsFolder?: string,
): Promise<OpenedIndex> {
  const openIndex = (sums: PageSums | undefined, isIncomplete: boolean) =>
    new SqliteSessionIndex(path, {
      ...(sums && { sums }),
      isIncomplete,
      searchInThread: true,
      onError: (error) => log.warn(`the session index could not be written: ${errorMessage(error)}`),
      onReplaced: (cause) => {
        log.warn(`the session index is damaged and is rebuilt: ${errorMessage(cause)}`);
        onReplaced();
      },
    });
  const found = await inspectIndex(path);
  if (found.kind === 'clean' || found.kind === 'crashed') {
    const { sums } = found;
    const isStale = found.kind === 'crashed' || (await hasChangedSince(sums.trustedUntil, sessionsFolder));
    const missing = isStale ? { changedSince: sums.trustedUntil } : undefined;
    try {
      const index = openIndex(sums, missing !== undefined);
      return { index, missing: missing ?? (index.mayLack ? { changedSince: sums.trustedUntil } : undefined) };
    } catch (error) {
      log.warn(`the session index can't be used and is rebuilt: ${errorMessage(error)}`);
    }
  } else if (found.kind === 'damaged') {
    log.warn(`the session index can't be used and is rebuilt: ${found.reason}`);
  }
  const index = openIndex(undefined, true);
  return { index, missing: { changedSince: 0 } };
}

/**
 * Whether sessions were added or removed while no host ran, for instance from a backup. Uses ctime, which tools that restore files
 * can't set back.
 */
async function hasChangedSince(time: number, folder: string | undefined): Promise<boolean> {
  if (folder === undefined) return false;
  return stat(folder).then(
    ({ ctimeMs }) => ctimeMs > time,
    () => false,
  );
}
