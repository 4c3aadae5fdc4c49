import type { Author, CallClientToolParams, ClientTool } from '@agenthost/protocol';

/** A client that offers tools, over one connection. */
export interface ToolClient {
  readonly author: Author;
  /** The same for all connections of a client, and for no other client. */
  readonly key: string;
  /** Who has subscribed. The tools end with the subscription. */
  readonly subscriber: object;
  /** Rejects with a ConnectionClosedError when the connection ends before the answer. */
  call(params: CallClientToolParams, signal: AbortSignal): Promise<unknown>;
}

/** What one client offers, over all of its connections. */
export class ToolOffer {
  readonly key: string;
  tools: readonly ClientTool[] = [];
  #client: ToolClient;
  /** Set while its connection is lost; resolves with the next one, or without when it does not come in time. */
  #back: PromiseWithResolvers<ToolClient | undefined> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(client: ToolClient) {
    this.key = client.key;
    this.#client = client;
  }

  get author(): Author {
    return this.#client.author;
  }

  isOf(subscriber: object): boolean {
    return this.#client.subscriber === subscriber;
  }

  /** The client as it can be called, at once or when it is back; `undefined` when it is gone. */
  present(): ToolClient | Promise<ToolClient | undefined> {
    return this.#back?.promise ?? this.#client;
  }

  set(client: ToolClient, tools: readonly ClientTool[]): void {
    this.#client = client;
    this.tools = tools;
    this.#end(client);
  }

  /** Its connection is lost. It may come back within `ms`. */
  lost(client: ToolClient | undefined, ms: number, onGone: () => void): void {
    if (this.#back !== undefined || (client !== undefined && client !== this.#client)) return;
    this.#back = Promise.withResolvers();
    this.#timer = setTimeout(() => {
      this.gone();
      onGone();
    }, ms).unref();
  }

  /** It does not come back: calls that wait for it are told so. */
  gone(): void {
    this.tools = [];
    this.#back ??= Promise.withResolvers();
    this.#back.resolve(undefined);
    clearTimeout(this.#timer);
  }

  #end(client: ToolClient): void {
    clearTimeout(this.#timer);
    this.#back?.resolve(client);
    this.#back = undefined;
  }
}
