import { once } from 'node:events';
import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { startHostIfNone } from '../acp/backgroundHost.js';
import { EXIT } from '../commandError.js';
import { type AddressOptions, hostAddress } from '../hostAddress.js';
import { readVersion } from '../readVersion.js';
import { HostTools, type Params, ToolsError } from './hostTools.js';

export interface ServeMcpOptions {
  readonly address: AddressOptions;
  readonly startsHost: boolean;
}

/** Calls that wait at the same time. The host has its own limits. */
const MAX_CALLS = 64;

/** Speaks MCP on standard input and output until the other side is gone, and passes each call on to the host. */
export async function serveMcp({ address: options, startsHost }: ServeMcpOptions): Promise<number> {
  const { stdin, stdout, stderr } = process;
  if (stdin.isTTY) stderr.write('An agent starts this and speaks MCP with it; docs/mcp.md says how. Ctrl+D ends it.\n');
  // Nothing but the protocol may get there.
  console.log = console.info = console.debug = console.error;
  stdout.removeAllListeners('error');
  const gone = new Promise<void>((resolve) => {
    stdout.on('error', () => resolve());
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  const tools = new HostTools({
    find: async () => {
      if (startsHost) await startHostIfNone(options, process.argv[1] ?? '');
      return hostAddress(options);
    },
  });
  const served = serveStdio(() => server(tools), { onerror: (error) => stderr.write(`${error.message}\n`) });
  await Promise.race([gone, once(stdin, 'end').catch(() => {}), once(stdin, 'close')]);
  await served.close();
  // A pipe that nobody reads would keep the process.
  setTimeout(() => process.exit(), 1_000).unref();
  stdin.destroy();
  return EXIT.ok;
}

function server(tools: HostTools): Server {
  const server = new Server(
    { name: 'agenthost', title: 'agenthost', version: readVersion() },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  let calls = 0;
  server.setRequestHandler('tools/list', async (_request, { mcpReq }) => {
    const found = await tools.ask('tools/list', {}, mcpReq.signal).catch(asProtocolError);
    return found as unknown as ListToolsResult;
  });
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given } }, { mcpReq }) => {
    if (calls >= MAX_CALLS)
      return failed('tooManyRequests', 'Too many calls wait for an answer. Wait for some of them first.');
    const progressToken = mcpReq._meta?.progressToken;
    const params: Params = {
      name,
      ...(given && { arguments: given }),
      ...(progressToken !== undefined && { _meta: { progressToken } }),
    };
    const tell = (told: Params) =>
      void mcpReq.notify({ method: 'notifications/progress', params: told as never }).catch(() => {});
    calls++;
    try {
      return (await tools.ask('tools/call', params, mcpReq.signal, tell)) as CallToolResult;
    } catch (error) {
      if (error instanceof ToolsError) return failed(error.code, error.message);
      throw error;
    } finally {
      calls--;
    }
  });
  return server;
}

const INSTRUCTIONS = `Sessions of AI coding agents on a host of agenthost. create_session starts one and sends it a message; wait_for_turn waits
for the answer; answer_question answers what its agent asks. People see these sessions, and take part in them. Errors say what to do.`;

function failed(error: string, message: string): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify({ error, message }) }], isError: true };
}

function asProtocolError(error: unknown): never {
  if (!(error instanceof ToolsError)) throw error;
  throw new ProtocolError(ProtocolErrorCode.InternalError, error.message);
}
