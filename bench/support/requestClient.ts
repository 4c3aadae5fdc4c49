import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';

export interface ServerAddress {
  readonly url: string;
  readonly token: string;
}

const IN_FLIGHT = 256;

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

  /** Sends a notification. */
  send(method: string, params: object): void {
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** Sends actions, some hundred on their way at a time, and waits until each has come back. */
  async dispatchAll(params: readonly object[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let [sent, echoed] = [0, 0];
    const send = () => {
      const next = params[sent++];
      if (next) this.#socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'dispatchAction', params: next }));
    };
    const listen = (data: unknown) => {
      const text = String(data);
      if (!text.startsWith('{"jsonrpc":"2.0","method":"action"') || !text.includes('"origin"')) return;
      send();
      if (++echoed === params.length) resolve();
    };
    this.#socket.on('message', listen);
    for (let n = 0; n < IN_FLIGHT; n++) send();
    await promise;
    this.#socket.off('message', listen);
  }

  /** Sends one action, and waits until it has come back; the milliseconds that took. */
  async echo(params: object): Promise<number> {
    const start = performance.now();
    await this.dispatchAll([params]);
    return performance.now() - start;
  }

  /** Reads nothing any more. */
  pause(): void {
    this.#socket.pause();
  }

  /** Until the host has so many sessions in its index: logs that no host has written are not there at first. */
  async indexed(sessions: number): Promise<void> {
    for (;;) {
      const { result } = await this.request('listSessions', { limit: 1 });
      if ((result as { total: number }).total === sessions) return;
      await delay(100);
    }
  }

  close(): void {
    this.#socket.terminate();
  }
}
