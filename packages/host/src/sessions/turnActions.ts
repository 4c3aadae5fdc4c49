import {
  type CompletedToolCall,
  type ContentRef,
  type ResponsePart,
  type SessionAction,
  TOOL_OUTPUT_HEAD,
  TOOL_OUTPUT_TAIL,
  type ToolCallResult,
  type ToolOutput,
  type ToolResultContent,
  type Turn,
  type URI,
  type UserMessage,
  viewToolOutput,
} from '@agenthost/protocol';

/** A reference of the other session as one of this session; `undefined` where the content did not come with it. */
export type MoveRef = (ref: ContentRef) => ContentRef | undefined;

/**
 * The actions that make this turn of a session. What refers to content that did not come with it is left out, and so is who
 * did something: that is the host's word, and it was not there.
 */
export function turnActions(turn: Turn, session: URI, moveRef: MoveRef = () => undefined): SessionAction[] {
  const { id: turnId, startedAt, endedAt, userMessage, usage } = turn;
  const start = { session, turnId, at: startedAt };
  const end = { session, turnId, at: endedAt };
  return [
    { ...start, type: 'session/turnStarted', userMessage: movedMessage(userMessage, moveRef) },
    ...turn.responseParts.flatMap((part) => partActions(part, { turn, session, moveRef })),
    ...(usage ? [{ ...end, type: 'session/usage' as const, usage }] : []),
    turn.state === 'error'
      ? {
          ...end,
          type: 'session/error',
          error: turn.error ?? { errorType: 'unknown', message: 'The turn ended with an error.' },
        }
      : { ...end, type: turn.state === 'complete' ? 'session/turnComplete' : 'session/turnCancelled' },
  ];
}

interface Context {
  readonly turn: Turn;
  readonly session: URI;
  readonly moveRef: MoveRef;
}

function partActions(part: ResponsePart, { turn, session, moveRef }: Context): SessionAction[] {
  const base = { session, turnId: turn.id, at: turn.startedAt };
  if (part.kind === 'toolCall') {
    const call = turn.toolCalls.find(({ toolCallId }) => toolCallId === part.toolCallId);
    return call ? callActions(call, base, moveRef) : [];
  }
  if (part.kind === 'contentRef') {
    const ref = moveRef(part.ref);
    if (ref) return [{ ...base, type: 'session/responsePart', part: { ...part, ref } }];
    const text = `Content that was not imported: ${part.ref.mimeType ?? 'of an unknown kind'}.`;
    return [{ ...base, type: 'session/responsePart', part: { kind: 'notice', id: part.id, text, severity: 'info' } }];
  }
  if (part.kind === 'steering') {
    const { by: _, ...steering } = part;
    const anonymous = { ...steering, userMessage: movedMessage(part.userMessage, moveRef) };
    return [{ ...base, type: 'session/responsePart', part: anonymous }];
  }
  return [{ ...base, type: 'session/responsePart', part }];
}

function callActions(
  call: CompletedToolCall,
  base: { readonly session: URI; readonly turnId: string },
  moveRef: MoveRef,
): SessionAction[] {
  const { toolCallId, toolName, displayName, invocationMessage, toolKind, language, toolInput } = call;
  const shown = {
    toolCallId,
    toolName,
    displayName,
    invocationMessage,
    ...(toolKind !== undefined && { toolKind }),
    ...(language !== undefined && { language }),
    ...(toolInput !== undefined && { toolInput }),
  };
  const start = { ...base, type: 'session/toolStart', at: call.startedAt } as const;
  const wasAsked: SessionAction = { ...start, toolCall: { ...shown, status: 'pendingConfirmation', confirmation: {} } };
  const option = call.confirmed?.optionId === undefined ? {} : { optionId: call.confirmed.optionId };
  if (call.status === 'cancelled' && call.cancelled === 'denied') {
    const reason = call.reason === undefined ? {} : { reason: call.reason };
    const denied = { type: 'session/toolCallConfirmed', toolCallId, approved: false } as const;
    return [wasAsked, { ...base, ...denied, ...option, ...reason, at: call.endedAt }];
  }
  if (!call.confirmed) return [wasAsked];
  const ran: SessionAction[] = [
    { ...start, toolCall: { ...shown, status: 'running', confirmed: { how: call.confirmed.how, ...option } } },
  ];
  const output = outputText(call.output);
  if (output !== '') ran.push({ ...base, type: 'session/toolUpdate', toolCallId, output, at: call.startedAt });
  if (call.status === 'completed') {
    const result = movedResult(call.result, moveRef);
    ran.push({ ...base, type: 'session/toolComplete', toolCallId, result, at: call.endedAt });
  }
  return ran;
}

/** In a text of its own, so that nobody asks for the rest of it. */
function outputText(output: ToolOutput | undefined): string {
  if (!output) return '';
  const { head, omitted, tail } = viewToolOutput(output);
  if (omitted === 0) return head;
  const gap = `\n… ${omitted} characters were not imported …\n`;
  const kept = TOOL_OUTPUT_HEAD + TOOL_OUTPUT_TAIL - head.length - gap.length;
  return head + gap + tail.slice(-kept);
}

/** What is left of a long text that did not come is its head and its tail. */
function movedMessage({ textRef, attachments, ...message }: UserMessage, moveRef: MoveRef): UserMessage {
  const movedText = textRef && moveRef(textRef);
  return {
    ...message,
    ...(movedText && { textRef: movedText }),
    ...(attachments && {
      attachments: attachments.map(({ ref, ...attachment }) => {
        const moved = ref && moveRef(ref);
        return { ...attachment, ...(moved && { ref: moved }) };
      }),
    }),
  };
}

function movedResult(result: ToolCallResult, moveRef: MoveRef): ToolCallResult {
  if (!result.content) return result;
  const content = result.content.flatMap((piece): ToolResultContent[] => {
    if (piece.type === 'text') return [piece];
    if (piece.type === 'contentRef') {
      const ref = moveRef(piece.ref);
      return ref ? [{ ...piece, ref }] : [];
    }
    const { before: _, after: __, ...edit } = piece;
    return [edit];
  });
  return { ...result, content };
}
