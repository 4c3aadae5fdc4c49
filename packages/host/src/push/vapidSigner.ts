import type { WaitingPush } from './pushSender.js';
import type { PushRequest } from './pushService.js';
import type { PushDevice, PushStore, VapidKeys } from './pushStore.js';

type WebPush = typeof import('web-push').default;

/** Push services want somebody to ask when a sender does harm (RFC 8292). A host has nobody to name. */
const SUBJECT = 'mailto:agenthost@example.com';

/** Encrypts messages for devices (RFC 8291) and signs requests with the host's key (RFC 8292). */
export class VapidSigner {
  readonly #store: PushStore;
  #library: Promise<WebPush> | undefined;
  #keys: Promise<VapidKeys> | undefined;

  constructor(store: PushStore) {
    this.#store = store;
  }

  /** Made once, then kept: another key makes all subscriptions useless. */
  keys(): Promise<VapidKeys> {
    this.#keys ??= this.#store
      .keys(async () => (await this.#load()).generateVAPIDKeys())
      .catch((error: unknown) => {
        this.#keys = undefined;
        throw error;
      });
    return this.#keys;
  }

  async requestOf(
    device: PushDevice,
    { ttlSeconds, urgency, topic }: WaitingPush,
    message: string,
  ): Promise<PushRequest> {
    const [library, keys] = await Promise.all([this.#load(), this.keys()]);
    const { endpoint, p256dh, auth } = device;
    const { headers, body } = library.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, message, {
      vapidDetails: { ...keys, subject: SUBJECT },
      TTL: ttlSeconds,
      urgency,
      topic,
      contentEncoding: 'aes128gcm',
    });
    return { endpoint, headers, body };
  }

  /** Loaded when the first device subscribes: most hosts never need it. */
  #load(): Promise<WebPush> {
    this.#library ??= import('web-push').then((module) => module.default);
    return this.#library;
  }
}
