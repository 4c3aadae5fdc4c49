import { BufferedRecord } from './bufferedRecord.js';
import type { NewLogRecord } from './eventLog.js';
import { logPath } from './jsonlEventLog.js';
import { encodeLine } from './logLine.js';
import { replaceFile } from './replaceFile.js';
import type { SessionFs } from './sessionFs.js';

export interface WholeLogOptions {
  /** What records are stamped with that have no time or id of their own. */
  readonly at: number;
  readonly newId: () => string;
}

/** Writes the log of a session that has none yet: all of it, or, when that fails, none. */
export async function writeWholeLog(
  fs: SessionFs,
  records: readonly NewLogRecord[],
  { at, newId }: WholeLogOptions,
): Promise<void> {
  const lines = records.map((record, index) =>
    encodeLine(index + 1, new BufferedRecord(index + 1, record, { id: newId(), at }).toBody()),
  );
  await replaceFile(fs, logPath(fs), lines.join(''), { sync: true });
}
