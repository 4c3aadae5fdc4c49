import { randomUUID } from 'node:crypto';
import type {
  ActiveTurn,
  ContentRef,
  ErrorInfo,
  FileChangeSummary,
  PermissionRequest,
  ToolCallResult,
  ToolCallStart,
  UsageInfo,
} from '@agenthost/protocol';
import { INLINE_CONTENT_LIMIT, MAX_TITLE_LENGTH, MAX_URI_LENGTH } from '@agenthost/protocol/internal';
import type { AgentContent, AgentEvent, AgentToolResult } from '../agent.js';
import type { AgentAction } from './agentAction.js';
import { askedForm } from './askedForm.js';
import { headAndTail, oneLine, pieces } from './boundedText.js';
import { boundedToolResult, boundedToolStart } from './boundedToolCall.js';
import { mapFileEdits } from './mapFileEdits.js';
import { mapSessionEvent } from './mapSessionEvent.js';
import { AgentIds, OpenSteps, SubAgents, TextParts } from './turnMemory.js';

export type { AgentAction };

export interface MappedEvent {
  readonly actions: readonly AgentAction[];
  /** Set when the turn has to end, with the reason: too many steps are open, or were made. */
  readonly flood?: string;
  /** Something to keep with the session. There is no action: the host stores it and then reports it. */
  readonly artifact?: AgentArtifact;
}

/** Artifacts of agents that are not part of the conversation. */
export type AgentArtifact =
  | { readonly kind: 'plan'; readonly markdown: string }
  | { readonly kind: 'checkpoint'; readonly title: string; readonly markdown: string }
  | { readonly kind: 'file' | 'research'; readonly name: string; readonly content: string | Uint8Array };

/** A reference to stored bytes, or the notice that says why they are not kept; no text after enough notices. */
export type KeptContent = { readonly ref: ContentRef } | { readonly refused: string | undefined };

export interface AgentEventMapperOptions {
  readonly turnId: string;
  /** Called for an event that has no place, e.g. an update of an unknown call. It was dropped. */
  readonly onDropped?: (event: AgentEvent, reason: string) => void;
  /** The part of a result that goes into the state. Large output may be replaced by a reference here. */
  readonly boundResult?: (result: AgentToolResult) => ToolCallResult;
  /** The same for the start of a call. */
  readonly boundStart?: (toolCall: ToolCallStart) => ToolCallStart;
  /** Stores bytes of this turn. Without it none are kept. */
  readonly keepContent?: (content: AgentContent) => KeptContent;
  readonly newId?: () => string;
}

/** A piece of output is one frame, and stays far below the limit of a frame. */
const MAX_OUTPUT_LENGTH = 65_536;
/** Maximum number of changed files per session, and length of their names: they are in every list of sessions. */
export const MAX_CHANGES = 500;
const MAX_CHANGES_LENGTH = 65_536;
/** Maximum number of parts and calls of one turn. The ids of all of them are remembered while it runs. */
const MAX_TURN_STEPS = 200_000;
const MAX_OPTIONS = 100;
const NOTHING: MappedEvent = { actions: [] };

/** Maps the events of one turn to actions. It never throws; invalid events are dropped and reported. */
export class AgentEventMapper {
  readonly #turnId: string;
  readonly #onDropped: (event: AgentEvent, reason: string) => void;
  readonly #boundResult: (result: AgentToolResult) => ToolCallResult;
  readonly #boundStart: (toolCall: ToolCallStart) => ToolCallStart;
  readonly #keepContent: (content: AgentContent) => KeptContent;
  readonly #newId: () => string;
  readonly #ids: AgentIds;
  /** By the agent's ids. `replaceable`: the call runs and was never asked about (rule TOOL3). */
  readonly #calls = new Map<string, 'replaceable' | 'open' | 'complete'>();
  readonly #texts: TextParts;
  readonly #open = new OpenSteps();
  readonly #subAgents = new SubAgents();
  #steps = 0;
  #ended = false;

  constructor(options: AgentEventMapperOptions) {
    this.#turnId = options.turnId;
    this.#onDropped = options.onDropped ?? (() => {});
    this.#boundResult = options.boundResult ?? ((result) => boundedToolResult(mapFileEdits(result, () => ({}))));
    this.#boundStart = options.boundStart ?? boundedToolStart;
    this.#keepContent = options.keepContent ?? (() => ({ refused: 'An image or a file was not kept.' }));
    this.#newId = options.newId ?? randomUUID;
    this.#ids = new AgentIds(options.newId);
    this.#texts = new TextParts(options.turnId, this.#newId);
  }

  /** The turn was begun by an earlier host: its calls are known. */
  adopt({ toolCalls, responseParts, earlierParts = 0 }: ActiveTurn): void {
    for (const [id, call] of Object.entries(toolCalls)) {
      const isOpen = call.status === 'running' || call.status === 'pendingConfirmation';
      this.#calls.set(this.#ids.wireIdOf(id), isOpen ? 'open' : 'complete');
      if (isOpen) this.#open.open(id, call);
    }
    this.#steps = responseParts.length + earlierParts;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The turn was ended from outside (e.g. cancelled): later events are dropped. */
  end(): void {
    this.#ended = true;
  }

  /** Another part was put into the response, e.g. a steering message: text that follows must not go before it. */
  beginNewPart(): void {
    this.#texts.close();
  }

  /** A request or call of the agent was answered. An approved call stays open until it completes. */
  answered(agentId: string, approved: boolean): void {
    if (!approved || !this.#calls.has(agentId)) this.#open.close(agentId);
  }

  /** The agent's own id of a call, a request or an option. */
  agentIdOf(id: string): string | undefined {
    return this.#ids.agentIdOf(id);
  }

  map(event: AgentEvent): MappedEvent {
    const mapped = this.#map(event);
    for (const { type } of mapped.actions) {
      if (type === 'session/responsePart' || type === 'session/toolStart') this.#steps++;
    }
    const flood = this.#flood;
    return flood === undefined ? mapped : { ...mapped, flood };
  }

  get #flood(): string | undefined {
    if (this.#ended) return undefined;
    if (this.#open.isTooMuch) return 'The agent has more steps open at the same time than a turn may have';
    return this.#steps > MAX_TURN_STEPS ? `The agent made more than ${MAX_TURN_STEPS} steps in one turn` : undefined;
  }

  #map(event: AgentEvent): MappedEvent {
    const ofSession = mapSessionEvent(event);
    if (ofSession)
      return ofSession.actions.length === 0 && !ofSession.artifact
        ? this.#drop(event, `the ${event.type} is empty`)
        : ofSession;
    if (this.#ended) return this.#drop(event, 'the turn has ended');
    const turnId = this.#turnId;
    switch (event.type) {
      case 'text':
        return { actions: this.#texts.append('markdown', event.text) };
      case 'reasoning':
        return { actions: this.#texts.append('reasoning', event.text) };
      case 'notice':
        return { actions: [this.#notice(event.text, event.severity)] };
      case 'content':
        return this.#content(event.content);
      case 'toolStart':
        return this.#toolStart(event);
      case 'toolUpdate':
        return this.#toolUpdate(event);
      case 'toolComplete':
        return this.#toolComplete(event);
      case 'permissionRequest':
        this.beginNewPart();
        return this.#permissionRequest(event.request);
      case 'questionWithdrawn':
        this.#open.close(event.requestId);
        return one({
          type: 'session/permissionResolved',
          turnId,
          requestId: this.#ids.wireIdOf(event.requestId),
          approved: false,
        });
      case 'usage':
        return one({ type: 'session/usage', turnId, usage: finiteUsage(event.usage) });
      case 'activity': {
        const activity = oneLine(event.activity ?? '', MAX_TITLE_LENGTH);
        return one({ type: 'session/activityChanged', ...(activity && { activity }) });
      }
      case 'plan':
        return { actions: [], artifact: { kind: 'plan', markdown: event.markdown } };
      case 'artifact': {
        const { kind, name, content } = event;
        return { actions: [], artifact: { kind, name, content } };
      }
      case 'changes':
        return one({
          type: 'session/changesChanged',
          changes: boundedChanges(event.changes),
        });
      case 'title':
      case 'mode':
      case 'checkpoint':
      case 'settings':
      case 'commands':
      case 'approval':
      case 'ownTurn':
        // Not of a turn.
        return NOTHING;
      case 'idle':
        this.#ended = true;
        return one({ type: 'session/turnComplete', turnId });
      case 'error':
        this.#ended = true;
        return one({ type: 'session/error', turnId, error: boundedError(event.error) });
    }
  }

  #toolStart(event: Extract<AgentEvent, { type: 'toolStart' }>): MappedEvent {
    const { toolCall } = event;
    const before = this.#calls.get(toolCall.toolCallId);
    if (before === 'open' || before === 'complete') return this.#drop(event, 'the call was announced before');
    // A second announcement replaces the first, so that the text around it stays together.
    if (!before) this.beginNewPart();
    const replaceable = toolCall.status === 'running' && toolCall.confirmed.how === 'notNeeded';
    this.#calls.set(toolCall.toolCallId, replaceable ? 'replaceable' : 'open');
    const bounded = this.#withWireIds(this.#placed(this.#boundStart(toolCall), toolCall));
    this.#open.open(toolCall.toolCallId, bounded);
    return one({ type: 'session/toolStart', turnId: this.#turnId, toolCall: bounded });
  }

  #toolUpdate(event: Extract<AgentEvent, { type: 'toolUpdate' }>): MappedEvent {
    const call = this.#openCall(event);
    if (!call) return NOTHING;
    const actions: AgentAction[] = [];
    const base = { type: 'session/toolUpdate', turnId: this.#turnId, toolCallId: call } as const;
    if (event.invocationMessage !== undefined) {
      actions.push({ ...base, invocationMessage: headAndTail(event.invocationMessage, INLINE_CONTENT_LIMIT) });
    }
    this.#open.printed(event.toolCallId, event.output?.length ?? 0);
    for (const output of pieces(event.output ?? '', MAX_OUTPUT_LENGTH)) actions.push({ ...base, output });
    return { actions };
  }

  #toolComplete(event: Extract<AgentEvent, { type: 'toolComplete' }>): MappedEvent {
    const call = this.#openCall(event);
    if (!call) return NOTHING;
    this.#calls.set(event.toolCallId, 'complete');
    this.#open.close(event.toolCallId);
    const bounded = this.#boundResult(event.result);
    const kept = (event.contents ?? []).map(this.#keepContent);
    const refs = new Map(kept.flatMap((one) => ('ref' in one ? [[one.ref.uri, one.ref] as const] : [])));
    const content = [
      ...(bounded.content ?? []),
      ...[...refs.values()].map((ref) => ({ type: 'contentRef', ref }) as const),
    ];
    const result = refs.size > 0 ? { ...bounded, content } : bounded;
    return {
      actions: [
        { type: 'session/toolComplete', turnId: this.#turnId, toolCallId: call, result },
        ...kept.flatMap((one) => ('ref' in one ? [] : this.#refused(one.refused))),
      ],
    };
  }

  #content(content: AgentContent): MappedEvent {
    const kept = this.#keepContent(content);
    if (!('ref' in kept)) return { actions: this.#refused(kept.refused) };
    this.beginNewPart();
    const part = { kind: 'contentRef', id: this.#newId(), ref: kept.ref } as const;
    return one({ type: 'session/responsePart', turnId: this.#turnId, part });
  }

  #refused(text: string | undefined): AgentAction[] {
    return text === undefined ? [] : [this.#notice(text, 'warning')];
  }

  #notice(text: string, severity: 'info' | 'warning' | 'error'): AgentAction {
    this.beginNewPart();
    const part = {
      kind: 'notice',
      id: this.#newId(),
      text: headAndTail(text, INLINE_CONTENT_LIMIT),
      severity,
    } as const;
    return { type: 'session/responsePart', turnId: this.#turnId, part };
  }

  /** The wire id of the event's call, or undefined after reporting why there is none. */
  #openCall(event: Extract<AgentEvent, { type: 'toolUpdate' | 'toolComplete' }>): string | undefined {
    const state = this.#calls.get(event.toolCallId);
    if (state === 'open' || state === 'replaceable') return this.#ids.wireIdOf(event.toolCallId);
    this.#drop(event, state ? 'the call is complete already' : 'the call was never announced');
    return undefined;
  }

  /** Under the call that started its sub-agent. A question says which sub-agent asks. */
  #placed({ parentToolCallId: _, ...toolCall }: ToolCallStart, announced: ToolCallStart): ToolCallStart {
    const { parent, askedBy } = this.#subAgents.announced(announced);
    const placed = { ...toolCall, ...(parent !== undefined && { parentToolCallId: this.#ids.wireIdOf(parent) }) };
    if (placed.status === 'running' || askedBy === undefined) return placed;
    const { title = placed.invocationMessage, ...confirmation } = placed.confirmation;
    const asks = `${title} (asked by: ${askedBy || 'a sub-agent'})`;
    return { ...placed, confirmation: { ...confirmation, title: oneLine(asks, MAX_TITLE_LENGTH) } };
  }

  #withWireIds(toolCall: ToolCallStart): ToolCallStart {
    const toolCallId = this.#ids.wireIdOf(toolCall.toolCallId);
    if (toolCall.status === 'running') return { ...toolCall, toolCallId };
    const { options, ...confirmation } = toolCall.confirmation;
    return {
      ...toolCall,
      toolCallId,
      confirmation: { ...confirmation, ...(options && { options: this.#options(options) }) },
    };
  }

  #permissionRequest(asked: PermissionRequest): MappedEvent {
    const request = this.#request(asked);
    this.#open.open(asked.requestId, request);
    return one({ type: 'session/permissionRequest', turnId: this.#turnId, request });
  }

  #request({ form: wanted, ...asked }: PermissionRequest): PermissionRequest {
    const form = wanted && askedForm(wanted);
    const { options, ...request } = form ? { ...asked, ...form } : asked;
    return {
      ...request,
      requestId: this.#ids.wireIdOf(request.requestId),
      title: oneLine(request.title, MAX_TITLE_LENGTH),
      message: headAndTail(request.message, INLINE_CONTENT_LIMIT),
      ...(request.toolCallId !== undefined && { toolCallId: this.#ids.wireIdOf(request.toolCallId) }),
      ...(options && { options: form ? options : this.#options(options) }),
    };
  }

  #options<T extends { readonly id: string; readonly label: string }>(options: readonly T[]): T[] {
    const bounded = options.slice(0, MAX_OPTIONS);
    return bounded.map((option) => ({
      ...option,
      id: this.#ids.wireIdOf(option.id),
      label: oneLine(option.label, MAX_TITLE_LENGTH),
      ...('description' in option && { description: oneLine(String(option.description), MAX_TITLE_LENGTH) }),
    }));
  }

  #drop(event: AgentEvent, reason: string): MappedEvent {
    this.#onDropped(event, reason);
    return NOTHING;
  }
}

function one(action: AgentAction): MappedEvent {
  return { actions: [action] };
}

function boundedChanges(changes: readonly FileChangeSummary[]): FileChangeSummary[] {
  let room = MAX_CHANGES_LENGTH;
  return changes
    .filter(({ uri }) => uri.length <= MAX_URI_LENGTH)
    .slice(0, MAX_CHANGES)
    .filter(({ uri }) => {
      room -= uri.length;
      return room >= 0;
    });
}

/** JSON has no NaN and no Infinity; one of them would make the whole envelope invalid. */
function finiteUsage({ model, ...usage }: UsageInfo): UsageInfo {
  const { inputTokens, outputTokens, cacheReadTokens, cost, contextUsed, contextSize } = usage;
  const numbers = Object.entries({ inputTokens, outputTokens, cacheReadTokens, cost, contextUsed, contextSize });
  return {
    ...Object.fromEntries(numbers.filter(([, value]) => Number.isFinite(value))),
    ...(model !== undefined && { model: oneLine(model, MAX_TITLE_LENGTH) }),
  };
}

function boundedError({ errorType, message, stack }: ErrorInfo): ErrorInfo {
  return {
    errorType: oneLine(errorType, MAX_TITLE_LENGTH),
    message: headAndTail(message, INLINE_CONTENT_LIMIT),
    ...(stack !== undefined && { stack: headAndTail(stack, INLINE_CONTENT_LIMIT) }),
  };
}
