import { afterEach, describe, expect, it, vi } from 'vitest';
import { connect } from '../src/connect.js';
import { createWebSocketTransport, webSocketUrl } from '../src/connection/webSocketTransport.js';
import { HostUnreachableError, UnauthorizedError } from '../src/errors.js';
import { socketContract } from './support/socketContract.js';
import { startWebSocketServer, type WebSocketServer } from './support/webSocketServer.js';

let server: WebSocketServer | undefined;
afterEach(() => server?.close());

describe('contract', () => {
  socketContract((url) => createWebSocketTransport({ url }));
});

describe('opening', () => {
  it('maps addresses', () => {
    expect(
      [
        'http://localhost:80',
        'https://host.example',
        'wss://host.example/',
        'http://host/own/path?x=1',
        'http://host/#token=secret',
      ].map(webSocketUrl),
    ).toEqual([
      'ws://localhost/ws',
      'wss://host.example/ws',
      'wss://host.example/ws',
      'ws://host/own/path?x=1',
      'ws://host/ws',
    ]);
    expect(() => webSocketUrl('ftp://host')).toThrow(TypeError);
  });

  it.each([
    ['in Node as a header', false, ['agenthost', 'Bearer s3cret', '/ws']],
    ['in a browser as a subprotocol', true, ['agenthost, agenthost-token.s3cret', undefined, '/ws']],
  ])('sends the token %s, and nowhere else', async (_, inBrowser, expected) => {
    server = await startWebSocketServer();
    const accepted = server.accept();
    if (inBrowser) vi.stubGlobal('process', undefined);
    const opening = createWebSocketTransport({ url: server.url, token: 's3cret' });
    vi.unstubAllGlobals();
    const { headers, url } = (await accepted).request;
    expect([headers['sec-websocket-protocol'], headers.authorization, url]).toEqual(expected);
    (await opening).close();
  });

  it('rejects when no server listens, and when the upgrade is refused', async () => {
    const gone = await startWebSocketServer();
    gone.close();
    await expect(connect({ url: gone.url })).rejects.toThrow(HostUnreachableError);
    server = await startWebSocketServer({ refuse: true });
    await expect(createWebSocketTransport({ url: server.url })).rejects.toThrow(HostUnreachableError);
  });

  it('recognises the close codes of a wrong credential', async () => {
    server = await startWebSocketServer();
    const accepted = server.accept();
    const connecting = connect({ url: server.url, token: 'wrong' });
    (await accepted).transport.close({ code: 4401, message: 'wrong token' });
    await expect(connecting).rejects.toThrow(UnauthorizedError);
  });

  it('can be aborted', async () => {
    const signal = AbortSignal.abort(new Error('never mind'));
    await expect(createWebSocketTransport({ url: 'http://127.0.0.1:1', signal })).rejects.toThrow('never mind');
    server = await startWebSocketServer();
    const controller = new AbortController();
    const opening = createWebSocketTransport({ url: server.url, signal: controller.signal });
    controller.abort(new Error('changed my mind'));
    await expect(opening).rejects.toThrow('changed my mind');
  });

  it('closes when the host does not read', async () => {
    server = await startWebSocketServer();
    const transport = await createWebSocketTransport({ url: server.url, maxBufferedBytes: 10_000 });
    const closed = new Promise<{ message: string }>((resolve) => transport.onClose(resolve));
    transport.send('x'.repeat(100_000));
    expect((await closed).message).toBe('the host does not read what is sent');
  });
});
