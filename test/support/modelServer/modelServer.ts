// A model on loopback that says what a test tells it to, in the protocols that agents speak. README.md beside it says how.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type ModelReply, type ScriptedReply, text } from './modelReply.js';
import { type ModelRequest, promptOf } from './modelRequest.js';
import { type Body, nextId, pieces, record, type StreamedAnswer, type Wire } from './wire.js';
import { anthropicMessages } from './wires/anthropicMessages.js';
import { chatCompletions } from './wires/chatCompletions.js';
import { gemini } from './wires/gemini.js';
import { responses } from './wires/responses.js';

const WIRES: readonly Wire[] = [chatCompletions, responses, anthropicMessages, gemini];
const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** Older requests are forgotten: no test asks for more. */
const MAX_RECORDED = 500;

export interface ModelServerOptions {
  /** Answers requests without tools: titles, summaries, classifiers. */
  readonly extra?: ScriptedReply;
}

interface Script {
  readonly says: string;
  readonly replies: readonly ScriptedReply[];
}

export class ModelServer {
  /** What was asked, oldest first; requests without tools are in it too. */
  readonly requests: ModelRequest[] = [];
  /** Paths that this server knows nothing of, for a look when an agent wants more than is here. */
  readonly unknownPaths: string[] = [];
  readonly #server = createServer((request, response) => {
    this.#handle(request, response).catch(() => response.destroy());
  });
  readonly #stopped = new AbortController();
  readonly #scripts: Script[] = [];
  readonly #queue: ScriptedReply[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #extra: ScriptedReply;

  private constructor({ extra = text('A scripted title') }: ModelServerOptions) {
    this.#extra = extra;
  }

  static async start(options: ModelServerOptions = {}): Promise<ModelServer> {
    const server = new ModelServer(options);
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen(0, '127.0.0.1', resolve);
    });
    return server;
  }

  /** Without a path: agents want `/v1` or not, each in its own way. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Whenever the user's last message contains `says`: the first reply, after its tool calls the second, and so on. */
  script(says: string, ...replies: readonly ScriptedReply[]): this {
    if (replies.length === 0) throw new RangeError(`the script for ${JSON.stringify(says)} has no reply`);
    this.#scripts.push({ says, replies });
    return this;
  }

  /** The next replies to whatever no script is for, in order, each given once. */
  enqueue(...replies: readonly ScriptedReply[]): this {
    this.#queue.push(...replies);
    return this;
  }

  /** The first request that fits, also when it came already. */
  request(fits: (request: ModelRequest) => boolean, timeoutMs = 20_000): Promise<ModelRequest> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        const seen = this.requests.map(({ wire, tools, prompt }) => `${wire} (${tools.length} tools): ${prompt}`);
        reject(new Error(`no such request within ${timeoutMs} ms; there were: ${seen.join(' | ').slice(-2_000)}`));
      }, timeoutMs);
      const look = () => {
        const found = this.requests.find(fits);
        if (!found) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Ends what is being answered, and resolves when the port is free. */
  async dispose(): Promise<void> {
    this.#stopped.abort();
    if (!this.#server.listening) return;
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(incoming);
    const path = incoming.url?.split('?')[0] ?? '/';
    const wire = WIRES.find((candidate) => candidate.owns(path));
    if (!wire) return this.#answerAside(path, response);
    const gone = new AbortController();
    const closed = new Promise<'answered' | 'hungUp'>((resolve) => {
      response.once('close', () => {
        gone.abort();
        resolve(response.writableFinished ? 'answered' : 'hungUp');
      });
    });
    const parsed = wire.parse(body, path);
    const { headers } = incoming;
    const request: ModelRequest = {
      ...parsed,
      ...promptOf(parsed.items),
      wire: wire.name,
      path,
      headers,
      body,
      closed,
    };
    const reply = this.#choose(request);
    this.requests.push(request);
    if (this.requests.length > MAX_RECORDED) this.requests.shift();
    for (const look of [...this.#waiting]) look();
    await this.#answer(wire, request, reply, response, AbortSignal.any([gone.signal, this.#stopped.signal]));
  }

  #choose(request: ModelRequest): ModelReply {
    const made = (reply: ScriptedReply) => (typeof reply === 'function' ? reply(request) : reply);
    // Titles and the like carry the prompt too, so that only what has tools is a step of a turn.
    if (request.tools.length === 0) return made(this.#extra);
    // Some agents put an aborted prompt in front of the next: what was said last counts.
    const place = ({ says }: Script) => request.prompt.lastIndexOf(says);
    const script = this.#scripts.filter((one) => place(one) >= 0).sort((a, b) => place(b) - place(a))[0];
    if (script) return made(script.replies[request.step] ?? afterTools);
    const next = this.#queue.shift();
    return made(next ?? (request.toolResults.length > 0 ? afterTools : text(`You said: ${request.prompt}`)));
  }

  async #answer(
    wire: Wire,
    request: ModelRequest,
    reply: ModelReply,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    if (reply.type === 'hang') return;
    if (reply.type === 'failure') return json(response, reply.status, wire.failure(reply.status, reply.message));
    const streamed = streamedAnswer(reply, signal);
    if (!request.stream) {
      let whole = '';
      for await (const piece of streamed.textPieces) whole += piece;
      return signal.aborted ? undefined : json(response, 200, wire.whole({ ...streamed, text: whole }, request.model));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    for await (const frame of wire.stream(streamed, request.model)) {
      if (signal.aborted) return;
      response.write(frame);
    }
    response.end();
  }

  #answerAside(path: string, response: ServerResponse): void {
    if (path.endsWith('/messages/count_tokens')) json(response, 200, { input_tokens: 10 });
    else if (path.endsWith('/models')) json(response, 200, modelList);
    else {
      if (this.unknownPaths.length < MAX_RECORDED) this.unknownPaths.push(path);
      json(response, 404, { error: { message: `the scripted model server knows no ${path}` } });
    }
  }
}

/** What a turn ends with when its script ends with a tool call. */
const afterTools: ScriptedReply = ({ toolResults }) => text(`The tool said: ${toolResults.at(-1) ?? ''}`);

const modelList = {
  object: 'list',
  data: [
    { id: 'scripted-model', object: 'model', type: 'model', display_name: 'Scripted', created: 1, owned_by: 'test' },
  ],
  models: [],
};

function streamedAnswer(reply: Extract<ModelReply, { type: 'answer' | 'slow' }>, signal: AbortSignal): StreamedAnswer {
  if (reply.type === 'slow')
    return { reasoning: '', toolCalls: [], hasText: true, textPieces: slowPieces(reply, signal) };
  const { reasoning = '', text = '', toolCalls = [] } = reply;
  return {
    reasoning,
    toolCalls: toolCalls.map((call) => ({ ...call, id: nextId('call') })),
    hasText: text !== '',
    textPieces: quickPieces(text),
  };
}

async function* quickPieces(text: string): AsyncGenerator<string> {
  yield* pieces(text);
}

async function* slowPieces(
  { piece, pieces, everyMs }: Extract<ModelReply, { type: 'slow' }>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for (let sent = 0; sent < pieces && !signal.aborted; sent++) {
    yield piece;
    await delay(everyMs, undefined, { signal }).catch(() => {});
  }
}

async function readBody(incoming: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error('the request is too large');
    chunks.push(chunk);
  }
  try {
    return record(JSON.parse(Buffer.concat(chunks).toString() || '{}'));
  } catch {
    return {};
  }
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
