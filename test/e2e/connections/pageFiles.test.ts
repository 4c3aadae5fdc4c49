import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PageFiles } from '../../../packages/host/src/server/pageFiles.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';

const BUILT = join(import.meta.dirname, '../../../apps/web/dist');

let folder: string;
let host: TestHost;

beforeEach(async () => {
  folder = await temporaryFolder();
  host = await startTestHost({}, { pageFolder: BUILT });
});
afterEach(async () => {
  await host.dispose();
  await rm(folder, { recursive: true, force: true });
});

describe('the page over HTTP', () => {
  it('has every built file, with its type, a strict policy and the right age, and nothing else', async () => {
    const paths = PageFiles.open(BUILT)?.paths ?? [];
    expect(paths).toContain('/');
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => path.endsWith('.gz') || path.endsWith('.map'))).toEqual([]);
    for (const path of paths) {
      const { status, headers } = await get(path);
      expect({ path, status }).toEqual({ path, status: 200 });
      const policy = String(headers['content-security-policy']);
      for (const directive of [
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        'media-src blob:',
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        'trusted-types agenthost-worker',
      ])
        expect(policy.split('; ')).toContain(directive);
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['access-control-allow-origin']).toBeUndefined();
      expect(headers['set-cookie']).toBeUndefined();
      const isHashed = path.startsWith('/assets/');
      expect(headers['cache-control']).toBe(isHashed ? 'private, max-age=31536000, immutable' : 'no-cache');
    }
  });

  it('has nothing inline in its document, and no foreign address', async () => {
    const { body } = await get('/');
    expect(body.toString()).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bon\w+=|style=|https?:\/\//i);
  });

  it('is compressed if the client accepts it, with the same content', async () => {
    const paths = (PageFiles.open(BUILT)?.paths ?? []).filter((one) => /\.(?:js|css)$|^\/$/.test(one));
    expect(paths.length).toBeGreaterThan(2);
    for (const path of paths) {
      const plain = await get(path);
      const packed = await get(path, { headers: { 'accept-encoding': 'br, gzip;q=0.8' } });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
      expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
      expect(Number(packed.headers['content-length'])).toBe(packed.body.length);
    }
  });

  it('answers HEAD as GET, without the body', async () => {
    const [whole, head] = [await get('/'), await get('/', { method: 'HEAD' })];
    expect(head.status).toBe(200);
    expect(head.body.length).toBe(0);
    expect(head.headers['content-length']).toBe(String(whole.body.length));
  });

  it('accepts no other method', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      expect([404, 405]).toContain((await get('/', { method })).status);
  });

  it.each([
    '/index.html.gz',
    '/assets/',
    '/assets',
    '/nothing.js',
    '/../package.json',
    '/assets/../../package.json',
    '/..%2f..%2fpackage.json',
    '/%2e%2e/package.json',
    '//etc/passwd',
    '/assets/..\\..\\package.json',
    '/?token=x',
    '/__proto__',
    '/constructor',
  ])('knows no %s', async (path) => {
    const { status, body } = await get(path);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body.toString()).not.toContain('agenthost-workspace');
  });

  it('refuses raw paths that no client would send, or hangs up', async () => {
    for (const target of ['../package.json', 'http://evil.test/', '/\u0000', '*']) {
      const answer = await raw(`GET ${target} HTTP/1.1\r\nHost: ${host.url.host}\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^(?:HTTP\/1\.1 4\d\d|$)/);
    }
  });

  it('serves files that existed at its start, not those behind a new link', async () => {
    await writeFile(join(folder, 'index.html'), 'ours');
    await writeFile(join(folder, 'index.html.gz'), gzipSync('ours'));
    await mkdir(join(folder, 'assets'));
    await symlink('/etc/passwd', join(folder, 'assets', 'x.js'));
    await symlink('/etc', join(folder, 'etc'));
    await writeFile(join(folder, 'secret.pem'), 'secret');
    expect(PageFiles.open(folder)?.paths).toEqual(['/']);
    await writeFile(join(folder, 'later.js'), 'later');
    expect(PageFiles.open(join(folder, 'assets'))).toBeUndefined();
  });
});

async function get(path: string, { method = 'GET', headers = {} }: { method?: string; headers?: object } = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    headers: Record<string, string | string[] | undefined>;
    body: Buffer;
  }>();
  const { hostname, port } = host.url;
  const sent = request({ hostname, port, path, method, headers: { ...headers } }, (response) => {
    const pieces: Buffer[] = [];
    response.on('data', (piece: Buffer) => pieces.push(piece));
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) }),
    );
  });
  sent.on('error', reject);
  sent.end();
  return promise;
}

async function raw(message: string): Promise<string> {
  const socket = connect(Number(host.url.port), host.url.hostname);
  socket.write(message);
  return text(socket);
}
