import type {
  CallClientToolParams,
  CallClientToolResult,
  ClientTool,
  ClientToolContent,
  SetClientToolsParams,
  URI,
} from '@agenthost/protocol';
import { errorMessage, isCommandKnownToVersion, MAX_TOOL_RESULT_LENGTH } from '@agenthost/protocol/internal';
import type { Disposable, RequestContext, RpcPeer, Schedule } from '@agenthost/rpc';
import type { CommandChannel } from '../connection/commandChannel.js';
import type { Observable, ReportError } from '../observable.js';
import type { Interruption } from '../sync/sharedSessions.js';

/** What a tool is told of the call that it carries out. */
export interface ToolCallContext {
  readonly session: URI;
  readonly callId: string;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** A tool that this program carries out for the agent of a session. */
export interface ToolDefinition extends Omit<ClientTool, 'inputSchema'> {
  /** JSON Schema of the input; `type` is `object`. Without it, any object. */
  readonly inputSchema?: ClientTool['inputSchema'];
  /** The input is as the model made it: check it. What it throws is told to the model. */
  handler(
    input: Readonly<Record<string, unknown>>,
    context: ToolCallContext,
  ): Promise<string | readonly ClientToolContent[]> | string | readonly ClientToolContent[];
}

export interface SessionToolsTarget {
  readonly uri: URI;
  readonly interrupted: Observable<Interruption | undefined>;
}

interface Offered {
  readonly tools: Map<string, ToolDefinition>;
  readonly watching: Disposable;
}

interface RunningCall {
  readonly answer: Promise<CallClientToolResult>;
  readonly stop: AbortController;
  isAnswered: boolean;
  forgetting: Disposable | undefined;
}

/** How long a call that lost its connection may be asked for again. The host asks within a second. */
const KEPT_MS = 5_000;
const MAX_CALLS = 256;
const ANY_INPUT: ClientTool['inputSchema'] = { type: 'object' };

/** The tools of this client: offers them again after each reconnect, and carries out each call once. */
export class ClientToolServer {
  readonly #commands: CommandChannel;
  readonly #schedule: Schedule;
  readonly #reportError: ReportError;
  readonly #offered = new Map<URI, Offered>();
  readonly #calls = new Map<string, RunningCall>();
  #isClosed = false;

  constructor(commands: CommandChannel, schedule: Schedule, reportError: ReportError) {
    this.#commands = commands;
    this.#schedule = schedule;
    this.#reportError = reportError;
  }

  /** Resolves when the host has accepted them; when it refuses them, none of them is offered. */
  async add(target: SessionToolsTarget, tools: readonly ToolDefinition[]): Promise<Disposable> {
    const { uri } = target;
    const offered = this.#offered.get(uri) ?? { tools: new Map(), watching: this.#watch(target) };
    const taken = tools.find(({ name }) => offered.tools.has(name));
    if (taken) throw new TypeError(`this client offers a tool ${taken.name} in ${uri} already`);
    this.#offered.set(uri, offered);
    for (const tool of tools) offered.tools.set(tool.name, tool);
    const remove = () => {
      for (const tool of tools) if (offered.tools.get(tool.name) === tool) offered.tools.delete(tool.name);
      if (offered.tools.size > 0 || this.#offered.get(uri) !== offered) return;
      offered.watching.dispose();
      this.#offered.delete(uri);
    };
    try {
      await this.#offer(uri);
    } catch (error) {
      remove();
      throw error;
    }
    let isDisposed = false;
    return {
      dispose: () => {
        if (isDisposed) return;
        isDisposed = true;
        remove();
        // Without a connection there is nothing to take back.
        this.#offer(uri).catch(() => undefined);
      },
    };
  }

  /** There is a connection again, which knows of none of them. Before anything else is sent: a message may need them. */
  offerAgain(peer: RpcPeer, protocolVersion: number): void {
    if (!isCommandKnownToVersion('setClientTools', protocolVersion)) return;
    for (const uri of this.#offered.keys()) {
      peer.request('setClientTools', this.#paramsOf(uri)).catch(this.#reportError);
    }
  }

  /** No call can be answered, or asked for again, any more. */
  close(): void {
    for (const [key, call] of this.#calls) this.#forget(key, call);
    this.#isClosed = true;
  }

  listen(peer: RpcPeer): void {
    peer.onRequest('callClientTool', {
      parse: (params) => {
        const { session, callId, name, input } = (params ?? {}) as Partial<CallClientToolParams>;
        const isCall = typeof session === 'string' && typeof callId === 'string' && typeof name === 'string';
        if (!isCall || typeof input !== 'object' || input === null) throw new TypeError('not a call of a tool');
        return { session, callId, name, input };
      },
      handle: (params, context) => this.#answer(params, context, peer),
    });
  }

  /** The sessions that a lost connection has left unloaded are offered the tools when they are there again. */
  #watch({ uri, interrupted }: SessionToolsTarget): Disposable {
    let wasInterrupted = false;
    return interrupted.subscribe((interruption) => {
      if (wasInterrupted && !interruption) this.#offer(uri).catch(this.#reportError);
      wasInterrupted = interruption !== undefined;
    });
  }

  async #offer(uri: URI): Promise<void> {
    await this.#commands.request('setClientTools', this.#paramsOf(uri));
  }

  #paramsOf(uri: URI): SetClientToolsParams {
    const tools = [...(this.#offered.get(uri)?.tools.values() ?? [])].map(({ handler: _, inputSchema, ...tool }) => ({
      ...tool,
      inputSchema: inputSchema ?? ANY_INPUT,
    }));
    return { session: uri, tools };
  }

  #answer(params: CallClientToolParams, { signal }: RequestContext, peer: RpcPeer): Promise<CallClientToolResult> {
    const key = `${params.session} ${params.callId}`;
    const call = this.#calls.get(key) ?? this.#begin(params, key);
    call.forgetting?.dispose();
    call.forgetting = undefined;
    const keepForNow = () => {
      call.forgetting?.dispose();
      call.forgetting = this.#isClosed ? undefined : this.#schedule(() => this.#forget(key, call), KEPT_MS);
    };
    const ended = () => {
      if (peer.closeReason === undefined) this.#forget(key, call);
      else keepForNow();
    };
    signal.addEventListener('abort', ended, { once: true });
    // Its answer may be lost on the way.
    void call.answer.then(() => {
      call.isAnswered = true;
      keepForNow();
    });
    return call.answer;
  }

  #begin(params: CallClientToolParams, key: string): RunningCall {
    const stop = new AbortController();
    for (const [other, { isAnswered }] of this.#calls) {
      if (this.#calls.size >= MAX_CALLS && isAnswered) this.#calls.delete(other);
    }
    const answer = this.#carryOut(params, stop.signal);
    const call: RunningCall = { answer, stop, isAnswered: false, forgetting: undefined };
    this.#calls.set(key, call);
    return call;
  }

  #forget(key: string, call: RunningCall): void {
    call.forgetting?.dispose();
    if (!call.isAnswered) call.stop.abort(new Error('nobody waits for the answer of this call any more'));
    if (this.#calls.get(key) === call) this.#calls.delete(key);
  }

  async #carryOut({ session, callId, name, input }: CallClientToolParams, signal: AbortSignal) {
    const tool = this.#offered.get(session)?.tools.get(name);
    if (!tool) return failure(`This client does not offer ${name} any more.`);
    if (this.#calls.size >= MAX_CALLS) return failure('This client carries out too many calls already.');
    try {
      const answer = await tool.handler(input, { session, callId, signal });
      const content: readonly ClientToolContent[] =
        typeof answer === 'string' ? [{ type: 'text', text: answer }] : answer;
      const length = content.reduce((sum, item) => sum + (item.type === 'text' ? item.text : item.data).length, 0);
      // The host would not take a frame of any length, and no answer would ever come.
      if (length > MAX_TOOL_RESULT_LENGTH) return failure(`The answer of ${name} is too large: ${length} characters.`);
      return { content: [...content] };
    } catch (error) {
      return failure(errorMessage(error));
    }
  }
}

function failure(text: string): CallClientToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
