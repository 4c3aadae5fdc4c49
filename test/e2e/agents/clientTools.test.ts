import { rm } from 'node:fs/promises';
import { CommandFailedError, type HostClient, type SessionHandle, type ToolDefinition } from '@agenthost/client';
import { ERROR_CODE, type Role, type ToolCallState } from '@agenthost/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { RawClient } from '../../support/rawClient.js';
import { startRestartableHost } from '../../support/restartableHost.js';
import { say } from '../../support/say.js';
import { startTcpProxy, type TcpProxy } from '../../support/tcpProxy.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

/** The host answers within a second; the rest is for a slow machine. */
const SOON_MS = 5_000;

describe('tools of clients', () => {
  let host: TestHost;
  let proxy: TcpProxy;
  const tokens = new Map<Role, string>();
  const opened: { close(): unknown }[] = [];
  beforeAll(async () => {
    const stateDir = await temporaryFolder();
    for (const role of ['viewer', 'approver', 'driver'] as const) {
      tokens.set(role, await new DeviceTokens(stateDir).add(`the ${role}`, role));
    }
    proxy = await startTcpProxy();
    host = await startTestHost({ stateDir }, { publicUrl: proxy.url });
    proxy.forwardTo(host.url);
  });
  afterEach(() => {
    for (const client of opened.splice(0)) client.close();
    proxy.allow(true);
  });
  afterAll(async () => {
    await proxy.close();
    await host.dispose();
    await rm(host.stateDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const join = async (name: string, options: Parameters<TestHost['connect']>[0] = {}): Promise<HostClient> => {
    const client = await host.connect({ clientInfo: { name }, ...options });
    opened.push(client);
    return client;
  };
  const create = async (client: HostClient): Promise<SessionHandle> => {
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    return session;
  };
  const tool = (name: string, handler: ToolDefinition['handler'] = () => `${name} is done`): ToolDefinition => ({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
    handler,
  });
  const callIn = ({ confirmed }: SessionHandle): ToolCallState | undefined =>
    confirmed.value.turns.at(-1)?.toolCalls[0];
  const ended = (session: SessionHandle, turns: number) =>
    until(session.confirmed, (state) => state.turns.length === turns, 'the end of the turn');
  const refusal = (promise: Promise<unknown>) =>
    promise.then(
      () => expect.unreachable('it was not refused'),
      (error: unknown) => {
        expect(error).toBeInstanceOf(CommandFailedError);
        const { code, message } = error as CommandFailedError;
        return { code, message };
      },
    );

  it('[CTOOL1,CTOOL4] are called at the client that offers them, after an approval by anybody, and show whose they are', async () => {
    const ada = await join('Ada');
    const session = await create(ada);
    const bob = await (await join('Bob')).openSession(session.uri);
    const inputs: unknown[] = [];
    await session.registerTools([
      tool('open_file', async (input, { session: where, callId }) => {
        inputs.push([input, where, callId.length > 0]);
        return `Opened ${String(input['path'])}.`;
      }),
    ]);
    await until(bob.confirmed, ({ clientTools }) => clientTools !== undefined, 'the tools');
    expect(bob.confirmed.value.clientTools).toEqual([
      {
        client: { clientId: ada.clientId, name: 'Ada' },
        tools: [{ name: 'open_file', description: 'Does open_file.' }],
      },
    ]);
    const turn = say(session, 'client-tool open_file {"path":"a.txt"}');
    await until(bob.pendingConfirmations, (open) => open.length === 1, 'the question');
    expect(bob.pendingConfirmations.value[0]?.toolCall.clientName).toBe('Ada');
    expect(inputs).toEqual([]);
    await bob.pendingConfirmations.value[0]?.approve();
    expect(await turn).toBe('Answered: Opened a.txt.');
    expect(inputs).toEqual([[{ path: 'a.txt' }, session.uri, true]]);
    await ended(bob, 1);
    expect(callIn(bob)).toMatchObject({ status: 'completed', clientName: 'Ada', result: { success: true } });
  });

  it('are not called without the approval', async () => {
    const session = await create(await join('Ada'));
    let calls = 0;
    await session.registerTools([tool('ring', () => String(++calls))]);
    const turn = say(session, 'client-tool ring');
    await until(session.pendingConfirmations, (open) => open.length === 1, 'the question');
    await session.pendingConfirmations.value[0]?.deny();
    expect(await turn).toBe('Not used.');
    expect(calls).toBe(0);
  });

  it('[CTOOL6] fail with what they throw, and with answers that are not valid; the turn continues', async () => {
    const session = await create(await join('Ada'));
    await session.registerTools([
      tool('throws', () => Promise.reject(new Error('No such door.'))),
      tool('image', () => [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }]),
      tool('wrong', () => [{ type: 'video', data: 'x' }] as never),
      tool('script', () => [{ type: 'image', data: 'AAAA', mimeType: 'text/html' }]),
      tool('huge', () => ['x', 'y'].map((text) => ({ type: 'text' as const, text: text.repeat(600_000) }))),
      tool('tooMany', () => Array(33).fill({ type: 'text', text: '' })),
    ]);
    expect(await say(session, 'client-tool throws!')).toBe('Failed: No such door.');
    expect(callIn(session)).toMatchObject({ result: { success: false } });
    expect(await say(session, 'client-tool image!')).toBe('Answered: image/png AAAA');
    expect(await say(session, 'client-tool wrong!')).toMatch(/^Failed: The answer of wrong is not valid: /);
    expect(await say(session, 'client-tool script!')).toMatch(/^Failed: The answer of script is not valid: /);
    expect(await say(session, 'client-tool huge!')).toMatch(/^Failed: The answer of huge is too large/);
    expect(await say(session, 'client-tool tooMany!')).toMatch(/^Failed: The answer of tooMany is not valid/);
    expect(await say(session, 'client-tool other!')).toBe('Failed: There is no tool other.');
    expect(await say(session, 'client-tool image! [1]')).toBe('Failed: The input of image must be an object.');
    const long = JSON.stringify({ text: 'x'.repeat(262_144) });
    expect(await say(session, `client-tool image! ${long}`)).toMatch(/^Failed: The input of image is too long/);
  });

  it('[CTOOL2] are refused as a whole when one of them is not valid', async () => {
    const session = await create(await join('Ada'));
    await session.registerTools([tool('good')]);
    const one = (change: object) => session.registerTools([tool('fine'), { ...tool('bad'), ...change }]);
    const invalid = { code: ERROR_CODE.invalidParams };
    expect(await refusal(one({ name: 'no spaces' }))).toMatchObject(invalid);
    expect(await refusal(one({ name: 'x'.repeat(49) }))).toMatchObject(invalid);
    expect(await refusal(one({ name: 'constructor' }))).toMatchObject(invalid);
    expect(await refusal(one({ description: 'x'.repeat(4_097) }))).toMatchObject(invalid);
    expect(await refusal(one({ inputSchema: {} }))).toMatchObject(invalid);
    expect(await refusal(one({ inputSchema: { type: 'object', title: 'x'.repeat(16_385) } }))).toMatchObject(invalid);
    const ref = { type: 'object', properties: { a: { items: [{ $ref: 'http://127.0.0.1/x.json' }] } } };
    expect((await refusal(one({ inputSchema: ref }))).message).toContain('$ref');
    const own = { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } };
    (await session.registerTools([{ ...tool('own'), inputSchema: own }])).dispose();
    const many = Array.from({ length: 64 }, (_, number) => tool(`t${number}`));
    expect(await refusal(session.registerTools(many))).toMatchObject(invalid);
    await until(session.confirmed, ({ clientTools }) => clientTools?.[0]?.tools.length === 1, 'one tool');
    expect(await say(session, 'client-tools?')).toBe('good');
  });

  it('[CTOOL2] of all clients together are limited', async () => {
    const session = await create(await join('Ada'));
    const offer = async (name: string, count: number) =>
      (await (await join(name)).openSession(session.uri)).registerTools(
        Array.from({ length: count }, (_, number) => tool(`${name}-${number}`)),
      );
    await offer('a', 64);
    await offer('b', 64);
    expect((await refusal(offer('c', 1))).message).toContain('at most 128');
  });

  it('[CTOOL3] have a name once in a session: the second client is told who has it, until the first is gone', async () => {
    const session = await create(await join('Ada'));
    const bob = await (await join('Bob')).openSession(session.uri);
    const offered = await session.registerTools([tool('ring', () => 'Ada rings')]);
    expect(await refusal(bob.registerTools([tool('other'), tool('ring')]))).toEqual({
      code: ERROR_CODE.alreadyExists,
      message: expect.stringContaining('Ada offers a tool ring already'),
    });
    await bob.registerTools([tool('knock', () => 'Bob knocks')]);
    expect(await say(session, 'client-tool knock!')).toBe('Answered: Bob knocks');
    expect(callIn(session)?.clientName).toBe('Bob');
    expect(await say(session, 'client-tool ring!')).toBe('Answered: Ada rings');
    offered.dispose();
    await until(bob.confirmed, ({ clientTools }) => clientTools?.length === 1, "Bob's tools only");
    await bob.registerTools([tool('ring', () => 'Bob rings')]);
    expect(await say(session, 'client-tool ring!')).toBe('Answered: Bob rings');
    await expect(bob.registerTools([tool('ring')])).rejects.toThrow('already');
  });

  it('[CTOOL5] end with the client: a running call and later ones say so within a second, and the turn continues', async () => {
    const watcher = await join('Watcher');
    const session = await create(watcher);
    const ada = await join('Ada');
    const offered = await ada.openSession(session.uri);
    const begun = Promise.withResolvers<AbortSignal>();
    await offered.registerTools([
      tool('wait', (_, { signal }) => {
        begun.resolve(signal);
        return new Promise(() => {});
      }),
    ]);
    const turn = say(session, 'client-tool wait!');
    await begun.promise;
    const cut = performance.now();
    ada.close();
    expect(await turn).toBe("Failed: wait can't be used: Ada, the client that offered it, is gone.");
    expect(performance.now() - cut).toBeLessThan(SOON_MS);
    await until(session.confirmed, ({ clientTools }) => clientTools === undefined, 'no tools');
    const again = performance.now();
    expect(await say(session, 'client-tool wait!')).toMatch(/is gone\.$/);
    expect(performance.now() - again).toBeLessThan(SOON_MS);
    // [CTOOL7] The agent was not opened again because of it, and with its next opening it has none.
    expect(await say(session, 'resumed?')).toMatch(/^Yes|^No/);
  });

  it('[CTOOL5] are offered again after a lost connection, and a running call is carried out once', async () => {
    const session = await create(await join('Watcher'));
    const ada = await join('Ada', { url: proxy.url, random: () => 0 });
    const handle = await ada.openSession(session.uri);
    const begun = Promise.withResolvers<AbortSignal>();
    const answer = Promise.withResolvers<string>();
    let calls = 0;
    await handle.registerTools([
      tool('wait', async (_, { signal }) => {
        calls++;
        begun.resolve(signal);
        return answer.promise;
      }),
    ]);
    const turn = say(session, 'client-tool wait!');
    const signal = await begun.promise;
    const reconnected = until(ada.connection, ({ state }) => state === 'reconnecting');
    proxy.cut();
    await reconnected;
    await ada.connected();
    answer.resolve('still there');
    expect(await turn).toBe('Answered: still there');
    expect([calls, signal.aborted]).toEqual([1, false]);
    expect(await say(session, 'client-tool wait!')).toBe('Answered: still there');
    expect(session.confirmed.value.clientTools).toHaveLength(1);
  });

  it('[CTOOL5] an answer that was lost with its connection is given again', async () => {
    const session = await create(await join('Watcher'));
    const ada = await RawClient.open(host);
    opened.push({ close: () => ada.end() });
    const clientId = crypto.randomUUID();
    const hello = { protocolVersion: 2, clientId, clientInfo: { name: 'Ada' } };
    await ada.request('initialize', hello);
    await ada.request('subscribe', { resource: session.uri });
    const { handler: _, ...raw } = tool('wait');
    await ada.request('setClientTools', { session: session.uri, tools: [raw] });
    const turn = say(session, 'client-tool wait!');
    const first = await ada.next(({ method }) => method === 'callClientTool');
    const second = await RawClient.open(host);
    opened.push({ close: () => second.end() });
    await second.request('initialize', hello);
    await second.request('subscribe', { resource: session.uri });
    await second.request('setClientTools', { session: session.uri, tools: [raw] });
    const repeated = await second.next(({ method }) => method === 'callClientTool');
    expect(repeated.params).toEqual(first.params);
    second.sendText(JSON.stringify({ jsonrpc: '2.0', id: repeated.id, result: { content: [] } }));
    expect(await turn).toBe('Answered: ');
  });

  it('[CTOOL4] are told when the turn is cancelled', async () => {
    const session = await create(await join('Ada'));
    const begun = Promise.withResolvers<AbortSignal>();
    await session.registerTools([
      tool('wait', (_, { signal }) => {
        begun.resolve(signal);
        return new Promise(() => {});
      }),
    ]);
    await session.send('client-tool wait!');
    const signal = await begun.promise;
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
    await session.cancel();
    await aborted;
    await ended(session, 1);
  });

  it('[CTOOL7] reach an agent that was open before them with its next turn, and end with the handle', async () => {
    const ada = await join('Ada');
    const session = await create(ada);
    expect(await say(session, 'client-tools?')).toBe('None.');
    const second = await ada.openSession(session.uri);
    await second.registerTools([tool('late')]);
    expect(await say(session, 'client-tools?')).toBe('late');
    expect(await say(session, 'resumed?')).toMatch(/^Yes/);
    second.dispose();
    await until(session.confirmed, ({ clientTools }) => clientTools === undefined, 'no tools');
    expect(await say(session, 'client-tool late!')).toMatch(/Ada does not offer it any more\.$/);
    session.dispose();
  });

  it('[CTOOL8] are not stored: a fork has none of them', async () => {
    const ada = await join('Ada');
    const session = await create(ada);
    await session.registerTools([tool('ring')]);
    expect(await say(session, 'client-tool ring!')).toBe('Answered: ring is done');
    const fork = await ada.forkSession({ source: session.uri });
    expect(fork.confirmed.value).not.toHaveProperty('clientTools');
    expect(fork.confirmed.value.turns[0]?.toolCalls[0]?.clientName).toBe('Ada');
    expect(await say(fork, 'client-tools?')).toBe('None.');
  });

  it('[CTOOL2] need the role driver, a subscription, and version 2', async () => {
    const session = await create(await join('Ada'));
    const { handler: _, ...raw } = tool('ring');
    const params = { session: session.uri, tools: [raw] };
    const open = async (role: Role | undefined, protocolVersion: number) => {
      const token = role === undefined ? host.token : (tokens.get(role) ?? '');
      const client = await RawClient.open({ url: host.url, token });
      opened.push({ close: () => client.end() });
      await client.request('initialize', { protocolVersion, clientId: crypto.randomUUID() });
      await client.request('subscribe', { resource: session.uri });
      return client;
    };
    for (const role of ['viewer', 'approver'] as const) {
      const { code } = await (await open(role, 2)).refusal('setClientTools', params);
      expect([role, code]).toEqual([role, ERROR_CODE.permissionDenied]);
    }
    const old = await open(undefined, 1);
    expect((await old.refusal('setClientTools', params)).code).toBe(ERROR_CODE.methodNotFound);
    const driver = await open('driver', 2);
    driver.notify('unsubscribe', { resource: session.uri });
    expect((await driver.refusal('setClientTools', params)).message).toContain('subscribe');
    await driver.request('subscribe', { resource: session.uri });
    await driver.request('setClientTools', params);
    await until(session.confirmed, ({ clientTools }) => clientTools?.[0]?.client.name === 'the driver', 'the tools');
    // A client of version 1 is not sent what it does not know.
    await old.fence();
    expect(old.envelopes.map(({ action }) => action.type)).not.toContain('session/clientToolsChanged');
    driver.notify('unsubscribe', { resource: session.uri });
    await until(session.confirmed, ({ clientTools }) => clientTools === undefined, 'no tools');
  });

  it('[CTOOL5] are offered again when the host was killed and is back', async () => {
    const restartable = await startRestartableHost();
    onTestFinished(() => restartable.dispose());
    const session = await create(await restartable.connect({ clientInfo: { name: 'Ada' } }));
    await session.registerTools([tool('ring')]);
    expect(await say(session, 'client-tool ring!')).toBe('Answered: ring is done');
    await restartable.end('SIGKILL');
    // Sent meanwhile: the tools are there before it.
    const turn = say(session, 'client-tool ring!');
    await restartable.start();
    expect(await turn).toBe('Answered: ring is done');
    expect(await say(session, 'client-tool ring!')).toBe('Answered: ring is done');
  });
});
