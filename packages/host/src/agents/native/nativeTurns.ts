import type { CompletedToolCall, ResponsePart, Turn } from '@agenthost/protocol';
import { INLINE_MESSAGE_LIMIT, MAX_ID_LENGTH, MAX_PART_LENGTH } from '@agenthost/protocol/internal';
import { headAndTail, oneLine, pieces } from '../events/boundedText.js';
import type { NativeEntry } from './nativeEntry.js';
import type { NativeTurns } from './nativeStore.js';
import { shownCall, shownResult } from './nativeTools.js';

/** Turns of one conversation, and the length of all their texts. The newest are kept. */
const MAX_TURNS = 5_000;
const MAX_LENGTH = 16 * 1024 * 1024;
const MAX_MESSAGE = 1_000;
/** Parts of one turn, and the length of their texts. The newest are kept. */
const KEPT_PARTS = 192;
const KEPT_LENGTH = 262_144;
/** The last time that a `Date` can hold. */
const MAX_TIME = 8_640_000_000_000_000;

interface OpenTurn {
  readonly id: string;
  readonly text: string;
  readonly startedAt: number;
  endedAt: number;
  parts: { readonly part: ResponsePart; readonly length: number }[];
  readonly calls: Map<string, CompletedToolCall>;
  readonly past: Map<string, string>;
  dropped: number;
  length: number;
  end: { readonly state: Turn['state']; readonly message?: string } | undefined;
}

export interface NativeTurnsOptions {
  /** The time of entries without one that can be used. */
  readonly otherwise: number;
  readonly folder?: string | undefined;
  /** Only the end of the conversation is read, so its first turn may be without its message. */
  readonly isTail?: boolean;
}

/** Makes turns out of the entries of a conversation. Everything is bounded as in a session of the host. */
export class NativeTurnBuilder {
  readonly #options: NativeTurnsOptions;
  readonly #turns: { readonly turn: Turn; readonly length: number }[] = [];
  readonly #ids = new Set<string>();
  readonly #callIds = new Map<unknown, string>();
  #open: OpenTurn | undefined;
  #count = 0;
  #length = 0;
  #lastAt: number;
  #isCut: boolean;

  constructor(options: NativeTurnsOptions) {
    this.#options = options;
    this.#lastAt = 0;
    this.#isCut = options.isTail === true;
  }

  take(entry: NativeEntry): void {
    const at = this.#time(entry.at);
    if (entry.kind === 'user') {
      this.#close();
      this.#begin(entry, at);
      return;
    }
    // What comes before the first message belongs to a turn that was not read, or is no conversation.
    const open = this.#open;
    if (!open) return;
    open.endedAt = Math.max(open.endedAt, at);
    if (entry.kind === 'end') {
      const message = oneLine(entry.message ?? '', MAX_MESSAGE);
      open.end = { state: entry.state, ...(message !== '' && { message }) };
      return;
    }
    if (entry.kind === 'result') {
      this.#result(open, entry, at);
      return;
    }
    // An agent goes on after an end, for example with what a hook said.
    open.end = undefined;
    if (entry.kind === 'call') this.#call(open, entry, at);
    else if (entry.kind === 'notice') {
      this.#add(open, {
        kind: 'notice',
        id: this.#newId('notice'),
        text: headAndTail(entry.text, 4_096),
        severity: 'info',
      });
    } else {
      const { kind } = entry;
      for (const content of pieces(entry.text.toWellFormed(), MAX_PART_LENGTH)) {
        this.#add(open, { kind: kind === 'text' ? 'markdown' : 'reasoning', id: this.#newId('part'), content });
      }
    }
  }

  /** Whether a message was seen. */
  get hasTurns(): boolean {
    return this.#open !== undefined || this.#turns.length > 0;
  }

  result(): NativeTurns {
    const isOpen = this.#open !== undefined && this.#open.end === undefined;
    this.#close();
    return { turns: this.#turns.map(({ turn }) => turn), isCut: this.#isCut, isOpen };
  }

  #begin({ id, text }: NativeEntry & { readonly kind: 'user' }, at: number): void {
    const bounded = headAndTail(text.toWellFormed(), INLINE_MESSAGE_LIMIT - 128);
    this.#open = {
      id: this.#unique(id, 'turn'),
      text: bounded,
      startedAt: at,
      endedAt: at,
      parts: [],
      calls: new Map(),
      past: new Map(),
      dropped: 0,
      length: bounded.length,
      end: undefined,
    };
  }

  #call(open: OpenTurn, { id, name, input }: NativeEntry & { readonly kind: 'call' }, at: number): void {
    const known = this.#callIds.get(id);
    // Some agents write a call again when it has ended.
    if (known !== undefined && open.calls.has(known)) return;
    const toolCallId = this.#unique(id, 'call');
    const { past, ...shown } = shownCall(name, input, this.#options.folder);
    this.#callIds.set(id, toolCallId);
    if (this.#callIds.size > 10_000) this.#callIds.clear();
    open.past.set(toolCallId, past);
    // Until its result is found.
    open.calls.set(toolCallId, {
      ...shown,
      toolCallId,
      status: 'cancelled',
      cancelled: 'turnEnded',
      confirmed: { how: 'notNeeded' },
      startedAt: at,
      endedAt: at,
    });
    this.#add(open, { kind: 'toolCall', toolCallId }, (shown.toolInput ?? '').length + 200);
  }

  #result(open: OpenTurn, entry: NativeEntry & { readonly kind: 'result' }, at: number): void {
    const toolCallId = this.#callIds.get(entry.id);
    const call = toolCallId === undefined ? undefined : open.calls.get(toolCallId);
    if (toolCallId === undefined || !call) return;
    const { status: _, startedAt, ...rest } = call;
    const {
      cancelled: __,
      reason: ___,
      confirmed: ____,
      result: _____,
      ...shown
    } = rest as typeof rest & {
      readonly cancelled?: unknown;
      readonly reason?: unknown;
      readonly result?: unknown;
    };
    const result = shownResult(open.past.get(toolCallId) ?? '', entry);
    open.calls.set(toolCallId, {
      ...shown,
      status: 'completed',
      confirmed: { how: 'notNeeded' },
      result,
      startedAt,
      endedAt: Math.max(startedAt, at),
    });
    open.length += (result.toolOutput ?? '').length;
  }

  #add(open: OpenTurn, part: ResponsePart, length = 'content' in part ? part.content.length : 100): void {
    open.parts.push({ part, length });
    open.length += length;
    let first = 0;
    while (open.parts.length - first > KEPT_PARTS || (open.length > KEPT_LENGTH && open.parts.length - first > 1)) {
      const gone = open.parts[first++];
      if (!gone) break;
      open.length -= gone.length;
      if (gone.part.kind !== 'toolCall') continue;
      open.length -= resultLength(open.calls.get(gone.part.toolCallId));
      open.calls.delete(gone.part.toolCallId);
    }
    if (first === 0) return;
    open.parts = open.parts.slice(first);
    open.dropped += first;
  }

  #close(): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    const { id, text, startedAt, endedAt, dropped, end, length } = open;
    const notice = `${dropped.toLocaleString('en')} earlier steps of this turn are not shown.`;
    const missing: ResponsePart[] =
      dropped > 0 ? [{ kind: 'notice', id: this.#newId('notice'), text: notice, severity: 'info' }] : [];
    const failure = { errorType: 'agentError', message: end?.message ?? 'The turn ended with an error.' };
    const turn: Turn = {
      id,
      userMessage: { text },
      responseParts: [...missing, ...open.parts.map(({ part }) => part)],
      toolCalls: [...open.calls.values()],
      state: end?.state ?? 'complete',
      ...(end?.state === 'error' && { error: failure }),
      startedAt,
      endedAt,
    };
    this.#turns.push({ turn, length });
    this.#length += length;
    while (this.#turns.length > MAX_TURNS || (this.#length > MAX_LENGTH && this.#turns.length > 1)) {
      const gone = this.#turns.shift();
      if (!gone) break;
      this.#length -= gone.length;
      this.#isCut = true;
    }
  }

  /** Times never go back: clients show them in order. */
  #time(value: unknown): number {
    const time = timeOf(value) ?? (this.#lastAt || this.#options.otherwise);
    this.#lastAt = Math.max(this.#lastAt, time);
    return this.#lastAt;
  }

  #unique(id: unknown, otherwise: string): string {
    const wanted = isId(id) ? id : this.#newId(otherwise);
    const unique = this.#ids.has(wanted) ? this.#newId(otherwise) : wanted;
    this.#ids.add(unique);
    return unique;
  }

  #newId(kind: string): string {
    this.#count++;
    return `native-${kind}-${this.#count}`;
  }
}

/** A time of any form as milliseconds since 1970; `undefined` for what is none, or out of range. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value.slice(0, 64)) : value;
  if (typeof time !== 'number' || !Number.isFinite(time) || time < 0 || time > MAX_TIME) return undefined;
  return Math.floor(time);
}

/** An id that the wire accepts and that is not one of the builder's own. */
function isId(id: unknown): id is string {
  return (
    typeof id === 'string' &&
    id.length <= MAX_ID_LENGTH &&
    /^[\w.:-]+$/.test(id) &&
    !/^(native-|__proto__$|constructor$|prototype$)/.test(id)
  );
}

function resultLength(call: CompletedToolCall | undefined): number {
  return call?.status === 'completed' ? (call.result.toolOutput ?? '').length : 0;
}
