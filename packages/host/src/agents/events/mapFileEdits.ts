import type { FileEditResultContent, ToolCallResult } from '@agenthost/protocol';
import type { AgentToolResult, WholeEdit } from '../agent.js';

/** Prepares the result for the state, with references to the whole contents of files, or without them. */
export function mapFileEdits(
  result: AgentToolResult,
  refer: (whole: WholeEdit) => Pick<FileEditResultContent, 'before' | 'after'>,
): ToolCallResult {
  const { content, ...rest } = result;
  if (!content) return rest;
  return {
    ...rest,
    content: content.map((piece) => {
      if (piece.type !== 'fileEdit') return piece;
      const { whole, ...edit } = piece;
      return whole ? { ...edit, ...refer(whole) } : edit;
    }),
  };
}
