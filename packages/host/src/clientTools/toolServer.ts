import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ClientTools, ToolServer } from '../agents/clientTools.js';
import { isOwnUser } from './isOwnUser.js';
import { MAX_MCP_BYTES, type McpAnswer, McpTools } from './mcpTools.js';
import { TOOL_SERVER_NAME } from './toolOfCall.js';

const ADDRESS = '127.0.0.1';
const PATH = '/mcp';
const MAX_CONNECTIONS = 32;
/** Programs give up on an answer that does not begin. Then the answer is a stream, with a sign of life now and then. */
const PATIENCE_MS = 10_000;

/**
 * Serves the tools of one session to its agent: on a port of its own, on this machine only, whatever address the host listens on.
 * The token is made for it and works nowhere else.
 */
export async function serveTools(
  tools: Pick<ClientTools, 'all' | 'call'>,
  closing: AbortSignal,
  patienceMs = PATIENCE_MS,
): Promise<ToolServer> {
  closing.throwIfAborted();
  const token = randomBytes(32).toString('base64url');
  const expected = digest(`Bearer ${token}`);
  const mcp = new McpTools(tools);
  let host = '';
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 30_000, keepAliveTimeout: 60_000 });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void answer(request, response).catch(() => response.destroy());
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Some agents put the token into a command line, which other users of the machine can read.
    const status = refusal(request, host, expected) ?? ((await isOwnUser(request.socket)) ? undefined : 403);
    if (status === undefined) await serve(mcp, request, response, patienceMs);
    else refuse(response, status);
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, ADDRESS, resolve);
  });
  host = `${ADDRESS}:${(server.address() as AddressInfo).port}`;
  // An agent must not keep the host from ending.
  server.unref();
  const dispose = () => {
    closing.removeEventListener('abort', dispose);
    server.close();
    server.closeAllConnections();
  };
  if (closing.aborted) dispose();
  closing.addEventListener('abort', dispose, { once: true });
  return {
    name: TOOL_SERVER_NAME,
    url: `http://${host}${PATH}`,
    headers: { Authorization: `Bearer ${token}` },
    dispose,
  };
}

/** The status to refuse a request with. A browser sends an `Origin`, or a name that points here: no agent does. */
function refusal({ headers, method, url }: IncomingMessage, host: string, expected: Buffer): number | undefined {
  if (headers.host !== host || headers.origin !== undefined) return 403;
  if (!timingSafeEqual(digest(headers.authorization ?? ''), expected)) return 401;
  if (url !== PATH) return 404;
  if (method !== 'POST') return 405;
  return /^application\/json\b/.test(headers['content-type'] ?? '') ? undefined : 415;
}

function refuse(response: ServerResponse, status: number): void {
  const allow = status === 405 ? { allow: 'POST' } : {};
  // No body is read: the answer ends the connection.
  response.writeHead(status, { connection: 'close', ...allow }).end();
}

async function serve(
  mcp: McpTools,
  request: IncomingMessage,
  response: ServerResponse,
  patienceMs: number,
): Promise<void> {
  const left = new AbortController();
  response.on('close', () => left.abort(new Error('the agent closed the connection')));
  const body = await read(request).catch(() => undefined);
  if (body === undefined) return refuse(response, 413);
  const answer = mcp.receive(body, left.signal);
  if (!answer) response.writeHead(202).end();
  else await send(response, answer, { patienceMs, mayStream: request.headers.accept?.includes('text/event-stream') });
}

async function read(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > MAX_MCP_BYTES) throw new Error('too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

async function send(
  response: ServerResponse,
  answer: McpAnswer,
  { patienceMs, mayStream = false }: { readonly patienceMs: number; readonly mayStream: boolean | undefined },
): Promise<void> {
  const { id, progressToken } = answer;
  let signs = 0;
  const alive = setInterval(() => {
    if (!mayStream) return;
    if (signs++ === 0) response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    const params = { progressToken, progress: signs };
    const progress = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params });
    response.write(progressToken === undefined ? ': still running\n\n' : event(progress));
  }, patienceMs).unref();
  const body = 'error' in answer ? { error: answer.error } : { result: await answer.result };
  clearInterval(alive);
  const json = JSON.stringify({ jsonrpc: '2.0', id, ...body });
  if (response.destroyed) return;
  if (signs > 0) response.end(event(json));
  else response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(json);
}

function event(json: string): string {
  return `event: message\ndata: ${json}\n\n`;
}

/** Of the same length for all, to be compared in constant time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
