import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SessionState } from '@agenthost/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { DeviceTokens } from '../../packages/host/src/server/access/deviceTokens.js';
import { checkToken, newToken, TokenFile } from '../../packages/host/src/server/access/tokenFile.js';
import { RawClient, socketUrl } from '../support/rawClient.js';
import { rawSession, runCli, startTestHost, type TestHost, temporaryFolder } from '../support/testHost.js';

/** A test for each point of the list in docs/security.md; where another file has the whole of it, this one has its core. */
describe('the security list', () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });
  async function start(...options: Parameters<typeof startTestHost>): Promise<TestHost> {
    const host = await startTestHost(...options);
    cleanups.push(() => host.dispose());
    return host;
  }

  it('point 1: a token of at least 128 bits, 127.0.0.1, and another address only with TLS or the flag', async () => {
    const tokens = Array.from({ length: 100 }, newToken);
    expect(new Set(tokens).size).toBe(100);
    for (const token of tokens) expect(Buffer.from(token, 'base64url').length * 8).toBe(256);
    for (const weak of ['', 'short', 'x'.repeat(21), `${'x'.repeat(40)} y`])
      expect(() => checkToken(weak, 'a test')).toThrow('too weak');
    expect((await start()).url.hostname).toBe('127.0.0.1');
    const stateDir = await temporaryFolder();
    cleanups.push(() => rm(stateDir, { recursive: true, force: true }));
    const open = await runCli(['serve', '--host', '0.0.0.0', '--port', '0', '--state-dir', stateDir]);
    expect(open).toMatchObject({ code: 2 });
    expect(open.stderr).toContain('--insecure-no-tls');
    const weak = await runCli(['serve', '--port', '0', '--state-dir', stateDir], { AGENTHOST_TOKEN: 'weak' });
    expect(weak).toMatchObject({ code: 3 });
  });

  it('point 3: a wrong token is answered with growing delays, and never says how wrong it was', async () => {
    const host = await start();
    const attempt = async (token: string) => {
      const began = performance.now();
      const socket = new WebSocket(socketUrl(host.url), { headers: { authorization: `Bearer ${token}` } });
      socket.on('error', () => {});
      const status = await new Promise((resolve) => {
        socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
        socket.on('open', () => resolve('open'));
      });
      socket.terminate();
      return { status, ms: performance.now() - began };
    };
    const almost = `${host.token.slice(0, -1)}${host.token.endsWith('A') ? 'B' : 'A'}`;
    const waits = [await attempt(almost), await attempt('x'), await attempt(host.token.slice(0, -1))];
    expect(waits.map(({ status }) => status)).toEqual([401, 401, 401]);
    for (const [n, { ms }] of waits.entries()) expect(ms).toBeGreaterThan(90 * 2 ** n);
    expect((await attempt(host.token)).status).toBe('open');
  });

  it('point 4: tokens are private, and a new or removed one ends live connections at once', async () => {
    const stateDir = await temporaryFolder();
    cleanups.push(() => rm(stateDir, { recursive: true, force: true }));
    const devices = new DeviceTokens(stateDir);
    const token = await devices.add('phone', 'driver');
    const host = await start({ stateDir });
    const modes = await Promise.all(
      [stateDir, new TokenFile(stateDir).path, devices.path].map(async (path) => (await stat(path)).mode & 0o777),
    );
    expect(modes).toEqual([0o700, 0o600, 0o600]);
    const [owner, phone] = [await host.raw('owner'), await RawClient.open({ url: host.url, token })];
    cleanups.push(() => phone.end());
    await devices.remove('phone');
    expect((await phone.closed).code).toBe(4401);
    await owner.fence();
    await new TokenFile(stateDir).rotate();
    expect((await owner.closed).code).toBe(4401);
  });

  it('point 5: nothing of a session is served over HTTP, so no file of it can be shown as a page', async () => {
    const host = await start();
    const client = await host.raw('author');
    const session = await rawSession([client]);
    await client.act({
      type: 'session/turnStarted',
      session,
      turnId: 't',
      userMessage: { text: 'artifact evil.html' },
    });
    await client.nextAction(session, 'session/turnComplete');
    const { items } = await client.request<{ items: { uri: string }[] }>('listArtifacts', { session });
    expect(items.length).toBe(1);
    const paths = [
      items[0]?.uri ?? '',
      `/${session}`,
      `/session-state/${session.slice(6)}/files/evil.html`,
      '/token',
      '/tokens.json',
      '/space-tokens.json',
      '/link-tokens.json',
    ];
    for (const path of paths) {
      const answer = await fetch(new URL(encodeURI(path).replace(/^\w+:\/*/, '/'), host.url), {
        headers: { authorization: `Bearer ${host.token}` },
      });
      expect([path, answer.status]).toEqual([path, 404]);
    }
  });

  it('point 7: depth, prototype keys, subscriptions and frames have limits, and each is answered', async () => {
    const client = await (await start()).raw('limits');
    const refused = async (text: string) => {
      client.sendText(text);
      return (await client.next(({ error }) => error !== undefined, 'a refusal')).error?.code;
    };
    expect(
      await refused(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(63)}${']'.repeat(63)}}}`),
    ).toBe(-32600);
    for (const key of ['__proto__', 'constructor', 'prototype'])
      expect([key, await refused(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"${key}":{}}}`)]).toEqual([
        key,
        -32600,
      ]);
    expect(await refused('[{"jsonrpc":"2.0","id":1,"method":"ping"}]')).toBe(-32600);
    const many = Array.from({ length: 3_000 }, (_, n) => `mock:/${n}`);
    expect((await client.refusal('reconnect', { clientId: 'x', lastSeenServerSeq: 0, subscriptions: many })).code).toBe(
      -32600,
    );
    await client.fence();
  });

  it('point 8: a session’s id is a name and never a path', async () => {
    const client = await (await start()).raw('paths');
    for (const id of ['..', '.', '../x', 'a/b', 'a\\b', '%2e%2e', 'x\u0000', 'a'.repeat(300), '', '/etc/passwd', 'C:x'])
      for (const method of ['createSession', 'disposeSession'])
        expect([id, method, (await client.ask(method, { session: `mock:/${id}` })).error === undefined]).toEqual([
          id,
          method,
          false,
        ]);
    for (const uri of ['mock://x/../../token', 'mock://../token', 'file:///etc/passwd', 'mock://x/%2e%2e/token'])
      expect([uri, (await client.ask('fetchContent', { uri })).error === undefined]).toEqual([uri, false]);
  });

  it('point 9: an approval is for one call of one turn, and is used once', async () => {
    const client = await (await start()).raw('approver');
    const session = await rawSession([client]);
    const turn = async (turnId: string) => {
      await client.act({ type: 'session/turnStarted', session, turnId, userMessage: { text: 'confirm-tool' } });
      return (await client.nextAction(session, 'session/toolStart', (action) => action.turnId === turnId)).toolCall
        .toolCallId;
    };
    const confirm = (turnId: string, toolCallId: string) =>
      client.act({ type: 'session/toolCallConfirmed', session, turnId, toolCallId, approved: true });
    const first = await turn('t1');
    expect((await confirm('t0', first)).rejectionReason).toContain('not waiting');
    expect((await confirm('t1', `${first}x`)).rejectionReason).toContain('not waiting');
    expect((await confirm('t1', first)).rejectionReason).toBeUndefined();
    expect((await confirm('t1', first)).rejectionReason).toContain('not waiting');
    await client.nextAction(session, 'session/turnComplete', (action) => action.turnId === 't1');
    const second = await turn('t2');
    expect((await confirm('t1', second)).rejectionReason).toContain('not waiting');
    expect((await confirm('t2', first)).rejectionReason).toContain('not waiting');
    const state = (await client.stateOf(session)) as SessionState;
    expect(state.activeTurn?.toolCalls[second]?.status).toBe('pendingConfirmation');
  });

  it('point 10: a folder’s own configuration runs nothing before the owner trusts it, and a driver can’t', async () => {
    const stateDir = await temporaryFolder();
    cleanups.push(() => rm(stateDir, { recursive: true, force: true }));
    const token = await new DeviceTokens(stateDir).add('desk', 'driver');
    const host = await start({ stateDir });
    const folder = join(stateDir, 'work');
    await mkdir(join(folder, '.vscode'), { recursive: true });
    const server = { command: 'touch', args: [join(stateDir, 'ran')] };
    await writeFile(join(folder, '.vscode', 'mcp.json'), JSON.stringify({ servers: { evil: server } }));
    const driver = await RawClient.open({ url: host.url, token });
    cleanups.push(() => driver.end());
    await driver.request('initialize', { protocolVersion: 1, clientId: 'driver' });
    const session = 'mock:/untrusted';
    await driver.request('createSession', { session, workingDirectory: pathToFileURL(folder).href });
    const { lifecycle } = await driver.stateOf(session);
    if (lifecycle === 'creating') await driver.nextAction(session, 'session/ready');
    await driver.act({ type: 'session/turnStarted', session, turnId: 't', userMessage: { text: 'customizations' } });
    const { request } = await driver.nextAction(session, 'session/permissionRequest');
    expect(request.title).toContain('Trust the folder');
    const answer = {
      type: 'session/permissionResolved',
      session,
      turnId: 't',
      requestId: request.requestId,
      approved: true,
    };
    expect((await driver.act(answer)).rejectionReason).toContain('role owner');
    expect((await driver.act({ ...answer, optionId: 'trust' })).rejectionReason).toContain('role owner');
    expect((await driver.act({ ...answer, approved: false })).rejectionReason).toBeUndefined();
    await driver.nextAction(session, 'session/turnComplete');
    await expect(stat(join(stateDir, 'ran'))).rejects.toThrow('ENOENT');
  });
});
