import { errorMessage } from '@agenthost/protocol/internal';
import { PushServices } from '../push/pushService.js';
import { HOST_VERSION } from '../version.js';
import { signedHeaders } from './signature.js';
import type { Attempt } from './webhookLane.js';
import type { StoredWebhook } from './webhookStore.js';

const MAX_PROBLEM = 200;

/** Sends messages to the receivers of webhooks: signed, to public addresses unless others are allowed, without following redirects. */
export class WebhookCall {
  readonly #public: PushServices;
  readonly #all: PushServices;

  constructor(timeoutMs: number) {
    this.#public = new PushServices({ timeoutMs });
    this.#all = new PushServices({ timeoutMs, allowAll: true });
  }

  /** Why nothing can be sent to that address, or `undefined`. */
  refusal(url: string, allowPrivate: boolean): Promise<string | undefined> {
    return this.#callsFor(allowPrivate).refusal(url);
  }

  async send(
    { url, secret, allowPrivate }: StoredWebhook,
    id: string,
    text: string,
    signal: AbortSignal,
  ): Promise<Attempt> {
    const body = Buffer.from(text);
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      'user-agent': `agenthost/${HOST_VERSION}`,
      ...signedHeaders(secret, id, text, Date.now()),
    };
    try {
      const calls = this.#callsFor(allowPrivate === true);
      const { status, retryAfterMs } = await calls.send({ endpoint: url, headers, body }, signal);
      if (status >= 200 && status < 300) return { isDelivered: true };
      const isRedirect = status >= 300 && status < 400;
      const problem = `the receiver answered ${status}${isRedirect ? '; redirects are not followed' : ''}`;
      return { isDelivered: false, isGone: status === 410, problem, retryAfterMs };
    } catch (error) {
      return { isDelivered: false, problem: errorMessage(error).slice(0, MAX_PROBLEM) || 'it could not be reached' };
    }
  }

  #callsFor(allowPrivate: boolean): PushServices {
    return allowPrivate ? this.#all : this.#public;
  }
}
