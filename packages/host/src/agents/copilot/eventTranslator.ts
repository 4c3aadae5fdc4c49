import type { FileChangeSummary, ToolCallResult, UsageInfo } from '@agenthost/protocol';
import { dropOldest } from '@agenthost/protocol/internal';
import type { AgentContent, AgentEvent } from '../agent.js';
import { compactionNotice } from './compaction.js';
import { confirmationOf, permissionRequestOf, requestInput } from './permissionDisplay.js';
import type {
  KnownSdkEvent,
  SdkBinaryResult,
  SdkContentBlock,
  SdkEvent,
  SdkEventData,
  ToolExecutionCompleteData,
} from './sdk.js';
import { type ToolCallDisplay, toolCallDisplay, toolResultDisplay } from './toolDisplay.js';

interface Call {
  readonly name: string;
  readonly arguments: unknown;
  readonly title: string | undefined;
  readonly display: ToolCallDisplay & { readonly parentToolCallId?: string };
  /** `held`: not announced yet, because the question whether it may run comes right after its start. */
  state: 'held' | 'running' | 'asked' | 'denied';
  /** The output that was sent. */
  output: string;
}

/** How many calls of one turn are remembered; the oldest are dropped first. */
const MAX_CALLS = 1_000;

/**
 * Turns Copilot's events during one turn into ours. It is pure: its owner decides when a turn begins and ends, and answers
 * requests. Unknown events are ignored.
 */
export class EventTranslator {
  readonly #emit: (event: AgentEvent) => void;
  readonly #calls = new Map<string, Call>();
  readonly #streamed = new Set<string>();
  readonly #contents = new ResultContents();
  /** By a sub-agent's id: the call that started it. */
  readonly #starters = new Map<string, string>();
  #hasStreamedReasoning = false;
  #usage: UsageInfo = {};

  constructor(emit: (event: AgentEvent) => void) {
    this.#emit = emit;
  }

  translate(sdkEvent: SdkEvent): void {
    const event = sdkEvent as KnownSdkEvent;
    const isOfSubAgent = event.agentId !== undefined;
    switch (event.type) {
      case 'assistant.message_delta':
        if (isOfSubAgent) return;
        this.#streamed.add(event.data.messageId);
        this.#emit({ type: 'text', text: event.data.deltaContent });
        return;
      case 'assistant.message':
        if (!isOfSubAgent) this.#message(event.data);
        return;
      case 'assistant.reasoning_delta':
        if (isOfSubAgent) return;
        this.#hasStreamedReasoning = true;
        this.#emit({ type: 'reasoning', text: event.data.deltaContent });
        return;
      case 'assistant.usage':
        this.#addUsage(event.data);
        return;
      case 'session.usage_info':
        if (!isOfSubAgent) this.#context(event.data);
        return;
      case 'assistant.intent':
        this.#emit({ type: 'activity', activity: event.data.intent });
        return;
      case 'tool.execution_start':
        this.#hold(event.data, event.agentId && (this.#starters.get(event.agentId) ?? event.agentId));
        return;
      case 'tool.execution_partial_result':
        this.#output(event.data);
        return;
      case 'tool.execution_progress':
        this.#progress(event.data);
        return;
      case 'tool.execution_complete':
        this.#complete(event.data);
        return;
      case 'subagent.started': {
        const { agentDisplayName = 'a sub-agent', agentDescription, toolCallId } = event.data;
        dropOldest(this.#starters, MAX_CALLS - 1);
        if (event.agentId !== undefined && toolCallId !== undefined) this.#starters.set(event.agentId, toolCallId);
        const what = agentDescription ? `${agentDisplayName}: ${agentDescription}` : agentDisplayName;
        this.#emit({ type: 'activity', activity: `Sub-agent ${what}` });
        return;
      }
      case 'subagent.completed':
        this.#emit({ type: 'activity' });
        return;
      case 'session.compaction_start':
        if (!isOfSubAgent) this.#emit({ type: 'activity', activity: 'Summarizing the conversation' });
        return;
      case 'session.compaction_complete':
        if (isOfSubAgent) return;
        this.#emit({ type: 'activity' });
        this.#emit(compactionNotice(event.data));
        return;
      case 'session.binary_asset':
        this.#contents.addAsset(event.data);
        return;
      case 'session.warning':
        this.#emit({ type: 'notice', severity: 'warning', text: event.data.message });
        return;
      default:
        return;
    }
  }

  /** Whether a call has begun and not ended. */
  get isRunning(): boolean {
    return [...this.#calls.values()].some(({ state }) => state !== 'denied');
  }

  /** Announces calls that have started without a question. */
  release(): void {
    for (const call of this.#calls.values()) this.#announce(call);
  }

  /** The contract's id under which `ask` will have a request answered. */
  idOf({ requestId, permissionRequest: { toolCallId } }: SdkEventData['permission.requested']): string {
    const call = toolCallId === undefined ? undefined : this.#calls.get(toolCallId);
    // A call can wait for one answer only; further questions about it are separate requests.
    return call && (call.state === 'held' || call.state === 'running') ? call.display.toolCallId : requestId;
  }

  /** Asks the user. */
  ask(data: SdkEventData['permission.requested']): void {
    const { requestId, permissionRequest } = data;
    const call = this.#calls.get(this.idOf(data));
    if (!call) {
      this.#emit({ type: 'permissionRequest', request: permissionRequestOf(requestId, permissionRequest) });
      return;
    }
    this.#announceStarter(call);
    call.state = 'asked';
    const confirmation = confirmationOf(permissionRequest);
    const shown = { ...call.display, ...requestInput(permissionRequest) };
    this.#emit({ type: 'toolStart', toolCall: { ...shown, status: 'pendingConfirmation', confirmation } });
  }

  /** A request that is allowed without an answer. */
  allow(toolCallId: string | undefined): void {
    const call = toolCallId === undefined ? undefined : this.#calls.get(toolCallId);
    if (call) this.#announce(call);
  }

  /** Nothing more is reported of a denied call: the person who denied it knows. */
  deny(id: string): void {
    const call = this.#calls.get(id);
    if (call) call.state = 'denied';
  }

  #message({ messageId, content, reasoningText }: SdkEventData['assistant.message']): void {
    if (reasoningText && !this.#hasStreamedReasoning) this.#emit({ type: 'reasoning', text: reasoningText });
    if (content && !this.#streamed.has(messageId)) this.#emit({ type: 'text', text: content });
    this.#streamed.delete(messageId);
    this.#hasStreamedReasoning = false;
  }

  #addUsage({ model, ...more }: SdkEventData['assistant.usage']): void {
    const sum = (key: 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cost') => {
      const total = (this.#usage[key] ?? 0) + (more[key] ?? 0);
      return this.#usage[key] === undefined && more[key] === undefined ? {} : { [key]: total };
    };
    this.#usage = {
      ...this.#usage,
      ...sum('inputTokens'),
      ...sum('outputTokens'),
      ...sum('cacheReadTokens'),
      ...sum('cost'),
      ...(model !== undefined && { model }),
    };
    this.#emit({ type: 'usage', usage: this.#usage });
  }

  /** Sent with the tokens of the next answer, or the last one: alone it is no news. */
  #context({ currentTokens, tokenLimit }: SdkEventData['session.usage_info']): void {
    this.#usage = {
      ...this.#usage,
      ...(currentTokens !== undefined && { contextUsed: currentTokens }),
      ...(tokenLimit !== undefined && { contextSize: tokenLimit }),
    };
    if (this.#usage.inputTokens !== undefined) this.#emit({ type: 'usage', usage: this.#usage });
  }

  #hold(start: SdkEventData['tool.execution_start'], parentToolCallId: string | undefined): void {
    const { toolCallId, toolName, toolTitle, arguments: args } = start;
    dropOldest(this.#calls, MAX_CALLS - 1);
    const shown = toolCallDisplay(toolCallId, toolName, args, toolTitle);
    const display = { ...shown, ...(parentToolCallId !== undefined && { parentToolCallId }) };
    this.#calls.set(toolCallId, {
      name: toolName,
      arguments: args,
      title: toolTitle,
      display,
      state: 'held',
      output: '',
    });
  }

  #announce(call: Call): void {
    if (call.state !== 'held') return;
    this.#announceStarter(call);
    call.state = 'running';
    this.#emit({
      type: 'toolStart',
      toolCall: { ...call.display, status: 'running', confirmed: { how: 'notNeeded' } },
    });
  }

  /** The call that started its sub-agent may still be held. */
  #announceStarter({ display: { parentToolCallId, toolCallId } }: Call): void {
    const starter = parentToolCallId === toolCallId ? undefined : this.#calls.get(parentToolCallId ?? '');
    if (starter) this.#announce(starter);
  }

  /** Copilot repeats all output so far with each piece. */
  #output({ toolCallId, partialOutput }: SdkEventData['tool.execution_partial_result']): void {
    const call = this.#running(toolCallId);
    if (!call || !partialOutput.startsWith(call.output)) return;
    const output = partialOutput.slice(call.output.length);
    call.output = partialOutput;
    if (output !== '') this.#emit({ type: 'toolUpdate', toolCallId, output });
  }

  #progress({ toolCallId, progressMessage }: SdkEventData['tool.execution_progress']): void {
    if (this.#running(toolCallId)) this.#emit({ type: 'toolUpdate', toolCallId, invocationMessage: progressMessage });
  }

  #complete(data: SdkEventData['tool.execution_complete']): void {
    const call = this.#running(data.toolCallId);
    this.#calls.delete(data.toolCallId);
    if (!call) return;
    const result = toolResultDisplay(call.name, call.arguments, call.title, data);
    const contents = this.#contents.of(data);
    this.#emit({ type: 'toolComplete', toolCallId: data.toolCallId, result, ...(contents.length > 0 && { contents }) });
  }

  #running(toolCallId: string): Call | undefined {
    const call = this.#calls.get(toolCallId);
    if (!call || call.state === 'denied') return undefined;
    this.#announce(call);
    return call;
  }
}

/** The files that a call changed. */
export function editsOf({ content = [] }: ToolCallResult): readonly FileChangeSummary[] {
  return content.filter((part) => part.type === 'fileEdit');
}

/** The changes of this session so far, with the new ones. */
export function changesWith(
  before: readonly FileChangeSummary[],
  edits: readonly FileChangeSummary[],
): readonly FileChangeSummary[] {
  const changed = new Map(before.map((change) => [change.uri, change]));
  for (const { uri, insertions, deletions } of edits) {
    const known = changed.get(uri) ?? { insertions: 0, deletions: 0 };
    changed.set(uri, {
      uri,
      insertions: known.insertions + insertions,
      deletions: known.deletions + deletions,
    });
  }
  return [...changed.values()];
}

/** How many code units of base64 are remembered for results that only refer to them; the oldest are dropped first. */
const MAX_ASSET_LENGTH = 32 * 1024 * 1024;

/** The images, audio and files of Copilot's tool results. Large ones come before the result, in a separate event. */
class ResultContents {
  readonly #assets = new Map<string, { readonly data: string; readonly mimeType: string | undefined }>();
  #length = 0;

  addAsset({ assetId, data, mimeType }: SdkEventData['session.binary_asset']): void {
    if (typeof data !== 'string' || this.#assets.has(assetId)) return;
    this.#assets.set(assetId, { data, mimeType });
    this.#length += data.length;
    for (const [oldest, asset] of this.#assets) {
      if (this.#length <= MAX_ASSET_LENGTH) return;
      this.#assets.delete(oldest);
      this.#length -= asset.data.length;
    }
  }

  /** The model mostly sees the same content that the tool returned: then it counts once. */
  of({ result }: ToolExecutionCompleteData): readonly AgentContent[] {
    const returned = (result?.contents ?? []).flatMap(blockContent);
    return returned.length > 0 ? returned : (result?.binaryResultsForLlm ?? []).map((one) => this.#binary(one));
  }

  /** Without data when it was too large for Copilot, or belongs to an earlier turn. */
  #binary({ data, assetId, mimeType }: SdkBinaryResult): AgentContent {
    if (data !== undefined) return { data, mimeType };
    return (assetId === undefined ? undefined : this.#assets.get(assetId)) ?? { mimeType };
  }
}

function blockContent({ type, data, mimeType, resource }: SdkContentBlock): AgentContent[] {
  if ((type === 'image' || type === 'audio') && data !== undefined) return [{ data, mimeType: mimeType ?? type }];
  return resource?.blob === undefined ? [] : [{ data: resource.blob, mimeType: resource.mimeType }];
}
