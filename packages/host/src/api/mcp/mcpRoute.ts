import type { IncomingMessage, ServerResponse } from 'node:http';
import { createMcpHandler, type McpHttpHandler, type McpRequestContext } from '@modelcontextprotocol/server';
import type { HostLog } from '../../hostLog.js';
import type { ApiAccess } from '../../server/apiGate.js';
import type { Idempotency } from '../idempotency.js';
import type { Attach } from '../inProcessClient.js';
import { Problem, sendProblem } from '../problem.js';
import { parseJson, readBody } from '../requestBody.js';
import type { RequestRate } from '../requestRate.js';
import { StreamedAnswer } from '../streamedAnswer.js';
import { callerOf, type Exchange, mcpServer } from './mcpServer.js';
import { SessionQuota } from './sessionQuota.js';
import { findTool } from './tools.js';

export interface McpRouteOptions {
  readonly attach: Attach;
  readonly idempotency: Idempotency;
  readonly rate: RequestRate;
  readonly version: string;
  readonly log: HostLog;
}

/** Subscriptions to changes of the list of tools, which has none. */
const MAX_SUBSCRIPTIONS = 64;
const GOODBYE_MS = 500;
/** Of JSON-RPC, from the range that is free for servers. */
const UNAUTHORIZED = -32_001;
/** What comes besides the content type, and what the library compares with the body. */
const PASSED = ['accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'];

/** `/mcp`: streamable HTTP without sessions of its own. Each request stands alone, so it can be sent to any host at any time. */
export class McpRoute {
  readonly #options: McpRouteOptions;
  readonly #handler: McpHttpHandler;
  readonly #quota = new SessionQuota();

  constructor(options: McpRouteOptions) {
    this.#options = options;
    this.#handler = createMcpHandler((context) => this.#serverFor(context), {
      responseMode: 'sse',
      maxSubscriptions: MAX_SUBSCRIPTIONS,
    });
  }

  async serve(request: IncomingMessage, response: ServerResponse, access: ApiAccess): Promise<void> {
    if (request.method !== 'POST')
      throw new Problem(405, 'wrongMethod', 'This address does not take that method.', {
        whatToDo: 'It takes POST: there are no sessions of MCP here, and nothing is sent without being asked for.',
        headers: { allow: 'POST' },
      });
    const { rate } = this.#options;
    const goesOnAsStream = rate.begin(access.credential.id, response, false);
    const left = new AbortController();
    response.once('close', () => left.abort(new Error('the other side has closed the connection')));
    let id: unknown;
    endWhenRevoked(access, response, left, () => id);
    const body = parseJson(request.headers, await readBody(request, access, response));
    if ('id' in body) id = body.id;
    if (waits(body)) goesOnAsStream();
    const exchange: Exchange = {
      credential: access.credential,
      caller: callerOf(request.headers),
      key: request.headers['idempotency-key']?.toString(),
      signal: left.signal,
    };
    const headers = new Headers({ 'content-type': 'application/json' });
    for (const name of PASSED) {
      const value = request.headers[name];
      if (value !== undefined) headers.set(name, String(value));
    }
    const asked = new Request('http://host/mcp', { method: 'POST', headers, signal: left.signal });
    const authInfo = { token: '', clientId: access.credential.id, scopes: [], extra: { exchange } };
    const answer = await this.#handler.fetch(asked, { parsedBody: body, authInfo });
    await send(answer, new StreamedAnswer(request, response, access), left.signal);
  }

  #serverFor({ authInfo }: McpRequestContext) {
    const exchange = authInfo?.extra?.['exchange'] as Exchange;
    return mcpServer(exchange, { ...this.#options, quota: this.#quota });
  }
}

/** Whether the answer to this message takes as long as it likes. */
function waits(body: object): boolean {
  const { method, params } = body as { readonly method?: unknown; readonly params?: { readonly name?: unknown } };
  if (method === 'subscriptions/listen') return true;
  return method === 'tools/call' && findTool(String(params?.name))?.waits === true;
}

/** Nothing more is sent to a token that does not count, but that it does not: clients that get no answer wait for it for ever. */
function endWhenRevoked(
  { credential: { revoked } }: ApiAccess,
  response: ServerResponse,
  left: AbortController,
  id: () => unknown,
): void {
  if (!revoked) return;
  const end = () => {
    if (left.signal.aborted) return;
    const problem = new Problem(401, 'unauthorized', 'The token does not count any more.', {
      whatToDo: 'Send a token that counts.',
      headers: { 'www-authenticate': 'Bearer', connection: 'close' },
    });
    left.abort(problem);
    if (!response.headersSent) return sendProblem(response, problem);
    const message = { jsonrpc: '2.0', id: id() ?? null, error: { code: UNAUTHORIZED, message: problem.message } };
    response.end(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    setTimeout(() => response.destroy(), GOODBYE_MS).unref();
  };
  if (revoked.aborted) end();
  revoked.addEventListener('abort', end, { once: true });
  response.once('close', () => revoked.removeEventListener('abort', end));
}

async function send({ status, headers, body }: Response, streamed: StreamedAnswer, left: AbortSignal): Promise<void> {
  const type = headers.get('content-type');
  if (left.aborted || streamed.isOver) return void (await body?.cancel());
  streamed.begin(status, {
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...(type && { 'content-type': type }),
  });
  if (body) {
    for await (const piece of body) {
      if (left.aborted) return;
      await streamed.write(piece);
      if (left.aborted || streamed.isOver) return;
    }
  }
  streamed.response.end();
}
