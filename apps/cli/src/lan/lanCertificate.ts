import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { writePrivateFile } from '@agenthost/host/internal';
import { authorityFile, LAN_FOLDER } from './authorityFile.js';
import type { Issued } from './issueCertificate.js';
import type { LanNames } from './lanAddresses.js';

const DAY_MS = 24 * 3_600_000;
/** A certificate that ends sooner is replaced; so is an authority that could not sign another one for its whole time. */
const RENEW_DAYS = 30;
const AUTHORITY_DAYS = 397;

export interface LanCertificate extends Issued {
  /** SHA-256 of the certificate, as browsers show it. */
  readonly fingerprint: string;
  /** The authority's certificate, without its key: what a phone can be told to trust. */
  readonly authorityFile: string;
  /** Whether it was made just now. */
  readonly isNew: boolean;
}

/**
 * The certificate for these names, from the state folder where it is valid and names exactly them, else a new one by the same
 * authority. Only the host that holds the state folder may call it.
 */
export async function lanCertificate(stateDir: string, names: LanNames, now = Date.now()): Promise<LanCertificate> {
  const folder = join(stateDir, LAN_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const [caCert, caKey] = [authorityFile(stateDir), join(folder, 'ca.key')];
  const [leafCert, leafKey] = [join(folder, 'server.pem'), join(folder, 'server.key')];

  const keptAuthority = await readPair(caCert, caKey);
  const authority =
    keptAuthority && isAuthority(keptAuthority, now) ? keptAuthority : await made('issueAuthority', hostname(), now);
  if (authority !== keptAuthority) await writePair(caCert, caKey, authority);

  const keptLeaf = await readPair(leafCert, leafKey);
  const isNew = !keptLeaf || !isLeaf(keptLeaf, authority, names, now);
  const leaf = isNew ? await made('issueLeaf', authority, names, now) : keptLeaf;
  if (isNew) await writePair(leafCert, leafKey, leaf);
  return {
    // With the authority, for a client that trusts it.
    cert: `${leaf.cert}${authority.cert}`,
    key: leaf.key,
    fingerprint: new X509Certificate(leaf.cert).fingerprint256,
    authorityFile: caCert,
    isNew,
  };
}

type Issue = typeof import('./issueCertificate.js');

/** The library is loaded only when something has to be made. */
async function made<K extends 'issueAuthority' | 'issueLeaf'>(how: K, ...args: Parameters<Issue[K]>): Promise<Issued> {
  const issue = (await import('./issueCertificate.js'))[how] as (...given: Parameters<Issue[K]>) => Promise<Issued>;
  return issue(...args);
}

/** `undefined` if one is missing or unreadable, or they do not belong together: a kill may have come between the two. */
async function readPair(certPath: string, keyPath: string): Promise<Issued | undefined> {
  try {
    const [cert, key] = [await readFile(certPath, 'utf8'), await readFile(keyPath, 'utf8')];
    await Promise.all([certPath, keyPath].map((path) => chmod(path, 0o600)));
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? { cert, key } : undefined;
  } catch {
    return undefined;
  }
}

async function writePair(certPath: string, keyPath: string, { cert, key }: Issued): Promise<void> {
  await writePrivateFile(keyPath, key);
  await writePrivateFile(certPath, cert);
}

function isAuthority({ cert }: Issued, now: number): boolean {
  const found = new X509Certificate(cert);
  return found.ca && isValid(found, now, AUTHORITY_DAYS);
}

function isLeaf({ cert }: Issued, authority: Issued, { addresses, name }: LanNames, now: number): boolean {
  const found = new X509Certificate(cert);
  const wanted = [
    ...addresses.map((address) => `IP Address:${address}`),
    ...(name === undefined ? [] : [`DNS:${name}`]),
  ];
  const named = found.subjectAltName?.split(', ') ?? [];
  return (
    isValid(found, now, RENEW_DAYS) &&
    found.verify(new X509Certificate(authority.cert).publicKey) &&
    named.toSorted().join() === wanted.toSorted().join()
  );
}

function isValid({ validFrom, validTo }: X509Certificate, now: number, days: number): boolean {
  return Date.parse(validFrom) <= now && Date.parse(validTo) - now > days * DAY_MS;
}
