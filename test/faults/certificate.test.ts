import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawClient } from '../support/rawClient.js';
import { type HostProcess, rawSession, spawnHost, temporaryFolder } from '../support/testHost.js';
import { preload } from './support/alteredHost.js';
import { PATIENCE_MS } from './support/amount.js';

const openssl = (() => {
  try {
    return execFileSync('openssl', ['version']).length > 0;
  } catch {
    return false;
  }
})();

// 2026-11-16: Node can make keys but no certificates; without openssl there is none to test with.
describe.skipIf(!openssl)('a certificate', { timeout: PATIENCE_MS }, () => {
  let folder: string;
  let host: HostProcess;

  const file = (name: string) => join(folder, name);
  const make = (name: string, validity: readonly string[]) => {
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
    const out = ['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)];
    execFileSync('openssl', ['req', '-x509', ...kind, ...validity, ...out, ...subject], { stdio: 'ignore' });
  };
  const use = async (name: string) => {
    await copyFile(file(`${name}.pem`), file('cert.pem'));
    await copyFile(file(`${name}.key`), file('key.pem'));
  };
  const start = async (env: Readonly<Record<string, string>> = {}) => {
    host = await spawnHost(
      folder,
      ['--state-dir', file('state'), '--tls-cert', file('cert.pem'), '--tls-key', file('key.pem')],
      env,
    );
  };
  /** The name in the certificate that a new connection is shown. */
  const shown = async (): Promise<string> => {
    const sent = request(host.url, { rejectUnauthorized: false, agent: false }).end();
    const [response] = await once(sent, 'response');
    const { subject } = (response.socket as TLSSocket).getPeerCertificate();
    response.resume();
    return String(subject.CN);
  };
  const untilShown = async (name: string) => {
    while ((await shown()) !== name);
  };
  const untilSaid = async (text: string) => {
    while (!host.errors().includes(text)) await once(host.process.stderr as NodeJS.ReadableStream, 'data');
  };

  beforeEach(async () => {
    folder = await temporaryFolder();
    make('first', ['-days', '30']);
    await use('first');
  });
  afterEach(async () => {
    await host.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  it('that is renewed is used for new connections, and existing ones stay', async () => {
    await start();
    const client = await RawClient.open(host, { ca: await readFile(file('first.pem')) });
    await client.request('initialize', { protocolVersion: 2, clientId: 'client' });
    const session = await rawSession([client]);
    make('second', ['-days', '30']);
    await use('second');
    await untilShown('second');
    client.dispatch({ type: 'session/turnStarted', session, turnId: 't', userMessage: { text: 'still here' } });
    await client.nextAction(session, 'session/turnComplete');
    const late = await RawClient.open(host, { ca: await readFile(file('second.pem')) });
    await Promise.all([client.end(), late.end()]);
  });

  it('that is invalid or does not fit its key changes nothing until it is fixed', async () => {
    await start();
    await writeFile(file('cert.pem'), 'nonsense');
    await untilSaid("can't be used; the old ones stay in use");
    expect(await shown()).toBe('first');
    make('second', ['-days', '30']);
    await copyFile(file('second.pem'), file('cert.pem'));
    expect(await shown()).toBe('first');
    await use('second');
    await untilShown('second');
  });

  it('that has expired is reported, and still served until it is renewed', async () => {
    const later = 60 * 24 * 3_600_000;
    await start(preload(`const now = Date.now; Date.now = () => now() + ${later};`));
    await untilSaid('has run out');
    expect(await shown()).toBe('first');
    make('second', ['-days', '90']);
    await use('second');
    await untilShown('second');
  });
});
