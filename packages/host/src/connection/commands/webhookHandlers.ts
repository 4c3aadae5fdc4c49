import type { CommandHandlers } from '../commandHandlers.js';
import type { HostServices } from '../hostServices.js';

type WebhookCommand = 'listWebhooks' | 'addWebhook' | 'removeWebhook' | 'enableWebhook' | 'testWebhook';

/** An owner has those of its space. */
export function createWebhookHandlers({
  webhooks,
}: Pick<HostServices, 'webhooks'>): Pick<CommandHandlers, WebhookCommand> {
  return {
    listWebhooks: (_params, { space }) => webhooks.list(space),
    addWebhook: (params, { space }) => webhooks.add(params, space),
    removeWebhook: async ({ webhook }, { space }) => {
      await webhooks.remove(webhook, space);
      return null;
    },
    enableWebhook: async ({ webhook }, { space }) => {
      await webhooks.enable(webhook, space);
      return null;
    },
    testWebhook: ({ webhook }, { space }) => webhooks.test(webhook, space),
  };
}
