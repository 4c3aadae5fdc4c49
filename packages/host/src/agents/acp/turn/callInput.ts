// Describes what a call would do, for the person who approves it. An approval belongs to exactly what was shown, so nothing is left
// out without a note.

import { boundedInput } from '../../events/boundedInput.js';
import { oneLine } from '../../events/boundedText.js';
import { jsonText } from '../../events/jsonText.js';
import type { ToolCallFields } from '../updateSchemas.js';
import { blockText } from './contentBlocks.js';

/** The maximum length in a title. */
const MAX_DETAILS = 400;
/** Fields of a command's input that are not shown as details: the command itself is shown, and the others describe it. */
const COMMAND_WORDS: ReadonlySet<string> = new Set(['command', 'cmd', 'description', 'title', 'justification']);

export interface CallInput {
  readonly toolInput: string;
  readonly language: 'json' | 'markdown';
}

/** The input of a call that is neither a command nor an edit: its arguments, and the agent's text beside them. */
export function callInput(fields: ToolCallFields, isAsked: boolean): CallInput | undefined {
  const args = argumentsText(fields.rawInput);
  // While a call runs, its content is its result.
  const content = isAsked ? contentTexts(fields).join('\n') : '';
  if (content === '' || args === content) {
    return args === undefined ? undefined : { toolInput: boundedInput(args), language: 'json' };
  }
  if (args === undefined) return { toolInput: boundedInput(content), language: isJson(content) ? 'json' : 'markdown' };
  return { toolInput: boundedInput(`${args}\n\n${content}`), language: 'markdown' };
}

/** Other settings of a command, for example another folder. */
export function commandDetails({ rawInput }: ToolCallFields): string {
  if (typeof rawInput !== 'object' || rawInput === null || Array.isArray(rawInput)) return '';
  const others = Object.entries(rawInput).filter(([name, value]) => !COMMAND_WORDS.has(name) && !isNothing(value));
  const words = others.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : jsonText(value)}`);
  return oneLine(words.join(', '), MAX_DETAILS);
}

/** Whether the agent shows nothing of a call's input. */
export function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function argumentsText(rawInput: unknown): string | undefined {
  if (typeof rawInput === 'string') return rawInput === '' ? undefined : rawInput;
  return typeof rawInput !== 'object' || isNothing(rawInput) ? undefined : jsonText(rawInput);
}

function contentTexts({ content = [] }: ToolCallFields): string[] {
  return content.flatMap(({ content: block }) => (block ? [blockText(block)] : [])).filter((text) => text !== '');
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** How many entries of `_meta` are looked at. */
const MAX_META = 20;
const MAX_ID = 1_000;

/**
 * The call that started the sub-agent which makes a call. The protocol has no field for it: agents have one of these, each in an
 * entry of its own (`_meta.theAgent.parentToolUseId`).
 */
export function starterOf(meta: ToolCallFields['_meta']): string | undefined {
  if (!meta) return undefined;
  for (const entry of [meta, ...Object.values(meta).slice(0, MAX_META)]) {
    if (typeof entry !== 'object' || entry === null) continue;
    const { parentToolUseId, parentToolCallId = parentToolUseId } = entry as Record<string, unknown>;
    if (typeof parentToolCallId === 'string' && parentToolCallId !== '' && parentToolCallId.length <= MAX_ID)
      return parentToolCallId;
  }
  return undefined;
}
