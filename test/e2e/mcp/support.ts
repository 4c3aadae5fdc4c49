import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { CLI, type TestHost } from '../../support/testHost.js';

interface Reached {
  readonly url: URL;
  readonly token: string;
}

interface HttpOptions {
  readonly token?: string;
  /** The session whose agent it is. */
  readonly session?: string;
  /** The newest form of the protocol, in which no request needs another one before it. */
  readonly isModern?: boolean;
}

/** The official client over streamable HTTP. */
export async function overHttp(
  host: Reached,
  { token = host.token, session, isModern }: HttpOptions = {},
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    isModern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
  );
  const headers = { authorization: `Bearer ${token}`, ...(session !== undefined && { 'agenthost-session': session }) };
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', host.url), {
    requestInit: { headers },
  });
  await client.connect(transport);
  return client;
}

interface StdioOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The official client with `agenthost mcp` as its server. */
export async function overStdio(
  { stateDir }: Pick<TestHost, 'stateDir'>,
  { args = ['--no-start'], env = {} }: StdioOptions = {},
): Promise<{ readonly client: Client; readonly transport: StdioClientTransport }> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', '--state-dir', stateDir, ...args],
    env: { PATH: process.env['PATH'] ?? '', HOME: stateDir, ...env },
    stderr: 'inherit',
  });
  await client.connect(transport);
  return { client, transport };
}

// biome-ignore lint/suspicious/noExplicitAny: what came is compared, not used
export type Told = any;

/** What a tool answered; an error of the tool has `error`. */
export async function call(client: Client, name: string, args: object = {}, options: object = {}): Promise<Told> {
  const result = (await client.callTool({ name, arguments: { ...args } }, options)) as CallToolResult;
  const [content] = result.content;
  if (content?.type !== 'text') throw new Error('a tool answers with text');
  const told = JSON.parse(content.text) as object;
  if ((result.isError === true) !== 'error' in told) throw new Error(`isError is ${result.isError}: ${content.text}`);
  return told;
}

/** A session of the mock agent, with its first message carried out. */
export async function started(
  client: Client,
  message: string,
): Promise<{ readonly session: string; readonly turnId: string }> {
  return call(client, 'create_session', { agent: 'mock', message });
}
