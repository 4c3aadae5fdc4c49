import { Readable, Writable } from 'node:stream';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { createLineTransport, type Transport } from '@agenthost/rpc';
import type { AcpProcess } from '../acpProcess.js';

export interface MessageLimits {
  readonly maxMessageBytes: number;
  /** The maximum that is read from an agent in one turn: text, tool output, blank lines, everything. */
  readonly maxTurnBytes: number;
  /** The maximum number of lines that are no messages: some agents print a harmless greeting. */
  readonly maxStrayLines: number;
  /** The maximum number of pending requests of the agent. */
  readonly maxOpenRequests: number;
}

export const MESSAGE_LIMITS: MessageLimits = {
  maxMessageBytes: 16 * 1024 * 1024,
  maxTurnBytes: 64 * 1024 * 1024,
  maxStrayLines: 100,
  maxOpenRequests: 100,
};

/** Not in the protocol: an extension that several agents have. */
export const STEERING = '_session/steering';

export interface MessageStreamOptions {
  readonly process: AcpProcess;
  readonly limits: MessageLimits;
  /** Updates bypass the SDK: it would refuse, and print to the console, each update that it doesn't know. */
  onUpdate(params: unknown): void;
  /** Called when the agent broke a limit; nothing more is read from it. */
  onBroken(errorType: string, message: string): void;
}

/** An agent's standard input and output as messages, within limits. */
export class MessageStream {
  readonly stream: Stream;
  readonly #options: MessageStreamOptions;
  readonly #transport: Transport;
  /** The methods of our pending requests, by their ids. */
  readonly #asked = new Map<unknown, string>();
  readonly #open = new Set<unknown>();
  /** Updates that came right after the answer to a steering message, which takes longer to arrive. */
  #later: unknown[] | undefined;
  #controller: ReadableStreamDefaultController<AnyMessage> | undefined;
  #paused: PromiseWithResolvers<void> | undefined;
  #turnBytes = 0;
  #isBroken = false;
  #strayLines = 0;
  #firstStray = '';

  constructor(options: MessageStreamOptions) {
    this.#options = options;
    const { process, limits } = options;
    this.#transport = createLineTransport({
      readable: this.#gated(Readable.toWeb(process.stdout) as ReadableStream<Uint8Array>),
      writable: Writable.toWeb(process.stdin),
      maxLineBytes: limits.maxMessageBytes,
    });
    this.stream = {
      readable: new ReadableStream<AnyMessage>({
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => this.#transport.close(),
      }),
      writable: new WritableStream<AnyMessage>({ write: (message) => this.#write(message) }),
    };
    this.#transport.onOversizeFrame?.((maxBytes) =>
      this.#break('agentFloods', `sent a message of more than ${mebibytes(maxBytes)}`),
    );
    this.#transport.onMessage((text) => this.#read(text));
    this.#transport.onClose(() => this.#end());
  }

  /** Starts counting for a new turn. */
  beginTurn(): void {
    this.#turnBytes = 0;
  }

  /** Stops reading: the agent's output fills the pipe, and then the agent waits. */
  pause(): void {
    this.#paused ??= Promise.withResolvers<void>();
  }

  resume(): void {
    this.#paused?.resolve();
    this.#paused = undefined;
  }

  close(): void {
    this.resume();
    this.#transport.close();
    this.#end();
  }

  #gated(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = source.getReader();
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          await this.#paused?.promise;
          // Nothing more is read from an agent that broke a limit, until it has been ended.
          const { done, value } = this.#isBroken ? { done: true } : await reader.read();
          if (done || !value) controller.close();
          else if (this.#count(value.byteLength)) controller.enqueue(value);
          else controller.close();
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }

  /** Counts all that is read, not only messages: a line may have no end, or be empty. */
  #count(bytes: number): boolean {
    const { maxTurnBytes } = this.#options.limits;
    this.#turnBytes += bytes;
    if (this.#turnBytes <= maxTurnBytes) return true;
    this.#break('agentFloods', `sent more than ${mebibytes(maxTurnBytes)} in one turn`);
    return false;
  }

  #write(message: AnyMessage): void {
    if ('method' in message && 'id' in message) this.#asked.set(message.id, message.method);
    else if ('id' in message) this.#open.delete(message.id);
    this.#transport.send(JSON.stringify(message));
  }

  #read(text: string): void {
    if (!this.#controller) return;
    const message = parseMessage(text);
    if (!message) this.#stray(text);
    else if (message['method'] === 'session/update') {
      if (this.#later) this.#later.push(message['params']);
      else this.#options.onUpdate(message['params']);
    } else if (this.#isExpected(message)) this.#controller.enqueue(message as unknown as AnyMessage);
  }

  /** The SDK would print an answer without a request to the console. */
  #isExpected({ id, method }: { readonly id?: unknown; readonly method?: unknown }): boolean {
    const { maxOpenRequests } = this.#options.limits;
    if (method === undefined) {
      if (this.#asked.get(id) === STEERING && !this.#later) {
        this.#later = [];
        setImmediate(() => this.#tellLater());
      }
      return this.#asked.delete(id);
    }
    if (id === undefined) return true;
    this.#open.add(id);
    if (this.#open.size <= maxOpenRequests) return true;
    this.#break('agentFloods', `asked more than ${maxOpenRequests} questions at once`);
    return false;
  }

  #tellLater(): void {
    const later = this.#later ?? [];
    this.#later = undefined;
    for (const params of later) this.#options.onUpdate(params);
  }

  #stray(line: string): void {
    this.#firstStray ||= line.slice(0, 200);
    if (++this.#strayLines <= this.#options.limits.maxStrayLines) return;
    const example = JSON.stringify(this.#firstStray);
    this.#break('agentSpeaksGarbage', `does not speak the Agent Client Protocol: it said ${example}`);
  }

  #break(errorType: string, what: string): void {
    if (!this.#controller) return;
    this.#isBroken = true;
    this.close();
    this.#options.onBroken(errorType, what);
  }

  #end(): void {
    const controller = this.#controller;
    this.#controller = undefined;
    try {
      controller?.close();
    } catch {
      // The SDK has cancelled it already.
    }
  }
}

function parseMessage(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return (value as Record<string, unknown>)['jsonrpc'] === '2.0' ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}
