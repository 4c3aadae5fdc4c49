import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface WebhookMessage {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, string>>;
}

/** The receiver of a webhook: checks the signature, drops what came before, and answers 2xx only when it is done with a message. */
export async function webhookServer(secretOf: () => string, take: (message: WebhookMessage) => Promise<void> | void) {
  // A real one keeps them for some days, beside its own data.
  const seen = new Set<string>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const headers = request.headers as Record<string, string>;
    const id = headers['webhook-id'] ?? '';
    try {
      const message = new Webhook(secretOf()).verify(body, headers) as WebhookMessage;
      if (!seen.has(id)) await take(message);
      seen.add(id);
      response.writeHead(204).end();
    } catch (error) {
      // It comes again, with the same id.
      response.writeHead(400).end(String(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => void server.close() };
}
