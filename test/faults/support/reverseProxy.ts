import { once } from 'node:events';
import { type ClientRequest, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface ReverseProxyOptions {
  /** Cuts a socket on which nothing came from either side for so long. */
  readonly idleMs?: number;
  /** Holds what comes from the host, and passes it on so late, in one piece. */
  readonly bufferMs?: number;
}

/** A reverse proxy as nginx is one: knows HTTP and upgrades, adds its headers, buffers, cuts, and dies. */
export class ReverseProxy {
  readonly #options: ReverseProxyOptions;
  readonly #server = createServer((incoming, response) => this.#pass(incoming, response));
  readonly #sockets = new Set<Duplex>();
  #target: URL | undefined;
  /** Of the next answer that is passed on, only so many bytes; then the connection ends. */
  #dieAfter: number | undefined;

  static async start(options: ReverseProxyOptions = {}): Promise<ReverseProxy> {
    const proxy = new ReverseProxy(options);
    proxy.#server.on('upgrade', (incoming, socket, head) => proxy.#upgrade(incoming, socket as Socket, head));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(options: ReverseProxyOptions) {
    this.#options = options;
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  forwardTo(target: URL): void {
    this.#target = target;
  }

  dieInTheNextFrame(afterBytes: number): void {
    this.#dieAfter = afterBytes;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #pass(incoming: IncomingMessage, response: ServerResponse): void {
    const upstream = this.#ask(incoming);
    upstream.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.writeHead(502).end());
    incoming.pipe(upstream);
  }

  #upgrade(incoming: IncomingMessage, socket: Socket, head: Buffer): void {
    const upstream = this.#ask(incoming);
    upstream.on('response', (answer) => {
      socket.end(`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\nconnection: close\r\n\r\n`);
      answer.resume();
    });
    upstream.on('upgrade', (answer, inner, innerHead) => {
      const headers = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers.join('')}\r\n`);
      inner.unshift(innerHead);
      this.#join(socket, inner);
      if (head.length > 0) inner.write(head);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
    upstream.end();
  }

  #ask(incoming: IncomingMessage): ClientRequest {
    const { method, url = '/', headers, socket } = incoming;
    return request(new URL(url, this.#target), {
      ...(method && { method }),
      headers: {
        ...headers,
        'x-forwarded-for': socket.remoteAddress ?? '',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': headers.host ?? '',
      },
    });
  }

  #join(socket: Socket, inner: Duplex): void {
    const { idleMs, bufferMs = 0 } = this.#options;
    let idle: NodeJS.Timeout | undefined;
    const used = () => {
      clearTimeout(idle);
      if (idleMs !== undefined) idle = setTimeout(() => socket.destroy(), idleMs);
    };
    const held: Buffer[] = [];
    const passOn = () => {
      const bytes = Buffer.concat(held.splice(0));
      const last = this.#dieAfter;
      if (last === undefined || bytes.length === 0) {
        socket.write(bytes);
        return;
      }
      this.#dieAfter = undefined;
      socket.write(bytes.subarray(0, last), () => socket.destroy());
    };
    socket.on('data', (chunk) => {
      used();
      inner.write(chunk);
    });
    inner.on('data', (chunk: Buffer) => {
      used();
      held.push(chunk);
      if (bufferMs === 0) passOn();
      else if (held.length === 1) setTimeout(passOn, bufferMs);
    });
    for (const [end, other] of [[socket, inner] as const, [inner, socket] as const]) {
      this.#sockets.add(end);
      end.on('error', () => {});
      end.on('close', () => {
        clearTimeout(idle);
        this.#sockets.delete(end);
        other.destroy();
      });
    }
    used();
  }
}
