import type { ToolCallState } from '@agenthost/protocol';
import { useChat } from '../chatContext.js';
import { AnsweredLine } from './AnsweredLine.js';

/** Who decided about a tool call. Empty if no decision was needed. */
export function ConfirmedLine({ call }: { readonly call: ToolCallState }) {
  const { me } = useChat();
  if (call.status === 'pendingConfirmation' || call.confirmed?.how !== 'user') return null;
  const { by, optionId, at, edited } = call.confirmed;
  const denied = call.status === 'cancelled' && call.cancelled === 'denied';
  const answer = {
    approved: !denied,
    at: at ?? call.startedAt,
    ...(by && { by }),
    ...(optionId !== undefined && { optionId }),
    ...(denied && call.reason !== undefined && { text: call.reason }),
  };
  return <AnsweredLine kind="permission" answer={answer} me={me} isEdited={edited} />;
}
