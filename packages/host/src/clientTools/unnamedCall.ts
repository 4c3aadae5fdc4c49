import type { SessionState } from '@agenthost/protocol';
import { INLINE_CONTENT_LIMIT, sameValue } from '@agenthost/protocol/internal';

/**
 * The running call that a tool was called for, of an agent that does not show the name of the tool: the only one with that input, or
 * the only one that runs. It is for display only.
 */
export function unnamedCall(
  { activeTurn }: SessionState,
  input: unknown,
): { readonly turnId: string; readonly toolCallId: string } | undefined {
  if (!activeTurn) return undefined;
  const running = Object.values(activeTurn.toolCalls).filter(
    ({ status, clientName, toolKind }) => status === 'running' && clientName === undefined && toolKind === undefined,
  );
  const same = running.filter(({ toolInput }) => toolInput !== undefined && isInput(toolInput, input));
  const [call, second] = same.length > 0 ? same : running;
  return call && !second ? { turnId: activeTurn.id, toolCallId: call.toolCallId } : undefined;
}

function isInput(text: string, input: unknown): boolean {
  if (text.length > INLINE_CONTENT_LIMIT) return false;
  try {
    return sameValue(JSON.parse(text), input);
  } catch {
    return false;
  }
}
