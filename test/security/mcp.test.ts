import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ROLES, roleIncludes } from '@agenthost/protocol';
import { roleForAction, roleForMethod } from '@agenthost/protocol/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MCP_TOOLS, type McpTool } from '../../packages/host/src/api/mcp/tools.js';
import { type Asked, ask } from '../e2e/api/support.js';
import { call, overHttp, overStdio, started } from '../e2e/mcp/support.js';
import { type RolesHost, startRolesHost } from './rolesHost.js';

let host: RolesHost;
beforeAll(async () => {
  host = await startRolesHost();
});
afterAll(() => host.dispose());

const post = (asked: Asked) =>
  ask(host, 'POST', '/mcp', { ...asked, headers: { accept: 'application/json, text/event-stream', ...asked.headers } });
const toolCall = (name: unknown, args: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** One answer that may come in pieces. */
function streamed(token: string, body: object, signal: AbortSignal): Promise<Response> {
  return fetch(new URL('/mcp', host.url), {
    method: 'POST',
    signal,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(body),
  });
}

describe('roles', () => {
  it('each tool is refused to those whom the role table refuses its command or action, listed for the others only', async () => {
    const client = await overHttp(host);
    const { session, turnId } = await started(client, 'slow');
    const target = { session, turnId };
    const ARGS: Readonly<Record<string, object>> = {
      search_sessions: { text: 'x' },
      read_session: { session },
      read_changes: { session },
      create_session: { agent: 'mock' },
      send_message: { session, text: 'x', kind: 'queued' },
      wait_for_turn: { ...target, seconds: 0 },
      answer_question: { ...target, toolCallId: 'x', approved: true },
    };
    for (const role of ROLES) {
      const asked = await overHttp(host, { token: host.tokenOf(role) });
      const { tools } = await asked.listTools();
      for (const [name, { commands = [], actions = [] }] of Object.entries(MCP_TOOLS) as [string, McpTool][]) {
        const needs = [...commands.map(roleForMethod), ...actions.map((type) => roleForAction({ type }))];
        const may = needs.every((needed) => roleIncludes(role, needed));
        const told = await call(asked, name, name === 'cancel' ? { session, turnId: 'other' } : (ARGS[name] ?? {}));
        expect([role, name, told.error === 'permissionDenied']).toEqual([role, name, !may]);
        expect([role, name, tools.some((tool) => tool.name === name)]).toEqual([role, name, may]);
      }
      await asked.close();
    }
    await call(client, 'cancel', { session });
    await client.close();
  });
});

describe('point 4: a revoked token', () => {
  it.each(['http', 'stdio'])('ends a wait at once, and nothing more is done with it, over %s', async (way) => {
    const owner = await overHttp(host);
    const { session } = await started(owner, 'slow');
    const token = await host.addDevice('phone', 'driver');
    const client =
      way === 'http'
        ? await overHttp(host, { token })
        : (await overStdio(host, { args: ['--url', host.url.href, '--token', token] })).client;
    const progressed = Promise.withResolvers<void>();
    const waiting = client.callTool(
      { name: 'wait_for_turn', arguments: { session, seconds: 600 } },
      { onprogress: () => progressed.resolve(), timeout: 20_000 },
    );
    waiting.catch(() => {});
    await progressed.promise;
    const began = performance.now();
    await host.devices.remove('phone');
    const ended = await waiting.catch((error: Error) => error.message);
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(JSON.stringify(ended)).not.toContain('"status');
    const more = call(client, 'send_message', { session, text: 'x', kind: 'queued' });
    expect((await more.catch(({ message }: Error) => ({ error: message }))).error).toMatch(
      /unauthorized|missing or wrong/i,
    );
    expect(await call(owner, 'read_session', { session })).not.toHaveProperty('queuedMessages');
    await call(owner, 'cancel', { session });
    await Promise.all([client.close().catch(() => {}), owner.close()]);
  });
});

describe('point 4: a request that is still being sent', () => {
  it('is refused at once when its token is revoked', async () => {
    const token = await host.addDevice('slow phone', 'driver');
    const upload = request(new URL('/mcp', host.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': 1_000,
        expect: '100-continue',
      },
    });
    upload.flushHeaders();
    await once(upload, 'continue');
    const answered = new Promise<number | undefined>((resolve) => {
      upload.on('response', (response) => resolve(response.resume().statusCode));
      upload.on('error', () => resolve(undefined));
    });
    upload.write('{"jsonrpc":');
    // A request that came later was answered: the host has begun with the first one.
    await post({ token, body: { jsonrpc: '2.0', id: 1, method: 'ping' } });
    await host.devices.remove('slow phone');
    const refused = await Promise.race([answered, delay(3_000, 'too late')]);
    upload.destroy();
    expect(refused).toBe(401);
  });
});

describe('a read-only link', () => {
  it('does not open the tools, not even for its session', async () => {
    const owner = await host.connect();
    const client = await overHttp(host);
    const { session } = await started(client, 'hello');
    const { token } = await owner.devices.share({ session, validMs: 60_000 });
    expect((await post({ token, body: toolCall('read_session', { session }) })).status).toBe(403);
    await client.close();
  });
});

describe('spaces', () => {
  it('a token sees, finds and drives nothing of another space', async () => {
    const owner = await overHttp(host);
    const { session, turnId } = await started(owner, 'echo topsecret');
    const theirs = await overHttp(host, { token: await host.addDevice('Ben', 'owner', 'design') });
    expect(await call(theirs, 'list_sessions')).toEqual({ total: 0, sessions: [] });
    expect(await call(theirs, 'search_sessions', { text: 'topsecret' })).toEqual({ total: 0, sessions: [] });
    for (const [name, args] of [
      ['read_session', {}],
      ['read_changes', {}],
      ['wait_for_turn', {}],
      ['send_message', { text: 'x' }],
      ['cancel', { turnId }],
      ['answer_question', { turnId, requestId: 'x', approved: true }],
    ] as const)
      expect([name, (await call(theirs, name, { session, ...args })).error]).toEqual([name, 'sessionNotFound']);
    // Nor does it help to be an agent there.
    const agent = await overHttp(host, { token: host.tokenOf('driver'), session: 'mock:/none' });
    expect(await call(agent, 'send_message', { session, text: 'x' })).toMatchObject({ error: 'notStartedByCaller' });
    await Promise.all([owner.close(), theirs.close(), agent.close()]);
  });
});

describe('hostile requests', () => {
  const id = { jsonrpc: '2.0', id: 1 };

  it('are answered with what is wrong, and the host goes on', async () => {
    const deep = (n: number): unknown => (n === 0 ? 1 : { a: deep(n - 1) });
    const tool = toolCall('list_sessions', {});
    for (const [body, statuses] of [
      [{ raw: '' }, [400]],
      [{ raw: '{' }, [400]],
      [{ raw: '[]' }, [400]],
      [{ raw: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"__proto__":{"name":"cancel"}}}' }, [400]],
      [{ raw: JSON.stringify([tool, tool]) }, [400]],
      [{ raw: JSON.stringify(toolCall('list_sessions', deep(100))) }, [400]],
      [{ raw: `{"a":[${'1,'.repeat(70_000)}1]}` }, [400]],
      [{ raw: Buffer.from([0x7b, 0xff, 0x7d]) }, [400]],
      [{ raw: JSON.stringify(toolCall('x', 'a'.repeat(4_000_000))) }, [413]],
      [{ body: tool, headers: { 'content-type': 'text/plain' } }, [415]],
      [{ body: tool, headers: { accept: 'text/html' } }, [406]],
      [{ body: tool, headers: { 'mcp-protocol-version': 'never' } }, [400]],
      [{ body: tool, headers: { 'idempotency-key': 'with space' } }, [200]],
      [{ body: { ...id, method: 'no/such' } }, [200]],
      [{ body: { ...id, method: 'tools/call' } }, [200]],
    ] as const) {
      const answer = await post(body as Asked);
      expect([JSON.stringify(body).slice(0, 80), statuses]).toEqual([
        JSON.stringify(body).slice(0, 80),
        expect.arrayContaining([answer.status]),
      ]);
      expect(answer.text.length).toBeLessThan(2_000);
    }
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH'])
      expect([method, (await ask(host, method, '/mcp')).status]).toEqual([method, 405]);
    expect((await ask(host, 'POST', `/mcp?token=${host.token}`, { token: 'wrong', body: tool })).status).toBe(401);
  });

  it('of tools are refused with a sentence, whatever the arguments are', async () => {
    const client = await overHttp(host);
    const hostile: readonly object[] = [
      ...[{ session: '' }, { session: '../../etc' }, { session: 'mock:/../..' }, { session: 'x'.repeat(10_000) }],
      ...[{ session: 'mock:/none', more: 1 }, { session: 5 }, { session: null }, { session: ['mock:/a'] }],
      ...[{ __proto: 1 }, { session: 'mock:/\u0000' }],
    ];
    for (const name of [...Object.keys(MCP_TOOLS), 'constructor', '__proto__', 'toString', 'x'.repeat(9_999)]) {
      for (const args of hostile) {
        if (name === 'list_agents' && Object.keys(args).length === 0) continue;
        const told = await call(client, name, args);
        expect([name, args, told]).toEqual([name, args, expect.objectContaining({ whatToDo: expect.any(String) })]);
        expect(told.error).not.toBe('internalError');
        expect(JSON.stringify(told).length).toBeLessThan(1_000);
      }
    }
    for (const args of [
      { folder: 'relative' },
      { folder: '/no/such/folder' },
      { folder: 'file://other/x' },
      { model: '' },
      { agent: '../x' },
    ])
      expect(await call(client, 'create_session', { agent: 'mock', ...args })).toHaveProperty('whatToDo');
    await client.close();
  });

  it('for too many answers at once are refused, those of others are not', async () => {
    const client = await overHttp(host, { token: host.tokenOf('driver') });
    const { session } = await started(client, 'slow');
    const left = new AbortController();
    const wait = () => streamed(host.token, toolCall('wait_for_turn', { session, seconds: 600 }), left.signal);
    const statuses: number[] = [];
    // In portions: as many as are read at once are refused as well.
    for (let n = 0; n < 10; n++)
      for (const { status } of await Promise.all(Array.from({ length: 32 }, wait))) statuses.push(status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(256);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect((await call(client, 'read_session', { session })).status).toBe('inProgress');
    left.abort();
    await call(client, 'cancel', { session });
    await client.close();
  });
});
