// opencode: an SQLite database, ~/.local/share/opencode/opencode.db
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { oneLine } from '../events/boundedText.js';
import { MAX_TITLE } from './jsonlStore.js';
import { fieldsOf, type NativeEntry, textOf } from './nativeEntry.js';
import type { NativeHead, NativePlace, NativeScan, NativeStore, NativeTurns } from './nativeStore.js';
import { NativeTurnBuilder, timeOf } from './nativeTurns.js';
import { type OpencodePart, type OpencodeSession, readDatabase } from './opencodeThread.js';

const ID = /^ses_[A-Za-z0-9]{1,60}$/;
const MAX_MESSAGES = 20_000;

/** `data` is the folder for data of the user's programs. */
export function opencodeStore(data: string): NativeStore {
  return new OpencodeStore(join(data, 'opencode', 'opencode.db'));
}

class OpencodeStore implements NativeStore {
  readonly provider = 'opencode';
  readonly agentName = 'opencode';
  /** Each message reads the conversation from the database. */
  readonly isSafe = true;
  readonly #path: string;
  /** The sessions, as of the stamps of the database's files. */
  #known: { readonly stamp: string; readonly sessions: ReadonlyMap<string, OpencodeSession> } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  command(nativeId: string): string {
    return `opencode --session ${nativeId}`;
  }

  async scan(): Promise<NativeScan> {
    const stamp = await stampOf(this.#path);
    if (stamp === undefined) return { places: [], problems: [] };
    if (this.#known?.stamp !== stamp) {
      try {
        const rows = await readDatabase(this.#path, { kind: 'sessions' });
        const sessions = rows.flatMap((row): [string, OpencodeSession][] => (ID.test(row.id) ? [[row.id, row]] : []));
        this.#known = { stamp, sessions: new Map(sessions) };
      } catch (error) {
        this.#known = undefined;
        return { places: [], problems: [`${this.#path} can't be read: ${(error as Error).message}`] };
      }
    }
    return { places: [...this.#known.sessions.values()].map((row) => this.#place(row)), problems: [] };
  }

  async find(nativeId: string): Promise<NativePlace | undefined> {
    return (await this.scan()).places.find((place) => place.nativeId === nativeId);
  }

  async head({ nativeId }: NativePlace): Promise<NativeHead> {
    const row = this.#known?.sessions.get(nativeId);
    if (!row) throw new Error('It is no longer there.');
    const folder = row.directory?.startsWith('/') ? row.directory : undefined;
    return {
      title: oneLine(row.title ?? '', MAX_TITLE) || 'Untitled',
      ...(folder !== undefined && { folder }),
      ...((row.messages ?? 0) === 0 && { isHidden: true }),
    };
  }

  async turns(place: NativePlace): Promise<NativeTurns> {
    const folder = this.#known?.sessions.get(place.nativeId)?.directory ?? undefined;
    const rows = await readDatabase(this.#path, { kind: 'parts', session: place.nativeId });
    const isTail = rows.some(({ isCut }) => isCut);
    const builder = new NativeTurnBuilder({ otherwise: place.modifiedAt, folder, isTail });
    for (const entry of entriesOf(rows)) builder.take(entry);
    return builder.result();
  }

  #place({ id, updated, messages }: OpencodeSession): NativePlace {
    return { nativeId: id, path: this.#path, size: messages ?? 0, modifiedAt: timeOf(updated) ?? 0 };
  }
}

/** Changes whenever the database does; `undefined` without one. */
async function stampOf(path: string): Promise<string | undefined> {
  const [file, log] = await Promise.all([
    lstat(path).catch(() => undefined),
    lstat(`${path}-wal`).catch(() => undefined),
  ]);
  if (!file?.isFile()) return undefined;
  return `${file.size}:${file.mtimeMs}:${log?.size ?? 0}:${log?.mtimeMs ?? 0}`;
}

function* entriesOf(rows: readonly OpencodePart[]): Generator<NativeEntry> {
  for (let first = 0; first < rows.length && first < MAX_MESSAGES * 10; ) {
    const { message } = rows[first] as OpencodePart;
    let end = first;
    while (rows[end]?.message === message) end++;
    yield* messageEntries(message, rows.slice(first, end));
    first = end;
  }
}

function* messageEntries(id: string, rows: readonly OpencodePart[]): Generator<NativeEntry> {
  const data = fieldsOf(rows[0]?.data);
  const at = fieldsOf(data['time'])['created'] ?? rows[0]?.created;
  const parts = rows.map(({ part }) => fieldsOf(part));
  if (data['role'] === 'user') {
    const texts = parts.filter(({ type, synthetic }) => type === 'text' && synthetic !== true);
    const files = parts.filter(({ type }) => type === 'file').length;
    const text = texts.map((part) => textOf(part['text']) ?? '').join('\n');
    const shown = files === 0 ? '' : `${text === '' ? '' : '\n'}[${files === 1 ? 'a file' : `${files} files`}]`;
    if (text + shown !== '') yield { kind: 'user', text: text + shown, id, at };
    return;
  }
  if (data['role'] !== 'assistant') return;
  for (const part of parts) yield* partEntries(part, at);
  const { name, data: details } = fieldsOf(data['error']);
  if (name === 'MessageAbortedError') yield { kind: 'end', state: 'cancelled', at };
  else if (name !== undefined) {
    yield { kind: 'end', state: 'error', message: textOf(fieldsOf(details)['message']) ?? String(name), at };
  } else if (data['finish'] === 'stop') yield { kind: 'end', state: 'complete', at };
}

function* partEntries(part: ReturnType<typeof fieldsOf>, at: unknown): Generator<NativeEntry> {
  const { type } = part;
  const text = textOf(part['text']) ?? '';
  if (type === 'text' && text !== '') yield { kind: 'text', text, at };
  else if (type === 'reasoning' && text !== '') yield { kind: 'reasoning', text, at };
  else if (type === 'compaction')
    yield { kind: 'notice', text: 'opencode summarised the conversation until here.', at };
  else if (type === 'tool') {
    const state = fieldsOf(part['state']);
    const time = fieldsOf(state['time']);
    const { callID: id } = part;
    yield { kind: 'call', id, name: textOf(part['tool']) ?? '', input: state['input'], at: time['start'] ?? at };
    if (state['status'] !== 'completed' && state['status'] !== 'error') return;
    const exitCode = fieldsOf(state['metadata'])['exit'];
    const output = textOf(state['output']) ?? textOf(state['error']) ?? '';
    const exit = Number.isInteger(exitCode) ? { exitCode: Number(exitCode) } : {};
    yield { kind: 'result', id, output, failed: state['status'] === 'error', ...exit, at: time['end'] ?? at };
  }
}
