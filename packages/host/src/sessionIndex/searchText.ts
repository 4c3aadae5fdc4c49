import { stripVTControlCharacters } from 'node:util';
import {
  type ActiveTurn,
  droppedSteps,
  type ResponsePart,
  type SessionState,
  type ToolCallState,
  type Turn,
} from '@agenthost/protocol';

/** What is said and what tools did have a limit each, in UTF-16 code units, so that neither hides the other. */
export const MAX_SEARCH_LENGTH = 32_768;

// biome-ignore lint/suspicious/noControlCharactersInRegex: SQLite ends a text at NUL, and nobody searches for the others.
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f]+/g;

/**
 * What of a turn can be found: what people and the agent said, then the tools' input and output. Not its reasoning. `dropped`
 * is what was said and done in parts that the turn does not hold any more.
 */
export function searchText(
  { userMessage, responseParts, toolCalls }: Turn | ActiveTurn,
  dropped: { readonly said: string; readonly done: string } = { said: '', done: '' },
): string {
  const said = [`${userMessage.text}\n${dropped.said}`.trimEnd(), ...responseParts.map(textOfPart)];
  const done = [dropped.done.trimEnd(), ...Object.values<ToolCallState>(toolCalls).flatMap(textsOfCall)];
  return [said, done].map((texts) => bounded(texts.filter(Boolean).join('\n'))).join('\n');
}

/** A line, or nothing. */
export function saidIn(part: ResponsePart): string {
  const text = textOfPart(part);
  return text === '' ? '' : `${text}\n`;
}

export function doneIn(call: ToolCallState): string {
  const texts = textsOfCall(call).filter(Boolean);
  return texts.length === 0 ? '' : `${texts.join('\n')}\n`;
}

/** As it is stored, and as it is looked for. */
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
  // Most agents say at the end again what they said live.
  if (toolOutput !== call.output?.text) texts.push(toolOutput);
  for (const item of content) if (item.type === 'text' && item.text !== toolOutput) texts.push(item.text);
  return [...texts, error?.message ?? ''];
}

/** The head and the tail of what is too long. */
function bounded(text: string): string {
  if (text.length <= MAX_SEARCH_LENGTH) return searchable(text);
  const half = MAX_SEARCH_LENGTH / 2;
  return `${searchable(text.slice(0, half))} … ${searchable(text.slice(-half))}`;
}

/**
 * Keeps the searchable text of the parts that a running turn has dropped from its state: its head and its tail, as for any text that
 * is too long. `follow` has to be called with each state of the session.
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

  /** Whether it has followed the turn from its beginning: else the turn's text is not all there is of it. */
  hasAll({ id, earlierParts = 0 }: ActiveTurn | Turn): boolean {
    return earlierParts === 0 || (id === this.#turnId && this.#steps === earlierParts);
  }

  /** `undefined` where the turn has dropped nothing. */
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
