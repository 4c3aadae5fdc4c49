import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import type { SessionFs } from '../../../src/storage/fs/sessionFs.js';
import type { ActionRecord, LogRecord, NewLogRecord } from '../../../src/storage/log/eventLog.js';
import { JsonlEventLog } from '../../../src/storage/log/jsonlEventLog.js';

const SESSION = 'mock:/sample';

export const start: NewLogRecord = {
  type: 'session.start',
  sessionId: 'sample',
  provider: 'mock',
  cwd: '/work',
  versions: { log: 1, protocol: 1 },
  createdAt: 1,
};

export function delta(content: string, serverSeq: number, partId = 'p1'): NewLogRecord {
  const action = { type: 'session/delta', session: SESSION, at: serverSeq, turnId: 't1', partId, content } as const;
  return { type: 'action', serverSeq, action };
}

export function reasoning(content: string, serverSeq: number): NewLogRecord {
  const action = {
    type: 'session/reasoning',
    session: SESSION,
    at: serverSeq,
    turnId: 't1',
    partId: 'p1',
    content,
  } as const;
  return { type: 'action', serverSeq, action };
}

export function toolUpdate(
  serverSeq: number,
  fields: { output?: string; invocationMessage?: string },
  toolCallId = 'c1',
) {
  const action = {
    type: 'session/toolUpdate',
    session: SESSION,
    at: serverSeq,
    turnId: 't1',
    toolCallId,
    ...fields,
  } as const;
  return { type: 'action', serverSeq, action } satisfies NewLogRecord;
}

/** A client's action: never merged. */
export function title(text: string, serverSeq: number): NewLogRecord {
  const action = { type: 'session/titleChanged', session: SESSION, at: serverSeq, title: text } as const;
  return { type: 'action', serverSeq, origin: { clientId: 'c', clientSeq: serverSeq }, action };
}

export function eventsPath(fs: SessionFs): string {
  return fs.join(fs.sessionStatePath ?? '', 'events.jsonl');
}

/** The records of a log in a file with these bytes. */
export async function loadBytes(bytes: Uint8Array) {
  const fs = new MemorySessionFs();
  await fs.writeFile(eventsPath(fs), bytes);
  const log = await JsonlEventLog.open({ fs });
  const { records, damage } = await log.loadAll();
  const corrupt = await fs.readFileBytes(`${eventsPath(fs)}.corrupt`).catch(() => new Uint8Array());
  return {
    fs,
    log,
    records,
    damage,
    corrupt: Buffer.from(corrupt),
    left: Buffer.from(await fs.readFileBytes(eventsPath(fs))),
  };
}

export async function bytesOf(records: readonly NewLogRecord[]): Promise<Buffer> {
  const fs = new MemorySessionFs();
  const log = await JsonlEventLog.open({ fs, now: () => 1_700_000_000_000 });
  for (const record of records) log.append(record);
  await log.close();
  return Buffer.from(await fs.readFileBytes(eventsPath(fs)));
}

/** Tokens like `<7>` of all text and titles, in order: merged or not, each append is found again. */
export function tokensOf(records: readonly LogRecord[]): string[] {
  return records
    .filter((record): record is ActionRecord => record.type === 'action')
    .flatMap((record) => {
      const { action } = record;
      const text =
        action.type === 'session/delta' || action.type === 'session/reasoning'
          ? action.content
          : action.type === 'session/titleChanged'
            ? action.title
            : '';
      return text.match(/<\d+>/g) ?? [];
    });
}
