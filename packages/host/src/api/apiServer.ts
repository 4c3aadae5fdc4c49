import type { IncomingMessage, ServerResponse } from 'node:http';
import type * as z from 'zod';
import { describeIssues, FIRST_ISSUE } from '../describeIssues.js';
import type { HostLog } from '../hostLog.js';
import type { ApiAccess, ServedApi } from '../server/apiGate.js';
import { findApiRoute, MCP_PATH } from '../server/apiRoutes.js';
import { ApiCall } from './apiCall.js';
import { sendContent } from './contentAnswer.js';
import { sendEvents } from './eventAnswer.js';
import { clientIdOf, Idempotency, type Keyed, unkeyed } from './idempotency.js';
import { type Attach, InProcessClient } from './inProcessClient.js';
import type { KeptAnswer, KeyStore } from './keyStore.js';
import type { McpRoute } from './mcp/mcpRoute.js';
import { openApiDocument } from './openApi.js';
import { OPERATIONS, type Operation } from './operations.js';
import { internalProblem, Problem, problemOf, sendProblem } from './problem.js';
import { invalid, parseJson, readBody } from './requestBody.js';
import { RequestRate } from './requestRate.js';
import { StreamedAnswer } from './streamedAnswer.js';

const SCHEMA = 'Look into /api/openapi.json for what this route takes.';

export interface ApiServerOptions {
  readonly attach: Attach;
  readonly keys: () => Promise<KeyStore>;
  readonly instanceId: string;
  readonly version: string;
  readonly log: HostLog;
}

/** HTTP for scripts: each request is a client of the host for its time, and the host's own rules hold for it. */
export class ApiServer implements ServedApi {
  readonly #options: ApiServerOptions;
  readonly #idempotency: Idempotency;
  readonly #rate = new RequestRate();
  #document: Promise<string> | undefined;
  #mcp: Promise<McpRoute> | undefined;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#idempotency = new Idempotency(options.keys, options.instanceId);
  }

  async serve(request: IncomingMessage, response: ServerResponse, access: ApiAccess): Promise<void> {
    // It says itself what happened, where its clients would wait for ever.
    const revoked = pathOf(request) === MCP_PATH ? undefined : access.credential.revoked;
    // Nothing more is sent to a token that does not count, whatever is on its way.
    const cut = () => (response.headersSent ? response.destroy() : undefined);
    revoked?.addEventListener('abort', cut, { once: true });
    response.once('close', () => revoked?.removeEventListener('abort', cut));
    try {
      await this.#serve(request, response, access);
    } catch (error) {
      const problem = problemOf(error) ?? internalProblem();
      if (problem.status === 500) this.#options.log.error(`${request.method} ${pathOf(request)} failed`, error);
      if (!request.complete) response.setHeader('connection', 'close');
      sendProblem(response, problem);
    }
  }

  async describe(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET') return sendProblem(response, wrongMethod('GET'));
    this.#document ??= openApiDocument(this.#options.version);
    const text = await this.#document;
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  }

  refuse(response: ServerResponse, status: number, code: string, detail: string, whatToDo: string): void {
    sendProblem(response, new Problem(status, code, detail, { whatToDo }));
  }

  async #serve(request: IncomingMessage, response: ServerResponse, access: ApiAccess): Promise<void> {
    const { credential } = access;
    const url = new URL(request.url ?? '/', 'http://host');
    if (url.pathname === MCP_PATH) return (await this.#openMcp()).serve(request, response, access);
    const found = findApiRoute(request.method ?? '', url.pathname);
    if (!found) throw new Problem(404, 'noSuchRoute', 'There is nothing at this address.', { whatToDo: SCHEMA });
    if ('methods' in found) throw wrongMethod(found.methods);
    const operation: Operation = OPERATIONS[found.operation];
    this.#rate.begin(credential.id, response, operation.streams === 'events');
    const isRead = request.method === 'GET';
    const text = isRead ? '' : await readBody(request, access, response);
    const form = {
      path: found.path,
      query: readQuery(operation.query, url.searchParams),
      body: isRead ? undefined : parseBody(operation, request, text),
    };
    if (operation.streams) return this.#stream(operation.streams, form, request, response, access);
    const run = async (keyed: Keyed): Promise<KeptAnswer> => {
      const client = await InProcessClient.open(this.#options.attach, credential, clientIdOf(keyed));
      try {
        return (await operation.run?.(new ApiCall({ ...form, client, ...keyed }))) ?? { status: 500 };
      } catch (error) {
        throw problemOf(error) ?? error;
      } finally {
        client.dispose();
      }
    };
    const key = request.headers['idempotency-key'];
    if (isRead || key === undefined) return answer(response, await run(unkeyed()));
    const content = `${request.method}\0${url.pathname}\0${url.searchParams}\0${text}`;
    const once = await this.#idempotency.once({ credential, key: String(key), content }, run);
    answer(response, once.answer, once.isRepeated ? { 'idempotency-replayed': 'true' } : {});
  }

  /** The library for it is loaded when it is first used. */
  #openMcp(): Promise<McpRoute> {
    const { attach, version, log } = this.#options;
    const shared = { attach, version, log, idempotency: this.#idempotency, rate: this.#rate };
    this.#mcp ??= import('./mcp/mcpRoute.js').then(({ McpRoute }) => new McpRoute(shared));
    return this.#mcp;
  }

  async #stream(
    what: NonNullable<Operation['streams']>,
    form: Pick<ApiCall, 'path' | 'query' | 'body'>,
    request: IncomingMessage,
    response: ServerResponse,
    access: ApiAccess,
  ): Promise<void> {
    const streamed = new StreamedAnswer(request, response, access);
    const onNews = what === 'events' ? () => streamed.wake() : undefined;
    const clientId = clientIdOf(unkeyed());
    const client = await InProcessClient.open(this.#options.attach, access.credential, clientId, onNews);
    // Also when the other side has gone while the client was made.
    if (response.destroyed) return client.dispose();
    response.once('close', () => client.dispose());
    const call = new ApiCall({ ...form, client, ...unkeyed() });
    if (what === 'content') await sendContent(call, streamed);
    else await sendEvents(call, streamed);
  }
}

function pathOf(request: IncomingMessage): string {
  return request.url?.split('?', 1)[0] ?? '';
}

function wrongMethod(methods: string): Problem {
  return new Problem(405, 'wrongMethod', 'This address does not take that method.', {
    whatToDo: `It takes ${methods}.`,
    headers: { allow: methods },
  });
}

function answer(
  response: ServerResponse,
  { status, headers, body }: KeptAnswer,
  more: Record<string, string> = {},
): void {
  if (response.destroyed) return;
  const json = body && { 'content-type': 'application/json' };
  response.writeHead(status, { ...json, ...headers, ...more }).end(body && `${JSON.stringify(body)}\n`);
}

/** What is written in an address is text: it is read as a number or as true or false where only that fits. */
function readQuery(schema: z.ZodObject | undefined, params: URLSearchParams): Readonly<Record<string, unknown>> {
  const query: Record<string, unknown> = {};
  for (const [name, text] of params) {
    const field = schema && Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : undefined;
    if (!field) throw invalid(`This route has no parameter ${JSON.stringify(name.slice(0, 50))}.`);
    if (Object.hasOwn(query, name)) throw invalid(`The parameter ${name} is given twice.`);
    const other = /^\d{1,15}$/.test(text) ? Number(text) : text === 'true' ? true : text === 'false' ? false : text;
    query[name] = field.safeParse(text).success ? text : other;
  }
  const parsed = schema?.safeParse(query, FIRST_ISSUE);
  if (parsed && !parsed.success) throw invalid(`${describeIssues(parsed.error.issues, 'query')}.`);
  return query;
}

function parseBody({ body, isBodyOptional }: Operation, { headers }: IncomingMessage, text: string): unknown {
  if (!body) {
    if (text !== '') throw invalid('This route takes no body.');
    return undefined;
  }
  if (text === '' && isBodyOptional) return {};
  const value = parseJson(headers, text);
  const parsed = body.safeParse(value, FIRST_ISSUE);
  if (!parsed.success) throw invalid(`${describeIssues(parsed.error.issues, 'body')}.`);
  return parsed.data;
}
