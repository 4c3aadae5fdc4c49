import type { CallClientToolResult } from '@agenthost/protocol';
import { MAX_TOOL_RESULT_LENGTH } from '@agenthost/protocol/internal';
import { CLIENT_TOOL_SCHEMAS } from '@agenthost/protocol/schemas';
import { headAndTail } from '../agents/events/boundedText.js';
import { describeIssues, FIRST_ISSUE } from '../describeIssues.js';

const MAX_FAILURE_LENGTH = 2_000;

/** What a client answered, checked; or the failure that its answer is (CTOOL6). */
export function readResult(name: string, answer: unknown): CallClientToolResult {
  const { data, error } = CLIENT_TOOL_SCHEMAS.callClientTool.result.safeParse(answer, FIRST_ISSUE);
  if (error) return toolFailure(`The answer of ${name} is not valid: ${describeIssues(error.issues, 'answer')}`);
  const length = data.content.reduce((sum, item) => sum + (item.type === 'text' ? item.text : item.data).length, 0);
  if (length <= MAX_TOOL_RESULT_LENGTH) return data;
  return toolFailure(`The answer of ${name} is too large: ${length} of at most ${MAX_TOOL_RESULT_LENGTH} characters.`);
}

export function toolFailure(message: string): CallClientToolResult {
  return { content: [{ type: 'text', text: headAndTail(message, MAX_FAILURE_LENGTH) }], isError: true };
}
