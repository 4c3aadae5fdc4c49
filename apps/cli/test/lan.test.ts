import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import 'reflect-metadata';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate as Parsed,
} from '@peculiar/x509';
import { encode } from 'uqr';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost, temporaryFolder } from '../../../test/support/testHost.js';
import { describeLan } from '../src/lan/describeLan.js';
import { issueAuthority, issueLeaf } from '../src/lan/issueCertificate.js';
import { lanAddresses, lanNames, localName } from '../src/lan/lanAddresses.js';
import { lanCertificate } from '../src/lan/lanCertificate.js';
import { LanCertificateWatch } from '../src/lan/lanCertificateWatch.js';
import { qrCode } from '../src/text/qrCode.js';

const DAY_MS = 24 * 3_600_000;
const NAMES = { address: '192.168.1.5', addresses: ['192.168.1.5', '10.0.0.7'], name: 'desk.local' };
const info = (address: string, internal = false) =>
  ({ address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4', netmask: '', mac: '', cidr: null }) as never;

describe('the addresses of --lan', () => {
  it('are the private ones of this machine, those of real interfaces first', () => {
    const interfaces = {
      lo: [info('127.0.0.1', true)],
      docker0: [info('172.17.0.1')],
      eth0: [info('192.168.1.5'), info('fe80::1'), info('93.184.216.34')],
      wlan0: [info('10.1.2.3'), info('169.254.3.4'), info('172.32.0.1'), info('100.64.0.9')],
    };
    expect(lanAddresses(interfaces)).toEqual(['192.168.1.5', '10.1.2.3', '172.17.0.1']);
    expect(lanNames(undefined, interfaces)).toMatchObject({ address: '192.168.1.5' });
    expect(lanNames('10.1.2.3', interfaces)).toMatchObject({
      address: '10.1.2.3',
      addresses: ['10.1.2.3', '192.168.1.5', '172.17.0.1'],
    });
    for (const other of ['0.0.0.0', '127.0.0.1', '93.184.216.34', '192.168.1.6'])
      expect(() => lanNames(other, interfaces)).toThrow(
        `${other} is not an address of this machine on a local network.`,
      );
  });

  it('are refused where there is none, in one sentence', () => {
    const none = { eth0: [info('192.0.2.2')], lo: [info('127.0.0.1', true)] };
    expect(() => lanNames(undefined, none)).toThrow('This machine has no address on a local network');
  });

  it('have a name only where the machine has one that multicast DNS can tell', () => {
    expect(['desk', 'Desk.example.org', 'desk_1', '', 'localhost', 'x'.repeat(64), 'ünï'].map(localName)).toEqual([
      'desk.local',
      'desk.local',
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('the certificate of --lan', () => {
  let stateDir: string;
  beforeEach(async () => {
    stateDir = await temporaryFolder();
  });
  afterEach(() => rm(stateDir, { recursive: true, force: true }));

  const leafOf = (pem: string) => new X509Certificate(pem);

  it('point 1: names exactly the addresses and the name, by an authority, for at most 397 days', async () => {
    const now = Date.now();
    const { cert, fingerprint, authorityFile } = await lanCertificate(stateDir, NAMES, now);
    const [leaf, authority] = [leafOf(cert), new X509Certificate(await readFile(authorityFile, 'utf8'))];
    expect(leaf.subjectAltName?.split(', ').toSorted()).toEqual([
      'DNS:desk.local',
      'IP Address:10.0.0.7',
      'IP Address:192.168.1.5',
    ]);
    expect({ ca: leaf.ca, issued: leaf.checkIssued(authority), signed: leaf.verify(authority.publicKey) }).toEqual({
      ca: false,
      issued: true,
      signed: true,
    });
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    const parsed = new Parsed(leaf.raw);
    expect(parsed.getExtension(BasicConstraintsExtension)).toMatchObject({ ca: false, critical: true });
    expect(parsed.getExtension(KeyUsagesExtension)?.usages).toBe(KeyUsageFlags.digitalSignature);
    expect(authority.ca).toBe(true);
    expect(fingerprint).toBe(leaf.fingerprint256);
    const days = (Date.parse(leaf.validTo) - Date.parse(leaf.validFrom)) / DAY_MS;
    expect(days).toBeGreaterThan(300);
    expect(days).toBeLessThanOrEqual(397);
    expect(Date.parse(leaf.validFrom)).toBeLessThan(now);
  });

  it('point 1: its keys are for this user alone, also if somebody opened them', async () => {
    await lanCertificate(stateDir, NAMES);
    const folder = join(stateDir, 'lan');
    const modes = async () =>
      Promise.all(['.', ...(await readdir(folder))].map(async (name) => (await stat(join(folder, name))).mode & 0o777));
    expect(await readdir(folder)).toEqual(['ca.key', 'ca.pem', 'server.key', 'server.pem']);
    expect(await modes()).toEqual([0o700, 0o600, 0o600, 0o600, 0o600]);
    await chmod(folder, 0o755);
    for (const name of await readdir(folder)) await chmod(join(folder, name), 0o644);
    await lanCertificate(stateDir, NAMES);
    expect(await modes()).toEqual([0o700, 0o600, 0o600, 0o600, 0o600]);
    expect(await readFile(join(folder, 'ca.pem'), 'utf8')).not.toContain('PRIVATE');
  });

  it('is kept, and replaced by one of the same authority when the addresses change or it is about to end', async () => {
    const now = Date.now();
    const first = await lanCertificate(stateDir, NAMES, now);
    const authority = await readFile(first.authorityFile, 'utf8');
    expect(await lanCertificate(stateDir, NAMES, now + 300 * DAY_MS)).toEqual({ ...first, isNew: false });
    const moved = await lanCertificate(stateDir, { ...NAMES, address: '10.9.9.9', addresses: ['10.9.9.9'] }, now);
    expect(moved).toMatchObject({ isNew: true });
    expect(leafOf(moved.cert).subjectAltName).toBe('IP Address:10.9.9.9, DNS:desk.local');
    const later = await lanCertificate(stateDir, { ...NAMES, addresses: ['10.9.9.9'] }, now + 340 * DAY_MS);
    expect([later.isNew, later.fingerprint === moved.fingerprint]).toEqual([true, false]);
    expect(await readFile(first.authorityFile, 'utf8')).toBe(authority);
    // An authority that would end before its certificate does is replaced as well.
    await lanCertificate(stateDir, NAMES, now + 3_400 * DAY_MS);
    expect(await readFile(first.authorityFile, 'utf8')).not.toBe(authority);
  });

  it('is made again when its files are damaged, missing, or of different pairs', async () => {
    const folder = join(stateDir, 'lan');
    for (const name of ['ca.key', 'ca.pem', 'server.key', 'server.pem']) {
      for (const damage of ['', 'garbage', undefined]) {
        const before = await lanCertificate(stateDir, NAMES);
        if (damage === undefined) await rm(join(folder, name));
        else await writeFile(join(folder, name), damage);
        const after = await lanCertificate(stateDir, NAMES);
        expect([name, damage, after.isNew, after.key === before.key]).toEqual([name, damage, true, false]);
        const authority = new X509Certificate(await readFile(after.authorityFile, 'utf8'));
        expect(leafOf(after.cert).verify(authority.publicKey)).toBe(true);
      }
    }
  });

  it('survives a machine with any name', async () => {
    for (const machine of ['', 'a'.repeat(300), 'x, CN=evil', '"+\\;<>=#', 'ünï 🖥']) {
      const authority = await issueAuthority(machine, Date.now());
      const leaf = await issueLeaf(authority, NAMES, Date.now());
      expect(leafOf(leaf.cert).checkIssued(new X509Certificate(authority.cert))).toBe(true);
    }
  });
});

describe('a host with the certificate of --lan', () => {
  let stateDir: string;
  let host: TestHost | undefined;
  beforeEach(async () => {
    stateDir = await temporaryFolder();
  });
  afterEach(async () => {
    await host?.dispose();
    await rm(stateDir, { recursive: true, force: true });
  });

  /** As a browser that trusts the authority: it checks the name, the signature, and the limits of the authority. */
  async function visit(ca: string, servername: string, headers: Record<string, string> = {}) {
    const { port } = host?.url ?? {};
    const name = /^[\d.]+$/.test(servername) ? {} : { servername };
    const options = { host: '127.0.0.1', port, ca, headers: { host: `${servername}:${port}`, ...headers }, ...name };
    const sent = request({ ...options, checkServerIdentity: (_, cert) => checkName(servername, cert.subjectaltname) });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return {
      status: response.statusCode,
      fingerprint: (response.socket as TLSSocket).getPeerX509Certificate()?.fingerprint256,
    };
  }

  it('point 2: is served under its address and its name, and under no other name or origin', async () => {
    const { cert, key, authorityFile, fingerprint } = await lanCertificate(stateDir, NAMES);
    const ca = await readFile(authorityFile, 'utf8');
    // On loopback, because the test machine has no other address: the allow-list is the same.
    host = await startTestHost({ stateDir }, { tls: { cert, key }, names: ['desk.local'] });
    expect(await visit(ca, 'desk.local')).toEqual({ status: 200, fingerprint });
    const { port } = host.url;
    expect(await visit(ca, 'desk.local', { origin: `https://desk.local:${port}` })).toMatchObject({ status: 200 });
    for (const foreign of ['desk.local', `other.local:${port}`, '192.168.1.5', `192.168.1.5:${port}`])
      expect([foreign, (await visit(ca, 'desk.local', { host: foreign })).status]).toEqual([foreign, 403]);
    for (const origin of [`http://desk.local:${port}`, 'https://desk.local', `https://other.local:${port}`])
      expect([origin, (await visit(ca, 'desk.local', { origin })).status]).toEqual([origin, 403]);
  });

  it('point 1: an authority can sign for local addresses and names only, in the eyes of OpenSSL', async () => {
    const authority = await issueAuthority('desk', Date.now());
    const tries: [string, boolean][] = [
      ['desk.local', true],
      ['bank.example.org', false],
      ['192.168.1.5', true],
      ['93.184.216.34', false],
    ];
    for (const [name, isTrusted] of tries) {
      const isAddress = /^[\d.]+$/.test(name);
      const names = { address: name, addresses: isAddress ? [name] : [], name: isAddress ? undefined : name };
      const { cert, key } = await issueLeaf(authority, names, Date.now());
      host = await startTestHost({}, { tls: { cert: `${cert}${authority.cert}`, key }, names: [name] });
      const visited = await visit(authority.cert, name).then(
        ({ status }) => status,
        (error: Error) => error.message,
      );
      expect([name, visited]).toEqual([name, isTrusted ? 200 : 'permitted subtree violation']);
      await host.dispose();
      host = undefined;
    }
  });

  it('gets a new certificate while it runs, and says when its address is gone', async () => {
    const now = Date.now();
    const { cert, key, fingerprint, authorityFile } = await lanCertificate(stateDir, NAMES, now);
    const ca = await readFile(authorityFile, 'utf8');
    host = await startTestHost({ stateDir }, { tls: { cert, key }, names: ['desk.local'] });
    const lines: string[] = [];
    const log = {
      debug: () => {},
      info: (line: string) => lines.push(line),
      warn: (line: string) => lines.push(line),
      error: () => {},
    };
    const watch = new LanCertificateWatch(host.host, NAMES, log);
    await watch.check(now, NAMES.addresses);
    expect(lines).toEqual([]);
    await watch.check(now, ['192.168.1.5', '172.20.0.1']);
    const renewed = (await visit(ca, 'desk.local')).fingerprint;
    expect(renewed).not.toBe(fingerprint);
    expect(lines).toEqual([`there is a new certificate; its SHA-256 fingerprint is ${renewed}`]);
    await watch.check(now, ['172.20.0.1']);
    await watch.check(now, []);
    expect(lines.slice(1)).toEqual([
      'this machine no longer has the address 192.168.1.5 that it serves: start agenthost again',
    ]);
    watch.dispose();
  });
});

describe('what --lan prints', () => {
  const link = `https://192.168.1.5:4747/#token=${'x'.repeat(43)}`;
  const certificate = { cert: '', key: '', fingerprint: 'AA:BB', authorityFile: '/state/lan/ca.pem', isNew: true };

  const made = { pairing: 'p', code: 'c', words: 'maple river 41 tin', validMs: 600_000 };
  const pairing = { ...made, role: 'approver' as const, link: 'https://192.168.1.5:4747/#pair=c' };
  const links = { link, pairing };

  it('is a link that works once and its code, the fingerprint, and what the phone asks', async () => {
    const text = await describeLan(links, certificate, 100);
    const parts = [
      pairing.link,
      'works once,\nwithin 10 minutes',
      'as an approver',
      'maple river 41 tin',
      'agenthost pair',
    ];
    for (const part of [...parts, link, 'AA:BB', 'The phone will warn', '/state/lan/ca.pem'])
      expect(text).toContain(part);
    // The code is that of the phone's link: who scans it does not become the owner.
    expect(text).toContain(((await qrCode(pairing.link, 98)) ?? []).map((line) => `  ${line}\n`).join(''));
    expect(await describeLan(links, certificate, 30)).toContain('too narrow');
    // A log has no use for a picture.
    expect(await describeLan(links, certificate, undefined)).not.toMatch(/[▀█]/);
    for (const line of text.split('\n')) if (!line.includes('\u001b')) expect(line.length).toBeLessThanOrEqual(140);
  });

  it('has a code whose squares are those of the link, black on white', async () => {
    const lines = (await qrCode(link, 100)) ?? [];
    const { data, size } = encode(link, { ecc: 'L', border: 2 });
    const rows = lines.flatMap((line) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences have them
      const cells = [...line.replace(/\u001b\[[\d;]*m/g, '')];
      return [cells.map((cell) => cell === '█' || cell === '▀'), cells.map((cell) => cell === '█' || cell === '▄')];
    });
    expect(rows.slice(0, size)).toEqual(data);
    for (const line of lines)
      expect(line.startsWith('\u001b[38;5;16;48;5;231m') && line.endsWith('\u001b[0m')).toBe(true);
  });
});

function checkName(name: string, names = ''): Error | undefined {
  return names.split(', ').some((one) => one === `DNS:${name}` || one === `IP Address:${name}`)
    ? undefined
    : new Error(`the certificate is not for ${name}: ${names}`);
}
