import {
  type ContentRef,
  MAX_TEXT_LENGTH,
  type ToolCallResult,
  type ToolCallStart,
  type ToolError,
  type ToolResultContent,
} from '@agenthost/protocol';
import {
  INLINE_CONTENT_LIMIT,
  INLINE_MESSAGE_LIMIT,
  MAX_TITLE_LENGTH,
  MAX_URI_LENGTH,
} from '@agenthost/protocol/internal';
import { headAndTail, oneLine } from './boundedText.js';

/** Stores a text that is too long for the state and returns its reference; `undefined` when it can't be stored. */
export type KeepText = (text: string) => ContentRef | undefined;

/** Maximum number of entries of a result's content; an agent that edits more files reports the rest by `changes`. */
const MAX_CONTENT = 200;
/** Bytes of all texts of a result together; each keeps at least the second number. */
const INLINE_RESULT_LIMIT = 65_536;
const MIN_INLINE = 512;
const MAX_LANGUAGE_LENGTH = 100;

const keepNothing: KeepText = () => undefined;

/**
 * Bounds a call's start for the state. A long input keeps its head and tail, with a reference to all of it. Then it can't be
 * edited, because an editor would send back only the shown part. An input that waits for an answer is cut later.
 */
export function boundedToolStart(toolCall: ToolCallStart, keep: KeepText = keepNothing): ToolCallStart {
  const { language } = toolCall;
  const start = {
    ...toolCall,
    toolName: oneLine(toolCall.toolName, MAX_TITLE_LENGTH),
    displayName: oneLine(toolCall.displayName, MAX_TITLE_LENGTH),
    invocationMessage: headAndTail(toolCall.invocationMessage, INLINE_CONTENT_LIMIT),
    ...(language !== undefined && { language: language.slice(0, MAX_LANGUAGE_LENGTH) }),
  };
  const input = boundedInput(toolCall, keep);
  if (start.status === 'running') return { ...start, ...input };
  const { title, ...confirmation } = start.confirmation;
  return {
    ...start,
    ...input,
    confirmation: {
      ...confirmation,
      ...(title !== undefined && { title: oneLine(title, MAX_TITLE_LENGTH) }),
      ...(input.toolInput !== toolCall.toolInput && { editable: false }),
    },
  };
}

function boundedInput(
  { status, toolInput }: ToolCallStart,
  keep: KeepText,
): Pick<ToolCallStart, 'toolInput' | 'toolInputRef'> {
  if (toolInput === undefined) return {};
  const limit = status === 'running' ? INLINE_CONTENT_LIMIT : INLINE_MESSAGE_LIMIT;
  if (!isLonger(toolInput, limit)) return { toolInput };
  const toolInputRef = keep(toolInput);
  // The rest can't be read then.
  if (!toolInputRef) return { toolInput: headAndTail(toolInput, MAX_TEXT_LENGTH) };
  return { toolInput: headAndTail(toolInput, INLINE_CONTENT_LIMIT), toolInputRef };
}

/** Bounds a call's result for the state: large output keeps its head and tail, followed by a reference to all of it. */
export function boundedToolResult(result: ToolCallResult, keep: KeepText = keepNothing): ToolCallResult {
  const { toolOutput, content, exitCode, error, ...rest } = result;
  let room = INLINE_RESULT_LIMIT;
  const bounded = (text: string): [text: string, refs: ToolResultContent[]] => {
    const allowed = Math.max(Math.min(INLINE_CONTENT_LIMIT, room), MIN_INLINE);
    const cut = headAndTail(text, allowed);
    room -= Buffer.byteLength(cut);
    const ref = cut === text ? undefined : keep(text);
    return [cut, ref ? [{ type: 'contentRef', ref }] : []];
  };
  const boundedContent = (entry: ToolResultContent): ToolResultContent[] => {
    if (entry.type === 'contentRef') return [entry];
    if (entry.type === 'text') {
      const [text, refs] = bounded(entry.text);
      return [{ ...entry, text }, ...refs];
    }
    room -= entry.uri.length;
    if (entry.diff === undefined) return [entry];
    const [diff, refs] = bounded(entry.diff);
    return [{ ...entry, diff }, ...refs];
  };
  const [output, outputRefs] = toolOutput === undefined ? [undefined, []] : bounded(toolOutput);
  const entries = (content ?? []).slice(0, MAX_CONTENT).filter((entry) => !hasLongUri(entry));
  const kept = [...entries.flatMap(boundedContent), ...outputRefs];
  return {
    ...rest,
    pastTenseMessage: headAndTail(result.pastTenseMessage, INLINE_CONTENT_LIMIT),
    ...(output !== undefined && { toolOutput: output }),
    ...((content || kept.length > 0) && { content: kept }),
    ...(Number.isFinite(exitCode) && exitCode !== undefined && { exitCode }),
    ...(error && { error: boundedError(error) }),
  };
}

function boundedError({ message, code }: ToolError): ToolError {
  return {
    message: headAndTail(message, INLINE_CONTENT_LIMIT),
    ...(code !== undefined && { code: oneLine(code, MAX_TITLE_LENGTH) }),
  };
}

function hasLongUri(entry: ToolResultContent): boolean {
  return entry.type === 'fileEdit' && entry.uri.length > MAX_URI_LENGTH;
}

function isLonger(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}
