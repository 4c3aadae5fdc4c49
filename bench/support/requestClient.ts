import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';

export interface ServerAddress {
  readonly url: string;
  readonly token: string;
}

/** One request at a time, timed from the send to the whole answer. */
export class RequestClient {
  readonly #socket: WebSocket;
  #lastId = 0;

  static async open({ url, token }: ServerAddress): Promise<RequestClient> {
    const socket = new WebSocket(url, { headers: token ? { authorization: `Bearer ${token}` } : {} });
    await once(socket, 'open');
    const client = new RequestClient(socket);
    if (token) await client.request('initialize', { protocolVersion: 1, clientId: randomUUID() });
    return client;
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  async request(method: string, params: object): Promise<{ readonly result: unknown; readonly ms: number }> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const listen = (data: unknown) => {
      const message = JSON.parse(String(data)) as { id?: number; result?: unknown; error?: { message: string } };
      if (message.id !== id) return;
      this.#socket.off('message', listen);
      if (message.error) reject(new Error(`${method}: ${message.error.message}`));
      else resolve(message.result);
    };
    this.#socket.on('message', listen);
    const start = performance.now();
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const result = await promise;
    return { result, ms: performance.now() - start };
  }

  close(): void {
    this.#socket.terminate();
  }
}
