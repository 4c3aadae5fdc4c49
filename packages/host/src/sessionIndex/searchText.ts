import { stripVTControlCharacters } from 'node:util';
import type { ActiveTurn, ResponsePart, ToolCallState, Turn } from '@agenthost/protocol';

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
