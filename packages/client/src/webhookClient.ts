import type { AddWebhookParams, AddWebhookResult, ListWebhooksResult, TestWebhookResult } from '@agenthost/protocol';
import type { CommandChannel, CommandOptions } from './connection/commandChannel.js';

/** A receiver may take a while. */
const TEST_MS = 30_000;

/**
 * Addresses that the host tells of events, for clients with the role owner.
 *
 * @example
 * ```ts
 * const { webhook, secret } = await host.webhooks.add({ url: 'https://example.org/in', events: ['needsInput'] });
 * const { delivered } = await host.webhooks.test(webhook.id);
 * console.log(`${webhook.id} is signed with ${secret}; the test ${delivered ? 'arrived' : 'failed'}`);
 * ```
 */
export class WebhookClient {
  readonly #commands: CommandChannel;

  /** @internal `HostClient.webhooks` is one. */
  constructor(commands: CommandChannel) {
    this.#commands = commands;
  }

  list(options?: CommandOptions): Promise<ListWebhooksResult> {
    return this.#commands.request('listWebhooks', {}, options);
  }

  /** The secret signs what is sent, and is not told again. */
  add(params: AddWebhookParams, options?: CommandOptions): Promise<AddWebhookResult> {
    return this.#commands.request('addWebhook', params, { timeoutMs: TEST_MS, ...options });
  }

  async remove(webhook: string, options?: CommandOptions): Promise<void> {
    await this.#commands.request('removeWebhook', { webhook }, options);
  }

  /** A disabled one gets what happens from now on. */
  async enable(webhook: string, options?: CommandOptions): Promise<void> {
    await this.#commands.request('enableWebhook', { webhook }, options);
  }

  /** Sends a message of its own, now and once. */
  test(webhook: string, options?: CommandOptions): Promise<TestWebhookResult> {
    return this.#commands.request('testWebhook', { webhook }, { timeoutMs: TEST_MS, ...options });
  }
}
