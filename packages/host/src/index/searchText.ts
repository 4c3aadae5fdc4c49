import { stripVTControlCharacters } from 'node:util';
import type { ActiveTurn, ResponsePart, ToolCallState, Turn } from '@agenthost/protocol';

/** What is said and what tools did have a limit each, in UTF-16 code units, so that neither hides the other. */
const MAX_LENGTH = 32_768;

// biome-ignore lint/suspicious/noControlCharactersInRegex: SQLite ends a text at NUL, and nobody searches for the others.
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f]+/g;

/** What of a turn can be found: what people and the agent said, then the tools' input and output. Not its reasoning. */
export function searchText({ userMessage, responseParts, toolCalls }: Turn | ActiveTurn): string {
  const said = [userMessage.text, ...responseParts.map(textOfPart)];
  const done = Object.values<ToolCallState>(toolCalls).flatMap(textsOfCall);
  return [said, done].map((texts) => bounded(texts.filter(Boolean).join('\n'))).join('\n');
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
  if (text.length <= MAX_LENGTH) return searchable(text);
  return `${searchable(text.slice(0, MAX_LENGTH / 2))} … ${searchable(text.slice(-MAX_LENGTH / 2))}`;
}
