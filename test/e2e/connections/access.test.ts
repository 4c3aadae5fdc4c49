import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect, OriginRefusedError, UnauthorizedError } from '@agenthost/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { closeError } from '../../../packages/client/src/errors.js';
import { ROUTES } from '../../../packages/host/src/server/routes.js';
import { SECURITY_HEADERS } from '../../../packages/host/src/server/securityHeaders.js';
import { RawClient, socketUrl } from '../../support/rawClient.js';
import { startTestHost, type TestHost } from '../../support/testHost.js';

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function answerOf(response: IncomingMessage): Promise<Answer> {
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode, headers: response.headers, body };
}

describe('who gets in', () => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startTestHost({}, { allowedOrigins: ['https://app.example.org'] });
  });
  afterAll(() => host.dispose());

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  async function get(path: string, options: { method?: string; headers?: object } = {}): Promise<Answer> {
    const { hostname, port } = host.url;
    const sent = request({ hostname, port, path, ...options, headers: { ...options.headers } });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return answerOf(response);
  }

  /** What became of an attempt to open a socket: the answer that refused it, or how it was closed, or 'open'. */
  async function attempt(
    headers: Record<string, string>,
    protocols: string[] = [],
    path = '/ws',
  ): Promise<number | 'open'> {
    const socket = new WebSocket(socketUrl(host.url).replace(/\/ws$/, path), protocols, { headers });
    socket.on('error', () => {});
    const { promise, resolve } = Promise.withResolvers<number | 'open'>();
    socket.on('unexpected-response', (_request, response) => {
      if (!Object.keys(SECURITY_HEADERS).every((name) => name in response.headers)) resolve(0);
      response.resume();
      resolve(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.on('close', (code) => resolve(code));
    socket.on('open', () => {
      socket.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
      socket.on('message', () => resolve('open'));
    });
    const outcome = await promise;
    socket.terminate();
    return outcome;
  }

  describe('a socket', () => {
    it('is accepted with the token in the header', async () => {
      expect(await attempt(bearer(host.token))).toBe('open');
    });

    it('of a page that is served here or allowed is accepted with the token as a subprotocol', async () => {
      const offered = ['agenthost', `agenthost-token.${host.token}`];
      expect(await attempt({ origin: host.url.origin }, offered)).toBe('open');
      expect(await attempt({ origin: `http://localhost:${host.url.port}` }, offered)).toBe('open');
      expect(await attempt({ origin: 'https://app.example.org' }, offered)).toBe('open');
    });

    it('never gets the token back', async () => {
      const offered = ['agenthost', `agenthost-token.${host.token}`];
      const socket = new WebSocket(socketUrl(host.url), offered, { headers: { origin: host.url.origin } });
      await once(socket, 'open');
      expect(socket.protocol).toBe('agenthost');
      socket.terminate();
    });

    it('is refused without a token, and with a wrong one', async () => {
      expect(await attempt({})).toBe(401);
      expect(await attempt(bearer(`${host.token}x`))).toBe(401);
      expect(await attempt({ authorization: `Basic ${host.token}` })).toBe(401);
      expect(await attempt(bearer(host.token))).toBe('open');
    });

    it('of a page with a wrong token is opened to say so', async () => {
      expect(await attempt({ origin: host.url.origin }, ['agenthost', 'agenthost-token.wrong'])).toBe(4401);
      expect(await attempt(bearer(host.token))).toBe('open');
    });

    it('is refused with the token in the query', async () => {
      expect(await attempt({}, [], `/ws?token=${host.token}`)).toBe(401);
      expect(await attempt(bearer(host.token), [], `/ws?token=${host.token}`)).toBe(404);
    });

    it('is refused from another origin, even with the token', async () => {
      for (const origin of [
        'https://evil.example.org',
        'null',
        `http://127.0.0.1:${Number(host.url.port) + 1}`,
        `${host.url.origin}.evil.org`,
        'http://app.example.org',
        'https://app.example.org:444',
      ]) {
        expect([origin, await attempt({ ...bearer(host.token), origin })]).toEqual([origin, 403]);
      }
    });

    it('of a page of another origin with a valid token is opened only to name the flag that allows it', async () => {
      const offered = ['agenthost', `agenthost-token.${host.token}`];
      const told = async (origin: string, protocols = offered) => {
        const socket = new WebSocket(socketUrl(host.url), protocols, { headers: { origin } });
        socket.on('error', () => {});
        socket.on('open', () => socket.send('{"jsonrpc":"2.0","id":1,"method":"ping"}'));
        const messages: string[] = [];
        socket.on('message', (data) => messages.push(String(data)));
        const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
        return { code, reason: String(reason), messages };
      };
      expect(await told('https://page.example.org:4747')).toEqual({
        code: 4403,
        reason:
          'This origin is not allowed. Start agenthost with --allow-origin https://page.example.org:4747 to allow it.',
        messages: [],
      });
      // Neither what is not an origin nor what has no room is repeated.
      const plain = 'This origin is not allowed. Start agenthost with --allow-origin to allow it.';
      for (const odd of ['null', 'https://x.example.org/path', `https://${'a'.repeat(60)}.example.org`]) {
        expect([odd, await told(odd)]).toMatchObject([odd, { code: 4403, reason: plain }]);
      }
    });

    it('of a page of another origin without a valid token does not learn that a host is here', async () => {
      const origin = 'https://page.example.org';
      for (const protocols of [[], ['agenthost'], ['agenthost', 'agenthost-token.wrong'], ['agenthost-token.wrong']]) {
        expect([protocols, await attempt({ origin }, protocols)]).toEqual([protocols, 403]);
      }
    });

    it('is refused without an origin and with only a subprotocol', async () => {
      expect(await attempt({}, ['agenthost', `agenthost-token.${host.token}`])).toBe(401);
    });

    it('is refused under another name (DNS rebinding)', async () => {
      for (const name of ['evil.example.org', `evil.example.org:${host.url.port}`, '127.0.0.1', 'localhost:1']) {
        expect([name, await attempt({ ...bearer(host.token), host: name })]).toEqual([name, 403]);
      }
    });
  });

  it('of the SDK with a wrong token: an UnauthorizedError, and no second attempt', async () => {
    let attempts = 0;
    const random = () => {
      attempts++;
      return 0;
    };
    const refused = connect({ url: host.url, token: 'x'.repeat(43), random });
    await expect(refused).rejects.toBeInstanceOf(UnauthorizedError);
    await host.connect();
    expect(attempts).toBe(0);
  });

  it('of the SDK in a page of another origin: an OriginRefusedError with the flag, and no second attempt', async () => {
    const other = await startTestHost();
    try {
      const transport = async () => {
        const socket = new WebSocket(socketUrl(other.url), ['agenthost', `agenthost-token.${other.token}`], {
          headers: { origin: 'https://page.example.org' },
        });
        const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
        throw closeError({ code, message: String(reason) }) ?? new Error('no reason');
      };
      const failed = await connect({ transport }).catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(OriginRefusedError);
      expect(failed).toMatchObject({ reason: expect.stringContaining('--allow-origin https://page.example.org to') });
    } finally {
      await other.dispose();
    }
  });

  describe('every answer over HTTP', () => {
    const requests = [
      ...ROUTES.map(({ path }) => ['GET', path, {}, 200] as const),
      ...ROUTES.map(({ path }) => ['HEAD', path, {}, 200] as const),
      ['GET', '/no/such/page', {}, 404],
      ['POST', '/', {}, 404],
      ['OPTIONS', '/', {}, 404],
      ['GET', '/../../etc/passwd', {}, 404],
      ['GET', '/ws', {}, 404],
      ['GET', '/', { host: 'evil.example.org' }, 403],
      ['GET', '/', { origin: 'https://evil.example.org' }, 403],
    ] as const;

    it.each(requests)('%s %s %j → %d has the protective headers, and no CORS header', async (...of) => {
      const [method, path, headers, status] = of;
      const answer = await get(path, { method, headers });
      expect(answer.status).toBe(status);
      expect(answer.headers).toMatchObject(SECURITY_HEADERS);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(answer.body).not.toContain(host.token);
    });
  });

  it('/healthz tells a balancer without a token that the host serves, and nothing else about it', async () => {
    const { status, headers, body } = await get('/healthz');
    expect([status, body, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'ok\n',
      'text/plain; charset=utf-8',
      'no-store',
    ]);
    expect((await get('/healthz?verbose')).status).toBe(404);
    expect((await get('/healthz', { method: 'POST' })).status).toBe(404);
  });

  describe('incoming data', () => {
    const opened: RawClient[] = [];
    afterEach(() => Promise.all(opened.splice(0).map((client) => client.end())));

    async function open(): Promise<RawClient> {
      const client = await RawClient.open(host);
      opened.push(client);
      return client;
    }

    it('a frame over the limit is answered, and the connection continues', async () => {
      const client = await open();
      client.sendText(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${'x'.repeat(4 * 1024 * 1024)}"}}`);
      const { error } = await client.next((frame) => frame.error !== undefined);
      expect(error).toMatchObject({ code: -32600 });
      await client.fence();
    });

    it('a frame far over the limit ends only its connection', async () => {
      const [client, other] = [await open(), await open()];
      client.sendText('x'.repeat(9 * 1024 * 1024));
      expect((await client.closed).code).toBe(1009);
      await other.fence();
    });

    it('frames over the rate are read later, and none is lost', async () => {
      const busy = await startTestHost({}, { webSocketLimits: { maxFramesPerSecond: 20 } });
      try {
        const client = await busy.raw('busy');
        const began = performance.now();
        await Promise.all(Array.from({ length: 30 }, () => client.fence()));
        // Its share is used up, for half a second: each of these waits for the next look at it.
        for (let n = 0; n < 10; n++) await client.fence();
        expect(performance.now() - began).toBeGreaterThan(300);
      } finally {
        await busy.dispose();
      }
    });

    it('more connections than allowed are ended, and there is room again when one ends', async () => {
      const full = await startTestHost({}, { maxConnections: 2 });
      try {
        const [first] = [await full.raw('first'), await full.raw('second')];
        await expect(RawClient.open(full)).rejects.toThrow();
        await first?.end();
        await expect.poll(() => full.raw('third').then(() => 'open', String), { timeout: 5_000 }).toBe('open');
      } finally {
        await full.dispose();
      }
    });

    it('a binary frame ends the connection', async () => {
      const client = await open();
      client.socket.send(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}'));
      expect(await client.closed).toEqual({ code: 1003, reason: 'text frames only' });
    });
  });
});
