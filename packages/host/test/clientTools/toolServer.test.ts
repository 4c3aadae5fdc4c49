import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import type { CallClientToolResult, SessionState } from '@agenthost/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestHost, type TestHost } from '../../../../test/support/testHost.js';
import { until } from '../../../../test/support/until.js';
import type { ToolServer } from '../../src/agents/clientTools.js';
import { SessionTools } from '../../src/clientTools/sessionTools.js';
import { serveTools } from '../../src/clientTools/toolServer.js';

interface Answer {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

interface Served {
  readonly url: string;
  readonly authorization: string;
}

/** A request as an agent, or anybody else on the machine, would make it. */
async function post(
  { url, authorization }: Served,
  body: string | object,
  change: object = {},
  onBegun = () => {},
): Promise<Answer> {
  const headers = { authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const { method = 'POST', path, ...other } = change as Record<string, string>;
  const sent = request(new URL(path ?? '', url), { method, headers: { ...headers, ...other }, agent: false });
  sent.end(typeof body === 'string' ? body : JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  onBegun();
  const all = await text(response);
  return { status: response.statusCode, type: response.headers['content-type'], body: all };
}

const call = (name: string, input: object = {}) => ({ method: 'tools/call', params: { name, arguments: input } });
const resultOf = ({ body }: Answer) => (JSON.parse(body) as { result: unknown }).result;
const errorOf = ({ body }: Answer) => (JSON.parse(body) as { error: { code: number } }).error.code;

describe('point 21: the MCP server for the tools of clients', () => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startTestHost({}, { address: '0.0.0.0' });
  });
  afterAll(() => host.dispose());
  const local = () => new URL(`http://127.0.0.1:${host.url.port}`);
  const signals: AbortSignal[] = [];
  afterEach(() => signals.splice(0));

  /** A session with a tool, whose agent says where the server is. */
  async function served() {
    const client = await host.connect({ url: local(), clientInfo: { name: 'Ada' } });
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    await session.registerTools([
      { name: 'ring', description: 'Rings.', inputSchema: { type: 'object' }, handler: () => 'Rung.' },
      {
        name: 'wait',
        description: 'Waits.',
        handler: (_, { signal }) => {
          signals.push(signal);
          return new Promise(() => {});
        },
      },
    ]);
    await session.send('mcp-server');
    const address = (state: SessionState) => {
      const [part] = state.activeTurn?.responseParts ?? [];
      return /^(\S+) (Bearer \S+)$/.exec(part?.kind === 'markdown' ? part.content : '');
    };
    const said = await until(session.confirmed, (state) => address(state) !== null, 'the address');
    const [, url = '', authorization = ''] = address(said) ?? [];
    return { client, session, at: { url, authorization } };
  }

  const status = async (at: Served, change: object, body: object | string = { method: 'ping' }) =>
    (await post(at, body, change)).status;

  it('serves the tools of its session, and calls them', async () => {
    const { at } = await served();
    const { result } = JSON.parse(
      (await post(at, { method: 'initialize', params: { protocolVersion: '2025-03-26' } })).body,
    ) as { result: object };
    expect(result).toMatchObject({ protocolVersion: '2025-03-26', capabilities: { tools: {} } });
    expect(resultOf(await post(at, { method: 'tools/list' }))).toEqual({
      tools: [
        { name: 'ring', description: 'Rings.', inputSchema: { type: 'object' } },
        { name: 'wait', description: 'Waits.', inputSchema: { type: 'object' } },
      ],
    });
    expect(resultOf(await post(at, call('ring')))).toEqual({ content: [{ type: 'text', text: 'Rung.' }] });
    expect(resultOf(await post(at, call('none')))).toMatchObject({ isError: true });
    expect((await post(at, '{"jsonrpc":"2.0","method":"notifications/initialized"}')).status).toBe(202);
  });

  it('answers to its own token only, compared as a whole', async () => {
    const { at } = await served();
    const { at: other } = await served();
    const { authorization } = at;
    expect(authorization.length).toBeGreaterThanOrEqual('Bearer '.length + 43);
    const wrong = ['', 'Bearer ', authorization.slice(0, -1), `${authorization}x`, authorization.toLowerCase()];
    for (const one of [...wrong, other.authorization, `Bearer ${host.token}`]) {
      expect(await status(at, { authorization: one })).toBe(401);
    }
    // Nor does its token open the host.
    const [, token = ''] = authorization.split(' ');
    await expect(host.connect({ url: local(), token })).rejects.toThrow();
  });

  it('answers under its own name, and to no browser', async () => {
    const { at } = await served();
    const { port, host: name } = new URL(at.url);
    for (const one of ['evil.example.org', `evil.example.org:${port}`, `localhost:${port}`, '127.0.0.1']) {
      expect(await status(at, { host: one })).toBe(403);
    }
    for (const origin of ['https://evil.example.org', 'null', `http://${name}`, host.url.origin]) {
      expect(await status(at, { origin })).toBe(403);
    }
  });

  it('takes JSON by POST at its path, of a bounded length, and nothing else', async () => {
    const { at } = await served();
    for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS']) expect(await status(at, { method }, '')).toBe(405);
    for (const path of ['/', '/mcp/', '/mcp?x=1', '/../mcp/x']) expect(await status(at, { path })).toBe(404);
    expect(await status(at, { 'content-type': 'text/plain' })).toBe(415);
    const long = await post(at, { method: 'ping', params: { text: 'x'.repeat(1_100_000) } }).catch(() => undefined);
    expect(long?.status).not.toBe(200);
    expect(errorOf(await post(at, '{'))).toBe(-32_700);
    expect(errorOf(await post(at, '[]'))).toBe(-32_600);
    expect(
      errorOf(await post(at, `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(99)}${']'.repeat(99)}}`)),
    ).toBe(-32_600);
    expect(errorOf(await post(at, '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}'))).toBe(-32_600);
    expect(errorOf(await post(at, { method: 'resources/list' }))).toBe(-32_601);
    expect(errorOf(await post(at, { method: 'tools/call', params: { name: 1 } }))).toBe(-32_602);
    expect(resultOf(await post(at, { method: 'ping' }))).toEqual({});
  });

  it('is on this machine only, also where the host listens on all addresses', async () => {
    const { at } = await served();
    const { hostname, port } = new URL(at.url);
    expect(hostname).toBe('127.0.0.1');
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const others = addresses
      .filter(({ internal, family }) => !internal && family === 'IPv4')
      .map(({ address }) => address);
    for (const address of process.platform === 'linux' ? ['127.0.0.2', ...others] : others) {
      const socket = connect(Number(port), address);
      const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
      expect([address, error.code]).toEqual([address, 'ECONNREFUSED']);
    }
  });

  it.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
    'answers no other user of the machine',
    async () => {
      const { at } = await served();
      const script = `const r = await fetch(${JSON.stringify(at.url)}, { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      headers: { authorization: ${JSON.stringify(at.authorization)}, 'content-type': 'application/json' } }); console.log(r.status)`;
      const statusAs = async (uid: number) => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script], { uid, cwd: '/', env: {} });
        return (await text(child.stdout)).trim();
      };
      expect(await statusAs(0)).toBe('200');
      expect(await statusAs(65_534)).toBe('403');
    },
  );

  it('ends with the agent, and with the session', async () => {
    const { at, session, client } = await served();
    await session.cancel();
    await until(session.confirmed, ({ turns }) => turns.length === 1, 'the end of the turn');
    await expect(post(at, { method: 'ping' })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const second = await served();
    await client.disposeSession(second.session.uri);
    await expect(post(second.at, { method: 'ping' })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('tells the client when the agent gives up a call', async () => {
    const { at } = await served();
    const first = post(at, { ...call('wait'), id: 7 });
    await begun(1);
    // The id is in use.
    expect(errorOf(await post(at, { ...call('wait'), id: 7 }))).toBe(-32_600);
    await post(at, '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}');
    expect(resultOf(await first)).toMatchObject({ isError: true });
    const sent = request(at.url, {
      method: 'POST',
      agent: false,
      headers: { authorization: at.authorization, 'content-type': 'application/json' },
    });
    sent.on('error', () => {});
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 8, ...call('wait') }));
    await begun(2);
    sent.destroy();
    await Promise.all(signals.map((signal) => signal.aborted || once(signal, 'abort')));
  });

  async function begun(count: number): Promise<void> {
    await expect.poll(() => signals.length).toBe(count);
  }
});

describe('the tools of one session', () => {
  const gate = () => Promise.withResolvers<unknown>();

  function tools(answer: () => Promise<unknown>, limits = {}) {
    const session = new SessionTools({ session: 'mock:/s1', tell: () => {}, newId: () => crypto.randomUUID(), limits });
    const subscriber = {};
    const inputSchema = { type: 'object' };
    session.set({ author: { clientId: 'a', name: 'Ada' }, key: 'a', subscriber, call: answer }, [
      { name: 'ring', description: '', inputSchema },
    ]);
    onTestFinished(() => session.dispose());
    return session;
  }
  const ring = (session: SessionTools) => session.call('ring', {}, new AbortController().signal);
  const said = ({ content }: CallClientToolResult) => (content[0]?.type === 'text' ? content[0].text : '');

  it('[CTOOL6] end a call that takes too long, and take so many at a time', async () => {
    const late = tools(() => new Promise(() => {}), { callMs: 20 });
    expect(said(await ring(late))).toBe('ring did not answer within 0.02 s.');
    const { promise, resolve } = gate();
    const busy = tools(() => promise, { callsInFlight: 2 });
    const running = [ring(busy), ring(busy)];
    expect(said(await ring(busy))).toContain('2 calls');
    resolve({ content: [] });
    await Promise.all(running);
    expect(await ring(busy)).toEqual({ content: [] });
  });

  it('[CTOOL6] take no answer of any size, whatever the client is', async () => {
    const text = 'x'.repeat(600_000);
    const large = tools(async () => ({ content: [text, text].map((one) => ({ type: 'text', text: one })) }));
    expect(said(await ring(large))).toBe('The answer of ring is too large: 1200000 of at most 1048576 characters.');
  });

  it('a long call has a stream as its answer, with signs of life', async () => {
    const { promise, resolve } = gate();
    const session = tools(() => promise);
    const server: ToolServer = await serveTools(session, new AbortController().signal, 20);
    onTestFinished(() => server.dispose());
    const at = { url: server.url, authorization: server.headers['Authorization'] ?? '' };
    const params = { name: 'ring', _meta: { progressToken: 'p' } };
    // Its answer begins while the call runs.
    const begun = () => resolve({ content: [{ type: 'text', text: 'Rung.\n\ndata: {}' }] });
    const { type, body } = await post(at, { method: 'tools/call', params }, {}, begun);
    expect(type).toBe('text/event-stream');
    const events = body.split('\n\n').filter(Boolean);
    const messages = events.map((event) => JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '') as object);
    expect(messages[0]).toMatchObject({
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: 1 },
    });
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'Rung.\n\ndata: {}' }] } });
  });
});
