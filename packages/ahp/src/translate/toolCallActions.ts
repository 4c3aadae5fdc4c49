import type { AhpAction, AhpCompletedCall, AhpPendingCall, AhpRunningCall, AhpToolCall } from '../types.js';

/** Who answered a waiting call, if it was answered by that and not by something else. */
export interface CallAnswer {
  readonly approved: boolean;
  readonly optionId?: string;
}

/**
 * The actions that lead a client from one state of a call to another. One step of ours can be several of AHP's: a call that we
 * announce whole is begun and then made ready.
 */
export function toolCallActions(
  turnId: string,
  before: AhpToolCall | undefined,
  after: AhpToolCall,
  answer?: CallAnswer,
): AhpAction[] {
  const ids = { turnId, toolCallId: after.toolCallId };
  if (!before) return [startOf(ids, after), ...stepsTo(ids, after)];
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (before.status === 'completed' || before.status === 'cancelled') return [];
  if (before.status === 'pending-confirmation') return fromPending(ids, before, after, answer);
  if (after.status === 'completed') return [complete(ids, after)];
  if (after.status === 'running' && sameButContent(before, after)) return content(ids, after);
  return stepsTo(ids, after);
}

type Ids = { readonly turnId: string; readonly toolCallId: string };

function startOf(ids: Ids, { toolName, displayName, _meta }: AhpToolCall): AhpAction {
  return { type: 'chat/toolCallStart', ...ids, toolName, displayName, _meta };
}

/** From a call that has begun, or runs. */
function stepsTo(ids: Ids, after: AhpToolCall): AhpAction[] {
  switch (after.status) {
    case 'pending-confirmation':
      return [ready(ids, after)];
    case 'running':
      return [ready(ids, after), ...content(ids, after)];
    case 'completed':
      return [ready(ids, { ...after, status: 'running' }), complete(ids, after)];
    case 'cancelled':
      return [ready(ids, { ...after, status: 'pending-confirmation' }), denied(ids, after)];
  }
}

function fromPending(
  ids: Ids,
  before: AhpPendingCall,
  after: AhpToolCall,
  answer: CallAnswer | undefined,
): AhpAction[] {
  if (after.status === 'cancelled') return [denied(ids, after)];
  // What a client keeps of the earlier question must be removed before another one is asked.
  if (after.status === 'pending-confirmation') {
    return [ready(ids, { ...before, status: 'running', confirmed: 'not-needed' }), ready(ids, after)];
  }
  const confirmed = after.status === 'running' || after.status === 'completed' ? after.confirmed : 'not-needed';
  const isPlainYes =
    answer?.approved === true && after.invocationMessage.markdown === before.invocationMessage.markdown;
  const running: AhpAction = isPlainYes
    ? {
        type: 'chat/toolCallConfirmed',
        ...ids,
        approved: true,
        confirmed,
        ...(after.toolInput !== before.toolInput && { editedToolInput: after.toolInput }),
        _meta: after._meta,
      }
    : ready(ids, { ...after, status: 'running', confirmed });
  return [running, ...(after.status === 'completed' ? [complete(ids, after)] : content(ids, after))];
}

function ready(ids: Ids, call: AhpPendingCall | Omit<AhpRunningCall, 'content'>): AhpAction {
  const { invocationMessage, toolInput } = call;
  const rest =
    call.status === 'running'
      ? { confirmed: call.confirmed }
      : {
          ...(call.confirmationTitle !== undefined && { confirmationTitle: call.confirmationTitle }),
          ...(call.editable !== undefined && { editable: call.editable }),
          ...(call.options && { options: call.options }),
        };
  return {
    type: 'chat/toolCallReady',
    ...ids,
    invocationMessage,
    toolInput,
    _meta: call._meta,
    ...rest,
  };
}

function denied(ids: Ids, call: Extract<AhpToolCall, { status: 'cancelled' }>): AhpAction {
  return {
    type: 'chat/toolCallConfirmed',
    ...ids,
    approved: false,
    reason: call.reason,
    ...(call.reasonMessage !== undefined && { reasonMessage: call.reasonMessage }),
    _meta: call._meta,
  };
}

function complete(ids: Ids, { success, pastTenseMessage, content, error }: AhpCompletedCall): AhpAction {
  const result = { success, pastTenseMessage, ...(content && { content }), ...(error && { error }) };
  return { type: 'chat/toolCallComplete', ...ids, result };
}

function content(ids: Ids, call: AhpToolCall): AhpAction[] {
  if (call.status !== 'running' || !call.content) return [];
  return [{ type: 'chat/toolCallContentChanged', ...ids, content: call.content }];
}

function sameButContent(before: AhpToolCall, after: AhpRunningCall): boolean {
  const bare = (call: AhpToolCall) => JSON.stringify({ ...call, content: undefined });
  return after.content !== undefined && bare(before) === bare(after);
}
