import type {
  CompletedToolCall,
  ContentRef,
  ResponsePart,
  SessionAction,
  ToolCallResult,
  ToolOutput,
  ToolResultContent,
  Turn,
  URI,
  UserMessage,
} from '@agenthost/protocol';
import { TOOL_OUTPUT_HEAD, TOOL_OUTPUT_TAIL, viewToolOutput } from '@agenthost/protocol/internal';

/** A reference of the other session as one of this session; `undefined` if the content was not imported. */
export type MoveRef = (ref: ContentRef) => ContentRef | undefined;

const moveNothing: MoveRef = () => undefined;

// The actions that create an imported turn. References to content that was not imported are left out, and so are authors: only
// the host that saw them can say who they were.

export function turnStart(turn: Turn, session: URI, moveRef: MoveRef = moveNothing): SessionAction {
  const { id: turnId, startedAt: at, userMessage, origin } = turn;
  const message = movedMessage(userMessage, moveRef);
  return { type: 'session/turnStarted', session, turnId, at, userMessage: message, ...(origin && { origin }) };
}

/** The parts of the turn, possibly only some of them. */
export function turnParts(turn: Turn, session: URI, moveRef: MoveRef = moveNothing): SessionAction[] {
  const calls = new Map(turn.toolCalls.map((call) => [call.toolCallId, call]));
  return turn.responseParts.flatMap((part) => partActions(part, { turn, calls, session, moveRef }));
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

/** A notice in place of parts that were not imported. */
export function missingParts({ id: turnId, startedAt: at }: Turn, count: number, session: URI): SessionAction {
  const text = `${count.toLocaleString('en')} earlier steps of this turn were not imported.`;
  const part = { kind: 'notice', id: `missing-${count}`, text, severity: 'info' } as const;
  return { type: 'session/responsePart', session, turnId, at, part };
}

interface Context {
  readonly turn: Turn;
  readonly calls: ReadonlyMap<string, CompletedToolCall>;
  readonly session: URI;
  readonly moveRef: MoveRef;
}

function partActions(part: ResponsePart, { turn, calls, session, moveRef }: Context): SessionAction[] {
  const base = { session, turnId: turn.id, at: turn.startedAt };
  if (part.kind === 'toolCall') {
    const call = calls.get(part.toolCallId);
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
  const { toolCallId, toolName, displayName, invocationMessage, toolKind, language, toolInput, parentToolCallId } =
    call;
  const shown = {
    toolCallId,
    toolName,
    displayName,
    invocationMessage,
    ...(toolKind !== undefined && { toolKind }),
    ...(language !== undefined && { language }),
    ...(toolInput !== undefined && { toolInput }),
    ...(parentToolCallId !== undefined && { parentToolCallId }),
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

/** The text itself, so that no client requests the rest of it. */
function outputText(output: ToolOutput | undefined): string {
  if (!output) return '';
  const { head, omitted, tail } = viewToolOutput(output);
  if (omitted === 0) return head;
  const gap = `\n… ${omitted} characters were not imported …\n`;
  const kept = TOOL_OUTPUT_HEAD + TOOL_OUTPUT_TAIL - head.length - gap.length;
  return head + gap + tail.slice(-kept);
}

/** The head and the tail of a long text whose content was not imported. */
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
