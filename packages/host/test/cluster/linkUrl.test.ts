import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { RawClient } from '../../../../test/support/rawClient.js';
import { freePort } from '../../../../test/support/storage/postgres.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import {
  type HostProcess,
  rawSession,
  spawnHost,
  startTestHost,
  temporaryFolder,
} from '../../../../test/support/testHost.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

async function linkUrls(database: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query<{ url: string }>('select url from agenthost.host order by started_at');
  await client.end();
  return rows.map(({ url }) => url);
}

async function statusUnder(name: string, { hostname: address, port }: URL): Promise<number | undefined> {
  const sent = request({ hostname: address, port, path: '/healthz', headers: { host: name } });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

const openssl = (() => {
  try {
    return execFileSync('openssl', ['version']).length > 0;
  } catch {
    return false;
  }
})();

describe('where other hosts reach a host', () => {
  it('is the address that it listens on, and the name of the machine for a wildcard', async () => {
    const database = await postgres.server.newDatabase();
    const local = await startTestHost({ database });
    cleanups.push(() => local.dispose());
    const open = await startTestHost({ database }, { address: '0.0.0.0' });
    cleanups.push(() => open.dispose());
    const name = new URL(`http://${hostname()}:${open.url.port}`);
    expect(await linkUrls(database)).toEqual([local.url.href, name.href]);
    const at = new URL(`http://127.0.0.1:${open.url.port}`);
    expect(await statusUnder(name.host, at)).toBe(200);
    expect(await statusUnder(`other.example.org:${at.port}`, at)).toBe(403);
    // No page is served under that name.
    const sent = request({ hostname: '127.0.0.1', port: at.port, headers: { host: name.host, origin: name.origin } });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(403);
    const alone = await startTestHost({}, { address: '0.0.0.0' });
    cleanups.push(() => alone.dispose());
    const there = new URL(`http://127.0.0.1:${alone.url.port}`);
    expect(await statusUnder(`${hostname()}:${there.port}`, there)).toBe(403);
  });

  // 2026-11-16: Node can make keys but no certificates; without openssl there is none to test with.
  it.skipIf(!openssl)(
    'is what --link-url says, and its certificate has to be a known one',
    async () => {
      const database = await postgres.server.newDatabase();
      const folder = await temporaryFolder();
      cleanups.push(() => rm(folder, { recursive: true, force: true }));
      const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
      const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
      const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
      execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', keyFile, '-out', certFile, ...name], {
        stdio: 'ignore',
      });
      const ca = await readFile(certFile, 'utf8');
      const port = await freePort();
      const link = `https://localhost:${port}`;
      const start = async (args: readonly string[], env: Record<string, string> = {}): Promise<HostProcess> => {
        const stateDir = await temporaryFolder();
        const common = ['--state-dir', stateDir, '--database', database, '--lease', '2'];
        const host = await spawnHost(stateDir, [...common, ...args], env);
        cleanups.push(() => host.kill('SIGKILL').then(() => rm(stateDir, { recursive: true, force: true })));
        return host;
      };
      const secure = ['--host', '0.0.0.0', '--port', String(port), '--tls-cert', certFile, '--tls-key', keyFile];
      const one = await start([...secure, '--link-url', link]);
      expect(await linkUrls(database)).toEqual([`${link}/`]);
      const two = await start([], { NODE_EXTRA_CA_CERTS: certFile });
      const three = await start([]);
      const connected = async (host: HostProcess, clientId: string) => {
        const url = host === one ? new URL(link) : host.url;
        const raw = await RawClient.open({ url, token: host.token }, { ca });
        cleanups.push(() => raw.end());
        await raw.request('initialize', { protocolVersion: 1, clientId, clientInfo: { name: clientId } });
        return raw;
      };
      const alice = await connected(one, 'alice');
      const session = await rawSession([alice]);
      const bob = await connected(two, 'bob');
      expect(await bob.stateOf(session)).toMatchObject({ lifecycle: 'ready' });
      const eve = await connected(three, 'eve');
      await expect(eve.stateOf(session)).rejects.toThrow("the host that has this session can't be reached right now");
    },
    60_000,
  );
});
