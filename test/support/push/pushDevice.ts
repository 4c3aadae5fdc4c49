import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

/** The side of a browser: it makes the keys of a subscription and decrypts what arrives (RFC 8291, RFC 8188). */
export class SubscriptionKeys {
  readonly #ecdh = createECDH('prime256v1');
  readonly #auth = randomBytes(16);
  readonly #publicKey: Buffer;

  constructor() {
    this.#publicKey = this.#ecdh.generateKeys();
  }

  get p256dh(): string {
    return this.#publicKey.toString('base64url');
  }

  get auth(): string {
    return this.#auth.toString('base64url');
  }

  /** Throws when the message was not encrypted for these keys, or is not exactly one record. */
  decrypt(body: Buffer): string {
    const salt = body.subarray(0, 16);
    const recordSize = body.readUInt32BE(16);
    const keyLength = body.readUInt8(20);
    const senderKey = body.subarray(21, 21 + keyLength);
    const record = body.subarray(21 + keyLength);
    if (record.length > recordSize) throw new Error('a push message has one record (RFC 8291, section 4)');
    const shared = this.#ecdh.computeSecret(senderKey);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#publicKey, senderKey]);
    const secret = hkdf(shared, this.#auth, info, 32);
    const key = hkdf(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
    const nonce = hkdf(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
    const decipher = createDecipheriv('aes-128-gcm', key, nonce);
    decipher.setAuthTag(record.subarray(-16));
    const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
    const end = padded.findLastIndex((byte) => byte !== 0);
    if (padded[end] !== 2) throw new Error('the last record ends with the delimiter 2 (RFC 8188, section 2)');
    return padded.subarray(0, end).toString('utf8');
  }
}

function hkdf(key: Buffer, salt: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, info, length));
}
