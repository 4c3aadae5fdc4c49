import { stripVTControlCharacters } from 'node:util';
import type { ActiveTurn, ResponsePart, SessionState, ToolCallState, Turn, URI } from '@agenthost/protocol';
import { droppedSteps } from '@agenthost/protocol/internal';

/** Messages and tools have separate limits, in UTF-16 code units, so that neither hides the other. */
export const MAX_SEARCH_LENGTH = 32_768;

// biome-ignore lint/suspicious/noControlCharactersInRegex: SQLite ends a text at NUL, and the other characters aren't searched for.
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f]+/g;

/**
 * The searchable text of a turn: messages and answers, then the tools' input and output, without reasoning. `dropped` is the text
 * of parts that the turn no longer holds.
 */
export function searchText(
  { userMessage, responseParts, toolCalls }: Turn | ActiveTurn,
  dropped: { readonly said: string; readonly done: string } = { said: '', done: '' },
): string {
  const said = [`${userMessage.text}\n${dropped.said}`.trimEnd(), ...responseParts.map(textOfPart)];
  const done = [dropped.done.trimEnd(), ...Object.values<ToolCallState>(toolCalls).flatMap(textsOfCall)];
  return [said, done].map((texts) => bounded(texts.filter(Boolean).join('\n'))).join('\n');
}

/** One line, or nothing. */
export function saidIn(part: ResponsePart): string {
  const text = textOfPart(part);
  return text === '' ? '' : `${text}\n`;
}

export function doneIn(call: ToolCallState): string {
  const texts = textsOfCall(call).filter(Boolean);
  return texts.length === 0 ? '' : `${texts.join('\n')}\n`;
}

/** As it is stored and as it is searched. */
export function searchable(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROL_CHARACTERS, ' ').toWellFormed();
}

function textOfPart(part: ResponsePart): string {
  switch (part.kind) {
    case 'markdown':
      return part.content;
    case 'steering':
      return part.userMessage.text;
    case 'notice':
      return part.text;
    default:
      return '';
  }
}

function textsOfCall(call: ToolCallState): string[] {
  const texts = [call.invocationMessage, call.toolInput ?? ''];
  if (call.status !== 'pendingConfirmation') texts.push(call.output?.text ?? '');
  if (call.status !== 'completed') return texts;
  const { toolOutput = '', content = [], error } = call.result;
  // Most agents repeat at the end what they streamed.
  if (toolOutput !== call.output?.text) texts.push(toolOutput);
  for (const item of content) if (item.type === 'text' && item.text !== toolOutput) texts.push(item.text);
  return [...texts, error?.message ?? ''];
}

/** The head and the tail of a long text. */
function bounded(text: string): string {
  if (text.length <= MAX_SEARCH_LENGTH) return searchable(text);
  const half = MAX_SEARCH_LENGTH / 2;
  return `${searchable(text.slice(0, half))} … ${searchable(text.slice(-half))}`;
}

/**
 * Keeps the searchable text of parts that a running turn has dropped from its state: head and tail, as for any long text.
 * `follow` has to be called with each state of the session.
 */
export class DroppedText {
  #turnId: string | undefined;
  #before: SessionState['activeTurn'];
  #said = '';
  #done = '';
  #steps = 0;

  follow({ activeTurn, turns }: SessionState): void {
    if (activeTurn && activeTurn.id !== this.#turnId) {
      this.#turnId = activeTurn.id;
      this.#said = '';
      this.#done = '';
      this.#steps = 0;
    }
    const before = this.#before;
    const after = activeTurn ?? turns.at(-1);
    this.#before = activeTurn;
    if (!before || before.id !== after?.id || before.earlierParts === after.earlierParts) return;
    for (const step of droppedSteps(before, after)) {
      this.#steps++;
      this.#said = ends(this.#said + saidIn(step.part));
      if (step.call) this.#done = ends(this.#done + doneIn(step.call));
    }
  }

  /** Whether it has followed the turn from its beginning: otherwise the text is incomplete. */
  hasAll({ id, earlierParts = 0 }: ActiveTurn | Turn): boolean {
    return earlierParts === 0 || (id === this.#turnId && this.#steps === earlierParts);
  }

  /** `undefined` when the turn has dropped nothing. */
  of(turnId: string): { readonly said: string; readonly done: string } | undefined {
    if (turnId !== this.#turnId || (this.#said === '' && this.#done === '')) return undefined;
    return { said: this.#said, done: this.#done };
  }
}

/** Cut with some slack: most parts are short. */
function ends(text: string): string {
  if (text.length <= 3 * MAX_SEARCH_LENGTH) return text;
  return `${text.slice(0, MAX_SEARCH_LENGTH)} … ${text.slice(-MAX_SEARCH_LENGTH)}`;
}

export interface WaitingTurn {
  readonly resource: URI;
  readonly turnId: string;
  /** Absent for a turn that is to be removed. */
  readonly text: string | undefined;
}

/** In UTF-16 code units, with a constant for each turn. */
const MAX_LENGTH = 4_000_000;
/** This much is written in a few hundredths of a second, during which the host serves no client. */
const MUCH = 128_000;
const LENGTH_OF_TURN = 200;

/** Texts of turns that are not written yet: the newest of each turn, within a memory limit. */
export class WaitingTurns {
  readonly #turns = new Map<string, WaitingTurn>();
  #length = 0;

  get size(): number {
    return this.#turns.size;
  }

  get isFull(): boolean {
    return this.#length > MAX_LENGTH;
  }

  /** Whether there is enough to write now. */
  get isMuch(): boolean {
    return this.#length > MUCH;
  }

  get(resource: URI, turnId: string): WaitingTurn | undefined {
    return this.#turns.get(keyOf(resource, turnId));
  }

  set(turn: WaitingTurn): void {
    const key = keyOf(turn.resource, turn.turnId);
    this.#delete(key);
    this.#turns.set(key, turn);
    this.#length += lengthOf(turn);
  }

  /** Drops the oldest until the others fit; returns their sessions. */
  shrink(): URI[] {
    const lost: URI[] = [];
    for (const [key, { resource }] of this.#turns) {
      if (!this.isFull) break;
      this.#delete(key);
      lost.push(resource);
    }
    return lost;
  }

  /** Removes and returns the oldest. */
  take(count: number): WaitingTurn[] {
    const taken = [...this.#turns].slice(0, count);
    for (const [key] of taken) this.#delete(key);
    return taken.map(([, turn]) => turn);
  }

  deleteAll(resource: URI): void {
    for (const [key, turn] of this.#turns) if (turn.resource === resource) this.#delete(key);
  }

  clear(): void {
    this.#turns.clear();
    this.#length = 0;
  }

  [Symbol.iterator](): Iterator<WaitingTurn> {
    return this.#turns.values();
  }

  #delete(key: string): void {
    const turn = this.#turns.get(key);
    if (!turn) return;
    this.#turns.delete(key);
    this.#length -= lengthOf(turn);
  }
}

function keyOf(resource: URI, turnId: string): string {
  return `${resource}\0${turnId}`;
}

function lengthOf({ text = '' }: WaitingTurn): number {
  return LENGTH_OF_TURN + text.length;
}
