// Gemini CLI: ~/.gemini/tmp/<project>/chats/session-<time>-<part of the id>.jsonl, in older versions one JSON value in .json
import { basename, dirname, join } from 'node:path';
import { readSmallFile } from '../../storage/fs/foreignFile.js';
import { JsonlStore, type LineReader } from './jsonlStore.js';
import { blockTexts, type Fields, fieldsOf, listOf, type NativeEntry, textOf } from './nativeEntry.js';
import type { NativePlace, NativeStore } from './nativeStore.js';

const NAME = /^session-[\dT-]+-([0-9a-f]{8})\.jsonl?$/;
const MAX_PATH = 4_096;

/** How its files are found; their names have a part of the id. */
export const GEMINI_FILES = {
  levels: [/^[^.]/, /^chats$/, NAME],
  nativeIdOf: (path: string) => NAME.exec(basename(path))?.[1],
  keyOf: (nativeId: string) => nativeId.slice(0, 8),
} as const;

export function geminiRoot(home: string): string {
  return join(home, '.gemini', 'tmp');
}

export function geminiStore(home: string): NativeStore {
  const { levels, nativeIdOf, keyOf } = GEMINI_FILES;
  return new JsonlStore({
    provider: 'gemini',
    agentName: 'Gemini CLI',
    root: geminiRoot(home),
    levels: [levels],
    nativeIdOf,
    keyOf,
    command: (id) => `gemini --resume ${id}`,
    reader: () => new GeminiReader(),
    beside,
  });
}

async function beside({ path }: NativePlace): Promise<{ readonly folder?: string }> {
  const root = await readSmallFile(join(dirname(dirname(path)), '.project_root'), MAX_PATH);
  const folder = root?.trim();
  return folder?.startsWith('/') ? { folder } : {};
}

export class GeminiReader implements LineReader {
  nativeId: string | undefined;
  isHidden = false;
  /** What was shown of each message. A message is written again when it grows, and all of them when they are replaced. */
  readonly #shown = new Map<string, string>();
  readonly #calls = new Set<unknown>();

  *take(value: unknown): Generator<NativeEntry> {
    const line = fieldsOf(value);
    if (typeof line['sessionId'] === 'string') {
      this.nativeId ??= line['sessionId'];
      if (line['kind'] !== undefined && line['kind'] !== 'main') this.isHidden = true;
    }
    const messages = [...listOf(line['messages']), ...listOf(fieldsOf(line['$set'])['messages'])];
    for (const message of messages) yield* this.#message(fieldsOf(message));
    if (typeof line['id'] === 'string') yield* this.#message(line);
    if (typeof line['$rewindTo'] === 'string') {
      yield { kind: 'notice', text: 'The conversation went back to an earlier message here.' };
    }
  }

  *#message(message: Fields): Generator<NativeEntry> {
    const { type, timestamp: at } = message;
    const id = textOf(message['id']) ?? '';
    const text = blockTexts(message['content']);
    const before = this.#shown.get(id);
    if (id !== '' && this.#shown.size < 200_000) this.#shown.set(id, text);
    if (type === 'user') {
      const isInjected = /^\s*<session_context>/.test(text);
      if (before === undefined && text !== '' && !isInjected) yield { kind: 'user', text, id, at };
      return;
    }
    if (type === 'error' || type === 'warning') {
      if (before === undefined && text !== '') yield { kind: 'notice', text, at };
      return;
    }
    if (type !== 'gemini') return;
    if (before === undefined) {
      const thoughts = listOf(message['thoughts']).map((thought) => {
        const { subject, description } = fieldsOf(thought);
        return [textOf(subject), textOf(description)].filter(Boolean).join(': ');
      });
      const reasoning = thoughts.filter((thought) => thought !== '').join('');
      if (reasoning !== '') yield { kind: 'reasoning', text: reasoning, at };
    }
    const fresh = before === undefined ? text : text.startsWith(before) ? text.slice(before.length) : '';
    if (fresh !== '') yield { kind: 'text', text: fresh, at };
    for (const call of listOf(message['toolCalls'])) yield* this.#call(fieldsOf(call));
    if (fresh !== '') yield { kind: 'end', state: 'complete', at };
  }

  *#call(call: Fields): Generator<NativeEntry> {
    const { id, timestamp: at } = call;
    if (this.#calls.has(id) || this.#calls.size > 200_000) return;
    this.#calls.add(id);
    yield { kind: 'call', id, name: textOf(call['name']) ?? '', input: call['args'], at };
    const response = fieldsOf(fieldsOf(fieldsOf(listOf(call['result'])[0])['functionResponse'])['response']);
    const told = textOf(response['output']) ?? textOf(response['error']) ?? '';
    const inner = /^<untrusted_context>\n([\s\S]*)\n<\/untrusted_context>$/.exec(told)?.[1] ?? told;
    const exit = /^Exit Code: (\d{1,5})$/m.exec(inner);
    const output = inner.replace(/^Output: /, '').replace(/\n(?:Exit Code|Process Group PGID): \d+(?=\n|$)/g, '');
    const failed = call['status'] === 'error' || call['status'] === 'cancelled';
    yield { kind: 'result', id, output, failed, ...(exit && { exitCode: Number(exit[1]) }), at };
  }
}
