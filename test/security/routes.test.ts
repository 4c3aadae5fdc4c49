import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import type { ListenOptions } from '@agenthost/host';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeviceTokens } from '../../packages/host/src/server/access/deviceTokens.js';
import { startTestHost, type TestHost, temporaryFolder } from '../support/testHost.js';

/** In so many words: what is compared with the product's own list can't be missing from it. */
const PROTECTION = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
const PAGE = join(import.meta.dirname, '../../apps/web/dist');
let host: TestHost;
let device: string;
beforeAll(async () => {
  const stateDir = await temporaryFolder();
  device = await new DeviceTokens(stateDir).add('device', 'viewer');
  // As the gateway for other protocols has them.
  const socketRoutes: ListenOptions['socketRoutes'] = [
    { path: '/other', tokenParameter: 'tkn', onConnection: (transport) => transport.close() },
    { path: '/plain', onConnection: (transport) => transport.close() },
  ];
  host = await startTestHost({ stateDir }, { pageFolder: PAGE, socketRoutes });
});
afterAll(async () => {
  await host.dispose();
  await rm(host.stateDir, { recursive: true, force: true });
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
}

/** A request as a browser, or an attacker, would make it; for a socket the answer to the upgrade. */
async function ask(method: string, path: string, headers: Record<string, string>): Promise<Answer> {
  const { hostname, port } = host.url;
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const key = { 'sec-websocket-key': Buffer.alloc(16).toString('base64') };
  const isUpgrade = method === 'UPGRADE';
  const all = isUpgrade ? { ...upgrade, ...key, ...headers } : headers;
  const sent = request({ hostname, port, path, method: isUpgrade ? 'GET' : method, headers: all });
  sent.end();
  const answered = once(sent, 'response');
  const upgraded = once(sent, 'upgrade');
  for (const waiting of [answered, upgraded]) waiting.catch(() => {});
  const [response] = (await Promise.race([answered, upgraded])) as [IncomingMessage];
  response.resume();
  response.socket.destroy();
  return { status: response.statusCode, headers: response.headers };
}

describe('point 2: every route of the server', () => {
  it('exists, and one of them is a socket', () => {
    expect(host.host.routes.length).toBeGreaterThan(3);
    expect(host.host.routes.map(({ method }) => method)).toContain('UPGRADE');
  });

  it('answers only under its own names and to its own origins, whatever token comes along', async () => {
    const { port } = host.url;
    const own = { host: host.url.host, authorization: `Bearer ${host.token}` };
    const foreign = ['evil.example.org', `evil.example.org:${port}`, '127.0.0.1', `127.0.0.1:${Number(port) + 1}`];
    const origins = [
      'https://evil.example.org',
      'null',
      `http://127.0.0.1:${Number(port) + 1}`,
      `https://${host.url.host}`,
    ];
    for (const { method, path, status = 200, needsBearer } of host.host.routes) {
      const good = await ask(method, path, own);
      // With a token the routes of the API answer, if only that there is no such session.
      if (needsBearer) expect([path, [200, 400, 404, 409, 415]]).toEqual([path, expect.arrayContaining([good.status])]);
      else expect([path, good.status]).toEqual([path, method === 'UPGRADE' ? 101 : status]);
      if (needsBearer) expect([path, (await ask(method, path, { host: host.url.host })).status]).toEqual([path, 401]);
      for (const name of foreign)
        expect([path, name, (await ask(method, path, { ...own, host: name })).status]).toEqual([path, name, 403]);
      for (const origin of origins)
        expect([path, origin, (await ask(method, path, { ...own, origin })).status]).toEqual([path, origin, 403]);
    }
  }, 120_000);

  it('has the protective headers on every answer, refused or not, and no CORS header', async () => {
    for (const { method, path } of host.host.routes.filter(({ method }) => method === 'GET')) {
      for (const headers of [{}, { host: 'evil.example.org' }, { origin: 'https://evil.example.org' }]) {
        const answer = await ask(method, path, { host: host.url.host, ...headers });
        expect([path, answer.headers]).toMatchObject([path, PROTECTION]);
        // The page itself embeds what draws diagrams, which is in a sandbox.
        const isDiagram = path.startsWith('/assets/diagram-') && answer.status === 200;
        expect(answer.headers['content-security-policy']).toMatch(
          isDiagram
            ? /^default-src 'none'.*frame-ancestors 'self'; sandbox allow-scripts$/
            : /default-src '(?:self|none)'.*frame-ancestors 'none'/,
        );
        expect(Object.keys(answer.headers).filter((name) => /^access-control-|^set-cookie$/.test(name))).toEqual([]);
      }
    }
  }, 120_000);

  it('accepts the owner’s token from no address, and a device’s only where the route says so', async () => {
    const { token } = host;
    for (const { method, path, status = 404, tokenParameter, needsBearer } of host.host.routes) {
      const get = async (query: string, headers: Record<string, string> = {}) =>
        (await ask(method, `${path}?${query}`, { host: host.url.host, ...headers })).status;
      const bearer = { authorization: `Bearer ${token}` };
      if (path === '/metrics') {
        // With a query it is another path.
        expect([await get(`token=${token}`), await get(`token=${token}`, bearer)]).toEqual([404, 404]);
      } else if (needsBearer) {
        expect([path, await get(`token=${token}`)]).toEqual([path, 401]);
        expect([path, [400, 404, 415]]).toEqual([path, expect.arrayContaining([await get(`token=${token}`, bearer)])]);
      } else if (tokenParameter === undefined) {
        expect([path, await get(`token=${token}`, bearer)]).toEqual([path, status]);
        expect([path, 401, status]).toContain(await get(`token=${token}`));
      } else {
        expect([path, await get(`${tokenParameter}=${token}`)]).toEqual([path, 401]);
        expect([path, await get(`${tokenParameter}=${token}`, bearer)]).toEqual([path, 401]);
        expect([path, await get(`${tokenParameter}=${device}`)]).toEqual([path, 101]);
        const evil = { origin: 'https://evil.example.org' };
        expect([path, await get(`${tokenParameter}=${device}`, evil)]).toEqual([path, 403]);
      }
    }
  }, 120_000);
});
