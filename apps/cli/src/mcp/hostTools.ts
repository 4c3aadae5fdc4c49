import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { SESSION_HEADER } from '@agenthost/protocol/internal';
import { CommandError, EXIT } from '../commandError.js';
import type { HostAddress } from '../hostAddress.js';
import { defaultAuthorities } from '../socket/upgrade.js';
import { callingSession } from './callingSession.js';
import { readEvents } from './readEvents.js';

export interface HostToolsOptions {
  /** Where the host is now. It may be started for that, and it may be elsewhere after a restart. */
  readonly find: () => Promise<HostAddress>;
  /** How long a host may be away. */
  readonly patienceMs?: number;
}

export type Params = Readonly<Record<string, unknown>>;

/** What was sent may be on its way: it is sent again with the same key, and happens once. */
const PATIENCE_MS = 30_000;
const RETRY_MS = 250;
const VERSION = '2025-11-25';
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** An answer that says why there is none. */
export class ToolsError extends Error {
  /** For programs. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The tools of the host, over HTTP. Each request stands alone: a host that is started again answers the next attempt. */
export class HostTools {
  readonly #options: HostToolsOptions;
  readonly #caller = callingSession();
  #nextId = 1;

  constructor(options: HostToolsOptions) {
    this.#options = options;
  }

  /** `onProgress` gets the params of the host's notifications. Rejects with a `ToolsError` that people and models can read. */
  async ask(
    method: string,
    params: Params,
    signal: AbortSignal,
    onProgress?: (params: Params) => void,
  ): Promise<Params> {
    const asked = { method, params, key: crypto.randomUUID(), signal, onProgress };
    for (let awaySince = performance.now(); ; ) {
      signal.throwIfAborted();
      try {
        const answered = () => {
          awaySince = performance.now();
        };
        return await this.#ask(await this.#options.find(), { ...asked, answered });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ToolsError) throw error;
        const isFinal = error instanceof CommandError && error.exitCode !== EXIT.noHost;
        if (isFinal || performance.now() - awaySince > (this.#options.patienceMs ?? PATIENCE_MS))
          throw unreachable(error);
      }
      await pause(RETRY_MS, undefined, { signal });
    }
  }

  async #ask(address: HostAddress, asked: Asked): Promise<Params> {
    const id = this.#nextId++;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: asked.method, params: asked.params });
    const response = await post(
      address,
      body,
      {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${address.token}`,
        'mcp-protocol-version': VERSION,
        'idempotency-key': asked.key,
        ...(this.#caller !== undefined && { [SESSION_HEADER]: this.#caller }),
      },
      asked.signal,
    );
    asked.answered();
    const isEvents = response.headers['content-type']?.startsWith('text/event-stream') === true;
    if (!isEvents) return answerIn(await readAll(response), response.statusCode ?? 0);
    for await (const data of readEvents(response, MAX_ANSWER_BYTES)) {
      asked.answered();
      const message = JSON.parse(data) as Message;
      if (message.method === 'notifications/progress') asked.onProgress?.(message.params ?? {});
      else if (message.id === id) return resultOf(message);
    }
    throw new Error('the host ended its answer before it was complete');
  }
}

interface Asked {
  readonly method: string;
  readonly params: Params;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly onProgress: ((params: Params) => void) | undefined;
  /** The host is there. */
  readonly answered: () => void;
}

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: Params;
  readonly error?: { readonly message?: string };
}

function resultOf({ result, error }: Message): Params {
  if (result) return result;
  throw new ToolsError('refused', error?.message ?? 'The host gave no answer.');
}

/** No stream: the host refused the request as a whole, or is not what answers there. */
function answerIn(text: string, status: number): Params {
  let answer: Message & { readonly code?: string; readonly detail?: string; readonly whatToDo?: string };
  try {
    answer = JSON.parse(text) as typeof answer;
  } catch {
    throw new Error(`the answer was ${status} and no JSON`);
  }
  // It may come up, or there may be room, in a moment.
  if (status === 503) throw new Error(answer.detail ?? 'the host is not ready');
  const { code = 'refused', detail, whatToDo } = answer;
  if (detail !== undefined) throw new ToolsError(code, [detail, whatToDo].filter(Boolean).join(' '));
  return resultOf(answer);
}

/** Not fetch: that trusts no authority of a host's own. */
function post(
  { url, authority }: HostAddress,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const isSecure = /^(https|wss):$/.test(url.protocol);
  const { request } = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http');
  const address = new URL('/mcp', url);
  address.protocol = isSecure ? 'https:' : 'http:';
  return new Promise((resolve, reject) => {
    const outgoing = request(address, {
      method: 'POST',
      signal,
      agent: false,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      ...(authority !== undefined && { ca: [...defaultAuthorities(), authority] }),
    });
    outgoing.on('error', reject).on('response', resolve).end(body);
  });
}

async function readAll(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of response.setEncoding('utf8')) {
    text += piece;
    if (text.length > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
  }
  return text;
}

function unreachable(error: unknown): ToolsError {
  const cause = error instanceof Error ? error : new Error(String(error));
  const whatToDo = error instanceof CommandError ? error.whatToDo : 'See whether it runs, with agenthost doctor.';
  return new ToolsError('hostUnreachable', `The host can't be reached: ${cause.message} ${whatToDo}`, { cause });
}
