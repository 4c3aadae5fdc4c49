import type { ClientTool } from '@agenthost/protocol';
import { RPC_ERROR } from '@agenthost/rpc';
import { type Message, parseMessage, type RequestId } from '@agenthost/rpc/internal';
import type { ClientTools } from '../agents/clientTools.js';
import { HOST_VERSION } from '../version.js';
import { TOOL_SERVER_NAME } from './toolOfCall.js';

/** The newest first. Between these versions nothing has changed that this server uses. */
const MCP_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const MCP_LIMITS = { maxFrameBytes: 1024 * 1024, maxDepth: 64, maxValues: 65_536 };

export const MAX_MCP_BYTES = MCP_LIMITS.maxFrameBytes;

/** What a message is answered with; nothing for a notification. */
export type McpAnswer = { readonly id: RequestId | null; readonly progressToken?: RequestId } & (
  | { readonly result: object | Promise<object> }
  | { readonly error: { readonly code: number; readonly message: string } }
);

/** The part of MCP that an agent needs to use tools: `initialize`, `ping`, `tools/list`, `tools/call`. It has no state but the calls. */
export class McpTools {
  readonly #tools: Pick<ClientTools, 'all' | 'call'>;
  readonly #running = new Map<RequestId, AbortController>();

  constructor(tools: Pick<ClientTools, 'all' | 'call'>) {
    this.#tools = tools;
  }

  /** `signal` aborts when nobody waits for the answer any more. */
  receive(text: string, signal: AbortSignal): McpAnswer | undefined {
    const message = parseMessage(text, MCP_LIMITS);
    switch (message.kind) {
      case 'request':
        return this.#answer(message, signal);
      case 'notification':
        if (message.method === 'notifications/cancelled') this.#cancel(message.params);
        return undefined;
      case 'malformed':
        return { id: message.id, error: { code: message.code, message: message.message } };
      default:
        return undefined;
    }
  }

  #answer({ id, method, params }: Message & { kind: 'request' }, signal: AbortSignal): McpAnswer {
    switch (method) {
      case 'initialize':
        return { id, result: initialized(params) };
      case 'ping':
        return { id, result: {} };
      case 'tools/list':
        return { id, result: { tools: this.#tools.all.map(mcpTool) } };
      case 'tools/call':
        return this.#call(id, params ?? {}, signal);
      default:
        return { id, error: { code: RPC_ERROR.methodNotFound, message: `there is no method ${method.slice(0, 100)}` } };
    }
  }

  #call(id: RequestId, params: object, signal: AbortSignal): McpAnswer {
    const { name, arguments: input = {}, _meta } = params as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string') {
      return { id, error: { code: RPC_ERROR.invalidParams, message: 'name must be a string' } };
    }
    if (this.#running.has(id)) {
      return { id, error: { code: RPC_ERROR.invalidRequest, message: 'a call with this id is running already' } };
    }
    const cancelled = new AbortController();
    this.#running.set(id, cancelled);
    const result = this.#tools
      .call(name, input, AbortSignal.any([signal, cancelled.signal]))
      .finally(() => this.#running.delete(id));
    const token = (_meta as { readonly progressToken?: unknown } | null | undefined)?.progressToken;
    const isToken = typeof token === 'number' || (typeof token === 'string' && token.length <= 256);
    return { id, result, ...(isToken && { progressToken: token }) };
  }

  #cancel(params: object | undefined): void {
    const { requestId } = (params ?? {}) as { readonly requestId?: unknown };
    this.#running.get(requestId as RequestId)?.abort(new Error('the agent cancelled the call'));
  }
}

function initialized(params: object | undefined): object {
  const { protocolVersion } = (params ?? {}) as { readonly protocolVersion?: unknown };
  const version = MCP_VERSIONS.find((one) => one === protocolVersion) ?? MCP_VERSIONS[0];
  return {
    protocolVersion: version,
    capabilities: { tools: {} },
    serverInfo: { name: TOOL_SERVER_NAME, version: HOST_VERSION },
  };
}

/** Without hints that it changes nothing: agents ask about it as about any other tool. */
function mcpTool({ name, title, description, inputSchema }: ClientTool): object {
  return { name, ...(title !== undefined && { title }), description, inputSchema };
}
