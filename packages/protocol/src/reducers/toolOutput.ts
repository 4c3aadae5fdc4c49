import { TOOL_OUTPUT_HEAD, TOOL_OUTPUT_TAIL } from '../limits.js';
import type { ToolOutput } from '../types/toolCalls.js';

const KEPT = TOOL_OUTPUT_HEAD + TOOL_OUTPUT_TAIL;

/**
 * Appends to live output. The result depends on the whole text alone, not on how it was cut into chunks: the log merges
 * chunks, and what it replays must equal what clients computed live.
 */
export function appendToolOutput(output: ToolOutput | undefined, chunk: string): ToolOutput {
  const text = (output?.text ?? '') + chunk;
  if (text.length <= KEPT) return { ...output, text };
  const omitted = (output?.omitted ?? 0) + text.length - KEPT;
  return {
    ...output,
    text: text.slice(0, TOOL_OUTPUT_HEAD) + text.slice(text.length - TOOL_OUTPUT_TAIL),
    truncated: true,
    omitted,
  };
}

export interface ToolOutputView {
  readonly head: string;
  /** Code units that are missing between head and tail; 0 when nothing is, and then all text is in `head`. */
  readonly omitted: number;
  readonly tail: string;
}

/** Splits live output where something is missing, and drops a half surrogate pair at either side of the gap. */
export function viewToolOutput(output: ToolOutput): ToolOutputView {
  if (!output.omitted) return { head: output.text, omitted: 0, tail: '' };
  return {
    head: output.text.slice(0, TOOL_OUTPUT_HEAD).replace(/[\uD800-\uDBFF]$/, ''),
    omitted: output.omitted,
    tail: output.text.slice(TOOL_OUTPUT_HEAD).replace(/^[\uDC00-\uDFFF]/, ''),
  };
}
