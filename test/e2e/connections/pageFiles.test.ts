import { createHash } from 'node:crypto';
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
      if (path.startsWith('/assets/diagram-')) continue;
      for (const directive of [
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        'media-src blob:',
        "base-uri 'none'",
        "form-action 'none'",
        "frame-src 'self'",
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

  it('draws diagrams in a document that has an origin of its own and reaches nothing', async () => {
    const [path = '', ...others] = (PageFiles.open(BUILT)?.paths ?? []).filter((one) => one.includes('diagram-'));
    expect(others).toEqual([]);
    const { headers, body } = await get(path);
    const text = body.toString();
    const script = text.slice(text.indexOf('<script>') + '<script>'.length, text.lastIndexOf('</script>'));
    const hash = createHash('sha256').update(script).digest('base64url');
    expect(String(headers['content-security-policy']).split('; ')).toEqual([
      "default-src 'none'",
      `script-src 'sha256-${hash}='`,
      "style-src 'unsafe-inline'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
      'sandbox allow-scripts',
    ]);
    expect(path).toBe(`/assets/diagram-${hash}.html`);
    expect(headers['cache-control']).toBe('private, max-age=31536000, immutable');
    expect(text.split('<script').length).toBe(2);
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

  it('can be installed: a manifest with icons of the sizes that it names', async () => {
    expect((await get('/')).body.toString()).toContain('<link rel="manifest" href="/manifest.webmanifest"');
    const { headers, body } = await get('/manifest.webmanifest');
    expect(headers['content-type']).toBe('application/manifest+json');
    const { icons, start_url, scope } = JSON.parse(body.toString());
    expect({ start_url, scope }).toEqual({ start_url: '/', scope: '/' });
    const kinds = icons.map(({ sizes, purpose }: { sizes: string; purpose: string }) => `${sizes} ${purpose}`);
    expect(kinds).toEqual(['any any', '192x192 any', '512x512 any', '192x192 maskable', '512x512 maskable']);
    for (const { src, sizes, type } of icons) {
      const icon = await get(src);
      expect([src, icon.status, icon.headers['content-type']]).toEqual([src, 200, type]);
      // The size is in the first chunk of a PNG.
      if (type === 'image/png') expect(`${icon.body.readUInt32BE(16)}x${icon.body.readUInt32BE(20)}`).toBe(sizes);
    }
  });

  it('has a service worker that every browser can run, and that is asked for again each time', async () => {
    const { headers, body } = await get('/sw.js');
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(headers['cache-control']).toBe('no-cache');
    expect(body.toString()).not.toMatch(/^\s*(?:import|export)\b/m);
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy.filter((rule) => /^(?:worker|manifest)-src/.test(rule))).toEqual([
      "worker-src 'self'",
      "manifest-src 'self'",
    ]);
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
