import {
  type CompletedToolCall,
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

// The actions that make a turn of a session. What refers to content of the session that it comes from is left out, and so is who
// did something: that is the host's word, and it was not there.

export function turnStart({ id: turnId, startedAt: at, userMessage }: Turn, session: URI): SessionAction {
  return { type: 'session/turnStarted', session, turnId, at, userMessage: withoutMessageRefs(userMessage) };
}

/** The parts that it has, which may be some of all. */
export function turnParts(turn: Turn, session: URI): SessionAction[] {
  const calls = new Map(turn.toolCalls.map((call) => [call.toolCallId, call]));
  return turn.responseParts.flatMap((part) => partActions(part, turn, calls, session));
}

export function turnEnd({ id: turnId, endedAt: at, usage, state, error }: Turn, session: URI): SessionAction[] {
  const base = { session, turnId, at };
  const unknown = { errorType: 'unknown', message: 'The turn ended with an error.' };
  return [
    ...(usage ? [{ ...base, type: 'session/usage' as const, usage }] : []),
    state === 'error'
      ? { ...base, type: 'session/error', error: error ?? unknown }
      : { ...base, type: state === 'complete' ? 'session/turnComplete' : 'session/turnCancelled' },
  ];
}

/** In place of parts that did not come along. */
export function missingParts({ id: turnId, startedAt: at }: Turn, count: number, session: URI): SessionAction {
  const text = `${count.toLocaleString('en')} earlier steps of this turn were not imported.`;
  const part = { kind: 'notice', id: `missing-${count}`, text, severity: 'info' } as const;
  return { type: 'session/responsePart', session, turnId, at, part };
}

function partActions(
  part: ResponsePart,
  turn: Turn,
  calls: ReadonlyMap<string, CompletedToolCall>,
  session: URI,
): SessionAction[] {
  const base = { session, turnId: turn.id, at: turn.startedAt };
  if (part.kind === 'toolCall') {
    const call = calls.get(part.toolCallId);
    return call ? callActions(call, base) : [];
  }
  if (part.kind === 'contentRef') {
    const text = `Content that was not imported: ${part.ref.mimeType ?? 'of an unknown kind'}.`;
    return [{ ...base, type: 'session/responsePart', part: { kind: 'notice', id: part.id, text, severity: 'info' } }];
  }
  if (part.kind === 'steering') {
    const { by: _, ...steering } = part;
    const anonymous = { ...steering, userMessage: withoutMessageRefs(part.userMessage) };
    return [{ ...base, type: 'session/responsePart', part: anonymous }];
  }
  return [{ ...base, type: 'session/responsePart', part }];
}

function callActions(
  call: CompletedToolCall,
  base: { readonly session: URI; readonly turnId: string },
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
    ran.push({ ...base, type: 'session/toolComplete', toolCallId, result: withoutRefs(call.result), at: call.endedAt });
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

/** What is left of a long text is its head and its tail. */
function withoutMessageRefs({ textRef: _, attachments, ...message }: UserMessage): UserMessage {
  if (!attachments) return message;
  return { ...message, attachments: attachments.map(({ ref: __, ...attachment }) => attachment) };
}

function withoutRefs(result: ToolCallResult): ToolCallResult {
  if (!result.content) return result;
  const content = result.content.flatMap((piece): ToolResultContent[] => {
    if (piece.type === 'contentRef') return [];
    if (piece.type === 'text') return [piece];
    const { before: _, after: __, ...edit } = piece;
    return [edit];
  });
  return { ...result, content };
}
