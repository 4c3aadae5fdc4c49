import type { SetPushSubscriptionParams, URI } from '@agenthost/protocol';
import type { CommandChannel, CommandOptions } from './connection/commandChannel.js';

/**
 * Push notifications of a host, for programs that run in a browser.
 *
 * @example
 * ```ts
 * const applicationServerKey = await host.push.publicKey();
 * const registration = await navigator.serviceWorker.ready;
 * const made = await registration.pushManager.subscribe({ applicationServerKey, userVisibleOnly: true });
 * const { p256dh = '', auth = '' } = made.toJSON().keys ?? {};
 * const id = await host.push.subscribe({ endpoint: made.endpoint, keys: { p256dh, auth }, notify: 'needsInput' });
 * await host.push.lookAt('shell:/5b7f9a0e', id);
 * ```
 */
export class HostPush {
  readonly #commands: CommandChannel;

  /** @internal `HostClient` makes one. */
  constructor(commands: CommandChannel) {
    this.#commands = commands;
  }

  /** The key that the browser makes a subscription for. */
  async publicKey(options?: CommandOptions): Promise<string> {
    return (await this.#commands.request('fetchPushKey', {}, options)).publicKey;
  }

  /** Adds a subscription of this device, or changes what it is told of. Resolves with its id. */
  async subscribe(params: SetPushSubscriptionParams, options?: CommandOptions): Promise<string> {
    return (await this.#commands.request('setPushSubscription', params, options)).id;
  }

  async unsubscribe(endpoint: string, options?: CommandOptions): Promise<void> {
    await this.#commands.request('removePushSubscription', { endpoint }, options);
  }

  /**
   * Says what the user sees right now, so that this device is not called for it; nothing, while a page is hidden. Counts for
   * one connection: it is said again after each reconnect.
   */
  async lookAt(session: URI | undefined, subscription?: string, options?: CommandOptions): Promise<void> {
    const params = { ...(session !== undefined && { session }), ...(subscription !== undefined && { subscription }) };
    await this.#commands.request('lookAt', params, options);
  }
}
