// The library needs this before it is loaded.
import 'reflect-metadata';
import { createPrivateKey, KeyObject, webcrypto } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  id_ce_nameConstraints,
  NameConstraints,
} from '@peculiar/asn1-x509';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { type LanNames, PRIVATE_RANGES } from './lanAddresses.js';

/** A certificate and its private key, both as PEM. */
export interface Issued {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 24 * 3_600_000;
const KEY = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const;
const CA_DAYS = 3_650;
/** Phones refuse certificates that are valid for more than 397 days. */
const LEAF_DAYS = 365;
/** For a phone whose clock is behind. */
const EARLIER_MS = DAY_MS;

/**
 * An authority that can sign only for local addresses and names: a phone that trusts it is not at risk on the internet, even if its
 * key is stolen.
 */
export async function issueAuthority(machine: string, now: number): Promise<Issued> {
  const keys = await newKeys();
  const subtrees = [
    ...PRIVATE_RANGES.map((range) => new GeneralName({ iPAddress: range })),
    new GeneralName({ dNSName: 'local' }),
  ].map((base) => new GeneralSubtree({ base }));
  const limits = new NameConstraints({ permittedSubtrees: new GeneralSubtrees(subtrees) });
  const cert = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [`agenthost on ${machine}`.slice(0, 64)] }],
    notBefore: new Date(now - EARLIER_MS),
    notAfter: new Date(now + CA_DAYS * DAY_MS),
    signingAlgorithm: SIGNATURE,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      new Extension(id_ce_nameConstraints, true, AsnConvert.serialize(limits)),
    ],
  });
  return { cert: pem(cert), key: pemOf(keys.privateKey) };
}

/** For these names and nothing else. */
export async function issueLeaf(authority: Issued, { addresses, name }: LanNames, now: number): Promise<Issued> {
  const keys = await newKeys();
  const issuer = new X509Certificate(authority.cert);
  const from = now - EARLIER_MS;
  const cert = await X509CertificateGenerator.create({
    subject: [{ CN: ['agenthost'] }],
    issuer: issuer.subjectName,
    notBefore: new Date(from),
    notAfter: new Date(from + LEAF_DAYS * DAY_MS),
    signingAlgorithm: SIGNATURE,
    publicKey: keys.publicKey,
    signingKey: createPrivateKey(authority.key).toCryptoKey(KEY, false, ['sign']),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        ...addresses.map((address) => ({ type: 'ip' as const, value: address })),
        ...(name === undefined ? [] : [{ type: 'dns' as const, value: name }]),
      ]),
    ],
  });
  return { cert: pem(cert), key: pemOf(keys.privateKey) };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
}

function pemOf(key: webcrypto.CryptoKey): string {
  return String(KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }));
}

function pem(cert: X509Certificate): string {
  return `${cert.toString('pem').trim()}\n`;
}
