import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { PushMessage } from '@agenthost/protocol/internal';
import { SubscriptionKeys } from './pushDevice.js';

/** What a device got: decrypted, with the headers that matter. */
export interface ArrivedPush {
  readonly message: PushMessage;
  readonly bytes: number;
  readonly ttl: number;
  readonly urgency: string | undefined;
  readonly topic: string | undefined;
}

/** How the service answers for a device; without one, as the standard wants. */
export type Behaviour = { readonly status: number; readonly retryAfter?: string; readonly location?: string } | 'hang';

export interface ServedDevice {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  readonly arrived: ArrivedPush[];
  /** How many requests there were, accepted or not. */
  requests: number;
  behaviour: Behaviour | undefined;
  /** The next one that fits, also of those that have arrived. */
  next(fits: (push: ArrivedPush) => boolean): Promise<ArrivedPush>;
}

/**
 * A push service on loopback, which takes messages as RFC 8030 says and checks what a real one would: the signature of the sender
 * (RFC 8292) and that the content can be decrypted with the device's keys (RFC 8291). What is wrong is in `problems`.
 */
export class PushService {
  readonly problems: string[] = [];
  readonly #server: Server;
  readonly #devices = new Map<
    string,
    ServedDevice & { readonly secret: SubscriptionKeys; readonly events: EventEmitter }
  >();
  /** The key that the devices subscribed for; a sender with another one is refused. */
  senderKey: string | undefined;

  static async start(): Promise<PushService> {
    const service = new PushService();
    service.#server.listen(0, '127.0.0.1');
    await once(service.#server, 'listening');
    return service;
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#take(request, response).catch((error: unknown) => {
        this.problems.push(String(error));
        response.writeHead(400).end();
      });
    });
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A browser that has subscribed. */
  device(): ServedDevice {
    const path = `/push/${randomUUID()}`;
    const secret = new SubscriptionKeys();
    const events = new EventEmitter().setMaxListeners(0);
    const arrived: ArrivedPush[] = [];
    const device = {
      secret,
      events,
      arrived,
      endpoint: `${this.origin}${path}`,
      keys: { p256dh: secret.p256dh, auth: secret.auth },
      requests: 0,
      behaviour: undefined,
      async next(fits: (push: ArrivedPush) => boolean) {
        for (;;) {
          const found = arrived.find(fits);
          if (found) return found;
          await once(events, 'arrived', { signal: AbortSignal.timeout(20_000) });
        }
      },
    };
    this.#devices.set(path, device);
    return device;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const device = this.#devices.get(request.url ?? '');
    const body = await buffer(request);
    if (!device || request.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    device.requests++;
    device.events.emit('requested');
    const { behaviour } = device;
    if (behaviour === 'hang') return;
    if (behaviour) {
      const { status, retryAfter, location } = behaviour;
      response
        .writeHead(status, { ...(retryAfter && { 'retry-after': retryAfter }), ...(location && { location }) })
        .end();
      return;
    }
    const { headers } = request;
    this.#checkSender(String(headers.authorization ?? ''));
    if (headers['content-encoding'] !== 'aes128gcm') throw new Error('the content must be aes128gcm');
    if (body.length > 4_096) throw new Error('a message has at most 4,096 bytes (RFC 8030, section 7.2)');
    const ttl = Number(headers['ttl']);
    if (!Number.isSafeInteger(ttl) || ttl < 0) throw new Error('TTL is required (RFC 8030, section 5.2)');
    const [topic, urgency] = [headers['topic'], headers['urgency']].map((one) =>
      one === undefined ? undefined : String(one),
    );
    if (topic !== undefined && !/^[A-Za-z0-9_-]{1,32}$/.test(topic)) throw new Error(`not a topic: ${topic}`);
    if (urgency !== undefined && !['very-low', 'low', 'normal', 'high'].includes(urgency))
      throw new Error('not an urgency');
    const text = device.secret.decrypt(body);
    device.arrived.push({ message: JSON.parse(text), bytes: Buffer.byteLength(text), ttl, urgency, topic });
    response.writeHead(201, { location: `${this.origin}/message/${randomUUID()}` }).end();
    device.events.emit('arrived');
  }

  /** RFC 8292: a JWT for this origin, not older than a day, signed with the key that it names. */
  #checkSender(authorization: string): void {
    const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? [];
    const [header = '', claims = '', signature = ''] = token.split('.');
    const point = Buffer.from(key, 'base64url');
    const jwk = {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    };
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
    const signed = Buffer.from(`${header}.${claims}`);
    const isSigned = verify(
      'sha256',
      signed,
      { key: publicKey, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
    if (!isSigned) throw new Error('the signature is wrong');
    if (this.senderKey !== undefined && key !== this.senderKey)
      throw new Error('another sender than the subscribed one');
    const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString());
    const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const now = Date.now() / 1_000;
    if (alg !== 'ES256' || aud !== this.origin) throw new Error(`not for this service: ${aud}`);
    if (!(exp > now && exp <= now + 24 * 3_600)) throw new Error('the signature has no end within a day');
    if (!/^(?:mailto:|https:)/.test(sub)) throw new Error('nobody to ask');
  }
}
