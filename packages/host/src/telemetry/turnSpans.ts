import type { SessionAction, SessionState, Turn } from '@agenthost/protocol';
import { parseSessionUri } from '@agenthost/protocol';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { errorType, modelName, OTHER_NAME, toolName } from './safeName.js';
import { bounded, inputMessages, outputMessages } from './spanContent.js';

/** Turns that run at once. A host that has more ends the oldest spans early. */
const MAX_TURNS = 1_000;
/** Calls of one turn that run at once; more have no span. */
const MAX_CALLS = 200;

interface OpenTurn {
  readonly span: Span;
  readonly context: Context;
  readonly calls: Map<string, { readonly span: Span; readonly context: Context }>;
}

/** A span for each turn and for each call of a tool, named as the GenAI conventions say. */
export class TurnSpans {
  readonly #tracer: Tracer;
  readonly #withContent: boolean;
  readonly #turns = new Map<string, OpenTurn>();

  constructor(tracer: Tracer, { withContent }: { readonly withContent: boolean }) {
    this.#tracer = tracer;
    this.#withContent = withContent;
  }

  /** Called after each change: most of them are streamed text, which is none of its business. */
  changed(action: SessionAction, before: SessionState, after: SessionState): void {
    switch (action.type) {
      case 'session/turnStarted':
        this.#begin(action, after);
        return;
      case 'session/toolStart':
        this.#beginCall(action, after);
        return;
      case 'session/toolComplete':
        this.#endCall(action, after);
        return;
      case 'session/turnComplete':
      case 'session/turnCancelled':
      case 'session/error':
        if (before.activeTurn && after.activeTurn?.id !== before.activeTurn.id) this.#end(before.activeTurn.id, after);
        return;
      default:
        return;
    }
  }

  /** What still runs is told as far as it has come. */
  dispose(): void {
    for (const key of [...this.#turns.keys()]) this.#drop(key);
  }

  #begin(action: Extract<SessionAction, { type: 'session/turnStarted' }>, { summary }: SessionState): void {
    const { provider, resource } = summary;
    const model = modelName(action.model);
    const sessionId = parseSessionUri(resource)?.sessionId;
    const attributes: Attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': provider,
      'gen_ai.agent.name': provider,
      ...(sessionId !== undefined && { 'gen_ai.conversation.id': sessionId }),
      ...(model !== undefined && { 'gen_ai.request.model': model }),
      ...(this.#withContent && { 'gen_ai.input.messages': inputMessages(action.userMessage) }),
    };
    const options = { kind: SpanKind.CLIENT, attributes, startTime: action.at };
    const span = this.#tracer.startSpan(`invoke_agent ${provider}`, options, ROOT_CONTEXT);
    const key = keyOf(resource, action.turnId);
    this.#drop(key);
    this.#turns.set(key, { span, context: trace.setSpan(ROOT_CONTEXT, span), calls: new Map() });
    const [oldest] = this.#turns.keys();
    if (this.#turns.size > MAX_TURNS && oldest !== undefined) this.#drop(oldest);
  }

  #beginCall(action: Extract<SessionAction, { type: 'session/toolStart' }>, { summary }: SessionState): void {
    const turn = this.#turns.get(keyOf(summary.resource, action.turnId));
    if (!turn || turn.calls.size >= MAX_CALLS) return;
    const { toolCallId, toolName: given, parentToolCallId, clientName, toolInput } = action.toolCall;
    const name = toolName(given);
    const attributes: Attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.type': clientName === undefined ? 'function' : 'extension',
      'gen_ai.agent.name': summary.provider,
      ...(this.#withContent && toolInput !== undefined && { 'gen_ai.tool.call.arguments': bounded(toolInput) }),
    };
    const within = (parentToolCallId === undefined ? undefined : turn.calls.get(parentToolCallId)) ?? turn;
    const options = { kind: SpanKind.INTERNAL, attributes, startTime: action.at };
    const span = this.#tracer.startSpan(`execute_tool ${name}`, options, within.context);
    turn.calls.set(toolCallId, { span, context: trace.setSpan(within.context, span) });
  }

  #endCall(
    action: Extract<SessionAction, { type: 'session/toolComplete' }>,
    { summary, activeTurn }: SessionState,
  ): void {
    const turn = this.#turns.get(keyOf(summary.resource, action.turnId));
    const call = turn?.calls.get(action.toolCallId);
    if (!turn || !call) return;
    turn.calls.delete(action.toolCallId);
    const { success, toolOutput } = action.result;
    const ended = this.#withContent ? activeTurn?.toolCalls[action.toolCallId] : undefined;
    const output = toolOutput ?? (ended && 'output' in ended ? ended.output?.text : undefined);
    if (this.#withContent && output !== undefined) call.span.setAttribute('gen_ai.tool.call.result', bounded(output));
    if (!success) failed(call.span, 'toolFailed');
    call.span.end(action.at);
  }

  #end(turnId: string, { summary, turns }: SessionState): void {
    const key = keyOf(summary.resource, turnId);
    const open = this.#turns.get(key);
    const turn = turns.findLast(({ id }) => id === turnId);
    if (!open || !turn) return;
    this.#turns.delete(key);
    for (const { span } of open.calls.values()) {
      failed(span, 'turnEnded');
      span.end(turn.endedAt);
    }
    open.span.setAttributes(this.#endOf(turn));
    if (turn.state === 'error') failed(open.span, errorType(turn.error?.errorType));
    open.span.end(turn.endedAt);
  }

  #endOf(turn: Turn): Attributes {
    const { inputTokens, outputTokens, model } = turn.usage ?? {};
    const used = modelName(model);
    return {
      'agenthost.turn.outcome': turn.state,
      ...(isCount(inputTokens) && { 'gen_ai.usage.input_tokens': inputTokens }),
      ...(isCount(outputTokens) && { 'gen_ai.usage.output_tokens': outputTokens }),
      ...(used !== undefined && { 'gen_ai.response.model': used }),
      ...(this.#withContent && { 'gen_ai.output.messages': outputMessages(turn) }),
    };
  }

  #drop(key: string): void {
    const open = this.#turns.get(key);
    if (!open) return;
    this.#turns.delete(key);
    for (const { span } of [...open.calls.values(), open]) {
      span.setAttribute('error.type', OTHER_NAME);
      span.end();
    }
  }
}

/** Without a message: the words of an error may have paths and output. */
function failed(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value >= 0;
}

function keyOf(session: string, turnId: string): string {
  return `${session}\0${turnId}`;
}
