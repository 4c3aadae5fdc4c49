import { CORRUPT_SUFFIX } from './corruptFile.js';
import type { SessionStartRecord } from './eventLog.js';
import { LOG_FILE } from './jsonlEventLog.js';
import type { SessionFs } from './sessionFs.js';
import { readWorkspaceFile } from './workspaceFile.js';

/**
 * What a session began with, for a log whose first line is damaged: workspace.yaml has a copy. A session that was stored
 * before it had one is read from what is left of the line. `undefined` when neither can be used.
 */
export async function readStartAgain(fs: SessionFs, sessionId: string): Promise<SessionStartRecord | undefined> {
  const info = await readWorkspaceFile(fs).catch(() => undefined);
  const copy = info?.start && asStart(info.start, sessionId);
  if (copy) return copy;
  for (const name of [LOG_FILE, `${LOG_FILE}${CORRUPT_SUFFIX}`]) {
    const line = await firstLine(fs, fs.join(fs.sessionStatePath ?? '', name));
    const start = line !== undefined && asStart(parsed(line), sessionId);
    if (start) return start;
  }
  return undefined;
}

/** Only if it is of this session and has what nobody can guess. */
function asStart(value: unknown, sessionId: string): SessionStartRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const start = { ...value, v: 1, n: 1, type: 'session.start', sessionId } as SessionStartRecord;
  const { id, at, provider, cwd, createdAt } = start;
  const isWhole =
    [id, provider, cwd].every((text) => typeof text === 'string' && text !== '') &&
    [at, createdAt].every((time) => Number.isFinite(time));
  const isOfAnother = 'sessionId' in value && value.sessionId !== sessionId;
  return isWhole && !isOfAnother ? start : undefined;
}

async function firstLine(fs: SessionFs, path: string): Promise<string | undefined> {
  try {
    for await (const line of fs.readLines(path)) return line;
  } catch {
    // There is no such file, or what it has is too long for a line.
  }
  return undefined;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
