import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What stands before the hosts of a cluster: every new connection goes to one that is up. */
export class Balancer {
  readonly #server: Server;
  readonly #choose: () => URL | undefined;
  readonly #sockets = new Map<Socket, string>();

  static async start(choose: () => URL | undefined): Promise<Balancer> {
    const balancer = new Balancer(choose);
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  private constructor(choose: () => URL | undefined) {
    this.#choose = choose;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
  }

  /** Ends the connections to one host, or to all of them. */
  cut(target?: URL): void {
    for (const [socket, to] of this.#sockets) if (!target || to === target.host) socket.destroy();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }

  #accept(socket: Socket): void {
    const target = this.#choose();
    if (!target) {
      socket.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    for (const [end, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      this.#sockets.set(end, target.host);
      end.on('error', () => {});
      end.on('close', () => {
        this.#sockets.delete(end);
        other.destroy();
      });
    }
    socket.pipe(upstream).pipe(socket);
  }
}
