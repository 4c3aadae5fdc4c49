import {
  INLINE_CONTENT_LIMIT,
  MAX_TEXT_LENGTH,
  MAX_TITLE_LENGTH,
  type ToolCallResult,
  type ToolCallStart,
  type ToolResultContent,
} from '@agenthost/protocol';
import { headAndTail, oneLine } from './boundedText.js';

/** Entries of a result's content; an agent that edits more files at once reports the rest by `changes`. */
const MAX_CONTENT = 200;

/**
 * A call's start as it may go into state. Only what is longer than any client could send back is cut, and then the input
 * can't be edited any more: the rest of it would be lost.
 */
export function boundedToolStart(toolCall: ToolCallStart): ToolCallStart {
  const start = {
    ...toolCall,
    displayName: oneLine(toolCall.displayName, MAX_TITLE_LENGTH),
    invocationMessage: headAndTail(toolCall.invocationMessage, INLINE_CONTENT_LIMIT),
  };
  if (toolCall.toolInput === undefined || toolCall.toolInput.length <= MAX_TEXT_LENGTH) return start;
  const cut = { ...start, toolInput: headAndTail(toolCall.toolInput, MAX_TEXT_LENGTH) };
  return cut.status === 'running' ? cut : { ...cut, confirmation: { ...cut.confirmation, editable: false } };
}

/** A call's result as it may go into state: large output keeps its head and its tail. */
export function boundedToolResult(result: ToolCallResult): ToolCallResult {
  const { toolOutput, content, exitCode, error, ...rest } = result;
  return {
    ...rest,
    pastTenseMessage: headAndTail(result.pastTenseMessage, INLINE_CONTENT_LIMIT),
    ...(toolOutput !== undefined && { toolOutput: headAndTail(toolOutput, INLINE_CONTENT_LIMIT) }),
    ...(content && { content: content.slice(0, MAX_CONTENT).map(boundedContent) }),
    ...(Number.isFinite(exitCode) && exitCode !== undefined && { exitCode }),
    ...(error && { error: { ...error, message: headAndTail(error.message, INLINE_CONTENT_LIMIT) } }),
  };
}

function boundedContent(content: ToolResultContent): ToolResultContent {
  switch (content.type) {
    case 'text':
      return { ...content, text: headAndTail(content.text, INLINE_CONTENT_LIMIT) };
    case 'fileEdit':
      return content.diff === undefined
        ? content
        : { ...content, diff: headAndTail(content.diff, INLINE_CONTENT_LIMIT) };
    case 'contentRef':
      return content;
  }
}
