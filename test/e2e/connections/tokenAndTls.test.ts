import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, stat } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { join } from 'node:path';
import { UnauthorizedError } from '@agenthost/client';
import { findRunningHost } from '@agenthost/host/internal';
import { describe, expect, it } from 'vitest';
import { TokenFile } from '../../../packages/host/src/server/access/tokenFile.js';
import { SECURITY_HEADERS } from '../../../packages/host/src/server/securityHeaders.js';
import { RawClient } from '../../support/rawClient.js';
import { startTestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

describe('the token file', () => {
  it('is private; a new token in it ends live connections at once', async () => {
    const host = await startTestHost();
    try {
      const file = new TokenFile(host.stateDir);
      expect((await readFile(file.path, 'utf8')).trim()).toBe(host.token);
      expect((await stat(file.path)).mode & 0o777).toBe(0o600);
      const client = await host.connect();
      const raw = await host.raw('raw');
      const token = await file.rotate();
      expect(await raw.closed).toEqual({ code: 4401, reason: 'the token was rotated' });
      const closed = await until(client.connection, ({ state }) => state === 'closed', 'the end');
      expect(closed).toMatchObject({ reason: { name: 'UnauthorizedError' } });
      await expect(host.connect()).rejects.toBeInstanceOf(UnauthorizedError);
      const back = await host.connect({ token });
      await back.ping();
    } finally {
      await host.dispose();
    }
  });
});

it('a host with a given token says so to local commands, and accepts no other', async () => {
  const token = 'given-by-whoever-starts-the-host-0123456789';
  const host = await startTestHost({}, { token });
  try {
    expect(await findRunningHost(host.stateDir)).toMatchObject({ hasGivenToken: true });
    const client = await host.raw('client');
    await new TokenFile(host.stateDir).rotate();
    await client.fence();
  } finally {
    await host.dispose();
  }
  const own = await startTestHost();
  expect(await findRunningHost(own.stateDir)).not.toHaveProperty('hasGivenToken');
  await own.dispose();
});

const openssl = (() => {
  try {
    return execFileSync('openssl', ['version']).length > 0;
  } catch {
    return false;
  }
})();

// 2026-11-15: Node can make keys but no certificates; without openssl there is none to test with.
describe.skipIf(!openssl)('TLS', () => {
  it('serves pages and sockets to clients that trust the certificate, and no plain text', async () => {
    const folder = await temporaryFolder();
    const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', keyFile, '-out', certFile, ...name], {
      stdio: 'ignore',
    });
    const [key, cert] = [await readFile(keyFile, 'utf8'), await readFile(certFile, 'utf8')];
    const host = await startTestHost({}, { tls: { key, cert } });
    try {
      expect(host.url.protocol).toBe('https:');
      const sent = secureRequest(host.url, { ca: cert });
      sent.end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      expect(response).toMatchObject({ statusCode: 200, headers: SECURITY_HEADERS });
      const client = await RawClient.open(host, { ca: cert });
      await client.fence();
      await client.end();
      await expect(RawClient.open(host)).rejects.toThrow('self-signed certificate');
      const plain = request(`http://${host.url.host}/`);
      plain.end();
      await expect(once(plain, 'response')).rejects.toThrow();
    } finally {
      await host.dispose();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
