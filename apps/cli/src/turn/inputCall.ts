import type { SessionState, ToolCallState } from '@agenthost/protocol';

/** The running call that one can type into; the newest of several. */
export function inputCall({ activeTurn }: Pick<SessionState, 'activeTurn'>): ToolCallState | undefined {
  const calls = Object.values(activeTurn?.toolCalls ?? {});
  return calls.findLast(({ status, takesInput }) => status === 'running' && takesInput);
}
