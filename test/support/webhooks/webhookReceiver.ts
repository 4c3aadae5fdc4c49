import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface ReceivedWebhook {
  readonly id: string;
  readonly path: string;
  readonly message: {
    readonly type: string;
    readonly timestamp: string;
    // biome-ignore lint/suspicious/noExplicitAny: what came is compared, not used
    readonly data: any;
  };
}

/** What it answers: a status with headers, or the end of the connection without an answer. */
export type Answer = number | { readonly status: number; readonly headers: Readonly<Record<string, string>> } | 'cut';

/** The receiver of a webhook, which checks signatures with the library of Standard Webhooks. */
export class WebhookReceiver {
  /** What it has accepted. */
  readonly received: ReceivedWebhook[] = [];
  /** What was sent to it without a good signature. */
  readonly problems: string[] = [];
  attempts = 0;
  connections = 0;
  secret = '';
  /** Asked for each request. */
  answer: (request: IncomingMessage) => Answer = () => 204;
  readonly #server: Server;

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  private constructor() {
    this.#server = createServer(async (request, response) => {
      this.attempts++;
      let body = '';
      for await (const chunk of request) body += chunk;
      const answer = this.answer(request);
      const accepts = typeof answer === 'number' && answer < 300;
      if (accepts) this.#take(request, body);
      if (answer === 'cut') request.socket.destroy();
      else if (typeof answer === 'number') response.writeHead(answer).end();
      else response.writeHead(answer.status, answer.headers).end();
    });
    this.#server.on('connection', () => this.connections++);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/in`;
  }

  /** Each event once, in the order in which it first came. */
  get events(): readonly ReceivedWebhook[] {
    return [...new Map(this.received.map((one) => [one.id, one])).values()];
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #take(request: IncomingMessage, body: string): void {
    try {
      const headers = request.headers as Record<string, string>;
      const message = new Webhook(this.secret).verify(body, headers) as ReceivedWebhook['message'];
      this.received.push({ id: headers['webhook-id'] ?? '', path: request.url ?? '', message });
    } catch (error) {
      this.problems.push(String(error));
    }
  }
}
