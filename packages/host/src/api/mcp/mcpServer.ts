import type { IncomingHttpHeaders } from 'node:http';
import { parseSessionUri, type Role, roleIncludes, type URI } from '@agenthost/protocol';
import { roleForAction, roleForMethod, SESSION_HEADER } from '@agenthost/protocol/internal';
import { type CallToolResult, Server, type Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Credential } from '../../connection/credential.js';
import { describeIssues, FIRST_ISSUE } from '../../describeIssues.js';
import { clientIdOf, type Keyed, unkeyed } from '../idempotency.js';
import { InProcessClient } from '../inProcessClient.js';
import { internalProblem, Problem, problemOf } from '../problem.js';
import type { McpRouteOptions } from './mcpRoute.js';
import type { SessionQuota } from './sessionQuota.js';
import { ToolCall } from './toolCall.js';
import { findTool, isRead, MCP_TOOLS, type McpTool } from './tools.js';

/** One request, and whose it is. */
export interface Exchange {
  readonly credential: Credential;
  readonly caller: URI | undefined;
  /** Makes a call that changes something happen once, however often it is sent. */
  readonly key: string | undefined;
  readonly signal: AbortSignal;
}

type Services = McpRouteOptions & { readonly quota: SessionQuota };

const INSTRUCTIONS = `Sessions of AI coding agents that run on this host. create_session starts one and sends it a message; wait_for_turn waits for
the answer; answer_question answers what its agent asks. People see these sessions, and take part in them. Errors say what to do.`;

/** Who a request says that it is from. A program that is no agent of a host says nothing. */
export function callerOf(headers: IncomingHttpHeaders): URI | undefined {
  const session = headers[SESSION_HEADER];
  if (session === undefined || session === '') return undefined;
  if (typeof session === 'string' && parseSessionUri(session)) return session;
  throw new Problem(400, 'invalidRequest', `The header ${SESSION_HEADER} names no session.`, {
    whatToDo: 'Send the session of the agent that asks, or leave it out.',
  });
}

/** A server for one request. */
export function mcpServer(exchange: Exchange, services: Services): Server {
  const { credential } = exchange;
  const server = new Server(
    { name: 'agenthost', title: 'agenthost', version: services.version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', () => ({ tools: listedTools(credential.role) }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { _meta, signal, notify } = context.mcpReq;
    const progressToken = _meta?.progressToken;
    let progress = 0;
    return callTool(params.name, params.arguments ?? {}, exchange, {
      ...services,
      signal: AbortSignal.any([exchange.signal, signal]),
      progress: async (message) => {
        if (progressToken === undefined) return;
        progress++;
        await notify({ method: 'notifications/progress', params: { progressToken, progress, message } });
      },
    });
  });
  return server;
}

interface Call extends Services {
  readonly signal: AbortSignal;
  readonly progress: (message: string) => Promise<void>;
}

async function callTool(name: string, given: object, exchange: Exchange, call: Call): Promise<CallToolResult> {
  const { credential, key } = exchange;
  try {
    const tool = findTool(name);
    if (!tool)
      throw new Problem(404, 'noSuchTool', `There is no tool ${JSON.stringify(name.slice(0, 50))}.`, {
        whatToDo: `There are ${Object.keys(MCP_TOOLS).join(', ')}.`,
      });
    const parsed = tool.input.safeParse(given, FIRST_ISSUE);
    if (!parsed.success)
      throw new Problem(400, 'invalidRequest', `${describeIssues(parsed.error.issues, 'arguments')}.`, {
        whatToDo: 'Look at the schema of the tool.',
      });
    const run = async (keyed: Keyed) => ({
      status: 200,
      body: await runTool(tool, parsed.data, exchange, call, keyed),
    });
    if (key === undefined || isRead(tool)) return text((await run(unkeyed())).body);
    const content = `mcp\0${name}\0${exchange.caller ?? ''}\0${JSON.stringify(parsed.data)}`;
    return text((await call.idempotency.once({ credential, key, content }, run)).answer.body ?? {});
  } catch (error) {
    const problem = problemOf(error) ?? internalProblem();
    if (problem.status === 500 && !call.signal.aborted) call.log.error(`the tool ${name} failed`, error);
    return { ...text(toldProblem(problem)), isError: true };
  }
}

async function runTool(tool: McpTool, args: object, exchange: Exchange, call: Call, keyed: Keyed): Promise<object> {
  const { credential, caller } = exchange;
  const { signal, progress, quota, attach } = call;
  signal.throwIfAborted();
  const name = caller === undefined ? 'MCP' : 'another agent';
  const client = await InProcessClient.open(attach, credential, clientIdOf(keyed), undefined, name);
  const leave = () => client.dispose();
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await tool.run(
      new ToolCall({ client, caller, quota, signal, progress, tokenId: credential.id, args: { ...args }, ...keyed }),
    );
  } catch (error) {
    throw problemOf(error) ?? error;
  } finally {
    signal.removeEventListener('abort', leave);
    client.dispose();
  }
}

/** What a token may use. The host checks each call all the same. */
function listedTools(role: Role): Tool[] {
  return Object.entries(MCP_TOOLS as Readonly<Record<string, McpTool>>)
    .filter(([, { commands = [], actions = [] }]) =>
      [...commands.map(roleForMethod), ...actions.map((type) => roleForAction({ type }))].every((least) =>
        roleIncludes(role, least),
      ),
    )
    .map(([name, tool]) => ({
      name,
      title: tool.title,
      description: tool.description,
      inputSchema: schemaOf(tool),
      annotations: { readOnlyHint: isRead(tool), openWorldHint: !isRead(tool) },
    }));
}

const schemas = new Map<McpTool, Tool['inputSchema']>();

function schemaOf(tool: McpTool): Tool['inputSchema'] {
  const known = schemas.get(tool);
  if (known) return known;
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, { io: 'input' });
  schemas.set(tool, schema as Tool['inputSchema']);
  return schema as Tool['inputSchema'];
}

function text(value: object): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] };
}

/** What HTTP for scripts says in the words of its routes. */
const WHAT_TO_DO: Readonly<Record<string, string>> = {
  sessionNotFound: 'list_sessions tells which there are.',
  invalidRequest: 'Look at the schema of the tool.',
  noAgentForProvider: 'list_agents tells which there are.',
  turnInProgress: 'Wait for its end with wait_for_turn, or send the message with kind "queued".',
  sessionNotReady: 'Wait for its agent with wait_for_turn.',
};

function toldProblem({ code, message, options }: Problem): object {
  const whatToDo = WHAT_TO_DO[code] ?? options.whatToDo;
  return { error: code, message, whatToDo, ...options.data };
}
