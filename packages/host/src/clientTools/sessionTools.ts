import {
  type Author,
  type CallClientToolResult,
  type ClientTool,
  ERROR_CODE,
  type OfferedTools,
  type ToolCallStart,
  type URI,
} from '@agenthost/protocol';
import {
  dropOldest,
  errorMessage,
  MAX_SESSION_TOOLS,
  MAX_SHOWN_DESCRIPTION_LENGTH,
  MAX_TOOL_INPUT_LENGTH,
  sameValue,
} from '@agenthost/protocol/internal';
import { ConnectionClosedError, RpcError } from '@agenthost/rpc';
import type { ClientTools, ToolServer } from '../agents/clientTools.js';
import { checkTools } from './checkTools.js';
import { toolOfCall } from './toolOfCall.js';
import { type ToolClient, ToolOffer } from './toolOffer.js';
import { readResult, toolFailure } from './toolResult.js';

export interface SessionToolsOptions {
  readonly session: URI;
  readonly tell: (clientTools: readonly OfferedTools[]) => void;
  readonly newId: () => string;
  /** Called when a tool is called, with the name of its client. */
  readonly onCall?: (input: unknown, clientName: string) => void;
  readonly limits?: Partial<ToolLimits>;
}

export interface ToolLimits {
  /** How long a client whose connection is lost may take to come back. Its calls are answered within a second. */
  readonly absenceMs: number;
  readonly callMs: number;
  readonly callsInFlight: number;
}

export const TOOL_LIMITS: ToolLimits = { absenceMs: 900, callMs: 600_000, callsInFlight: 16 };

/** Names of tools that were there, so that a call of one says that its client is gone. */
const MAX_REMEMBERED = 256;
const SOMEBODY = 'a client';

/** The tools that clients offer in one session. */
export class SessionTools implements ClientTools {
  /** Rises when there is a tool that the agent was not told of (CTOOL7). */
  version = 0;
  readonly #options: SessionToolsOptions;
  readonly #limits: ToolLimits;
  readonly #offers = new Map<string, ToolOffer>();
  /** By name: who offers it, or did. */
  readonly #names = new Map<string, ToolOffer>();
  readonly #closing = new AbortController();
  /** What the agent was told of, as JSON by name. */
  #given = new Map<string, string>();
  #inFlight = 0;
  #told: readonly OfferedTools[] = [];

  constructor(options: SessionToolsOptions) {
    this.#options = options;
    this.#limits = { ...TOOL_LIMITS, ...options.limits };
  }

  get all(): readonly ClientTool[] {
    return [...this.#offers.values()].flatMap(({ tools }) => tools);
  }

  /** What an agent that is opened now is told of; nothing where there is nothing. */
  forAgent(): ClientTools | undefined {
    const { all } = this;
    this.#given = new Map(all.map((tool) => [tool.name, JSON.stringify(tool)]));
    return all.length === 0 ? undefined : this;
  }

  /** Replaces the tools of a client. Throws the error to answer when it can't offer them. */
  set(client: ToolClient, tools: readonly ClientTool[]): void {
    this.#closing.signal.throwIfAborted();
    checkTools(tools);
    const others = [...this.#offers.values()].filter(({ key }) => key !== client.key);
    const count = others.reduce((sum, offer) => sum + offer.tools.length, tools.length);
    if (count > MAX_SESSION_TOOLS) {
      const message = `the clients of this session would offer ${count} tools: at most ${MAX_SESSION_TOOLS} are allowed`;
      throw new RpcError(ERROR_CODE.invalidParams, message);
    }
    for (const { name } of tools) {
      const other = others.find((offer) => offer.tools.some((tool) => tool.name === name));
      if (other) throw new RpcError(ERROR_CODE.alreadyExists, `${nameOf(other.author)} offers a tool ${name} already`);
    }
    const offer = this.#offers.get(client.key) ?? new ToolOffer(client);
    offer.set(client, tools);
    if (tools.length > 0) this.#offers.set(client.key, offer);
    else this.#offers.delete(client.key);
    for (const { name } of tools) this.#names.delete(name);
    for (const { name } of tools) this.#names.set(name, offer);
    dropOldest(this.#names, MAX_REMEMBERED);
    if (tools.some((tool) => this.#given.get(tool.name) !== JSON.stringify(tool))) this.version++;
    this.#changed();
  }

  /** A client has unsubscribed, or its connection is lost: then it may come back (CTOOL5). */
  left(subscriber: object, isLost: boolean): void {
    const offer = [...this.#offers.values()].find((one) => one.isOf(subscriber));
    if (!offer) return;
    if (isLost) this.#lost(offer);
    else this.#gone(offer);
  }

  /** A call of the agent that is one of these tools says whose it is. */
  named(call: ToolCallStart): ToolCallStart {
    const name = this.#names.size === 0 ? undefined : toolOfCall(call, this.#names.keys());
    const offer = name === undefined ? undefined : this.#names.get(name);
    return offer ? { ...call, clientName: nameOf(offer.author) } : call;
  }

  async call(name: string, input: unknown, signal: AbortSignal): Promise<CallClientToolResult> {
    const offer = this.#names.get(name);
    if (!offer) return toolFailure(`There is no tool ${name}.`);
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      return toolFailure(`The input of ${name} must be an object.`);
    }
    if (JSON.stringify(input).length > MAX_TOOL_INPUT_LENGTH) {
      return toolFailure(`The input of ${name} is too long: at most ${MAX_TOOL_INPUT_LENGTH} characters.`);
    }
    const { callMs, callsInFlight } = this.#limits;
    if (this.#inFlight >= callsInFlight) {
      return toolFailure(`${name} was not called: ${callsInFlight} calls of clients' tools are running already.`);
    }
    this.#inFlight++;
    const timer = new AbortController();
    const timeout = setTimeout(() => timer.abort(), callMs).unref();
    try {
      const ends = AbortSignal.any([signal, timer.signal, this.#closing.signal]);
      return await this.#carriedOut(offer, name, input as Readonly<Record<string, unknown>>, ends);
    } catch (error) {
      if (timer.signal.aborted) return toolFailure(`${name} did not answer within ${callMs / 1_000} s.`);
      if (signal.aborted || this.#closing.signal.aborted) return toolFailure(`The call of ${name} was cancelled.`);
      return toolFailure(`${name} failed: ${errorMessage(error)}`);
    } finally {
      clearTimeout(timeout);
      this.#inFlight--;
    }
  }

  async serve(): Promise<ToolServer> {
    // Loaded by the first agent that takes it.
    const { serveTools } = await import('./toolServer.js');
    return serveTools(this, this.#closing.signal);
  }

  /** The session is unloaded: no tool of it can be called any more. */
  dispose(): void {
    this.#closing.abort(new Error('the session was closed'));
    for (const offer of this.#offers.values()) offer.gone();
    this.#offers.clear();
  }

  /** Asks the client, and asks again when it has come back. */
  async #carriedOut(
    offer: ToolOffer,
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<CallClientToolResult> {
    const { session, newId } = this.#options;
    const callId = newId();
    this.#options.onCall?.(input, nameOf(offer.author));
    for (;;) {
      const client = await aborting(offer.present(), signal);
      const whose = `${name} can't be used: ${nameOf(offer.author)}`;
      if (!client) return toolFailure(`${whose}, the client that offered it, is gone.`);
      if (!offer.tools.some((tool) => tool.name === name)) return toolFailure(`${whose} does not offer it any more.`);
      try {
        return readResult(name, await aborting(client.call({ session, callId, name, input }, signal), signal));
      } catch (error) {
        if (!(error instanceof ConnectionClosedError) || signal.aborted) throw error;
        this.#lost(offer, client);
      }
    }
  }

  #lost(offer: ToolOffer, client?: ToolClient): void {
    offer.lost(client, this.#limits.absenceMs, () => this.#gone(offer));
  }

  #gone(offer: ToolOffer): void {
    offer.gone();
    if (this.#offers.get(offer.key) === offer) this.#offers.delete(offer.key);
    this.#changed();
  }

  #changed(): void {
    const shown = [...this.#offers.values()].map(({ author, tools }) => ({
      client: author,
      tools: tools.map(shownTool),
    }));
    if (this.#closing.signal.aborted || sameValue(shown, this.#told)) return;
    this.#told = shown;
    this.#options.tell(shown);
  }
}

function shownTool({ name, title, description }: ClientTool): OfferedTools['tools'][number] {
  const shown = description.slice(0, MAX_SHOWN_DESCRIPTION_LENGTH);
  return { name, ...(title !== undefined && { title }), description: shown };
}

function nameOf({ name, device }: Author): string {
  return name ?? device ?? SOMEBODY;
}

function aborting<T>(value: T | Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    Promise.resolve(value)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}
