import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The network between a client and a host, which can be cut. */
export interface TcpProxy {
  /** Where clients connect to; the host has to know it as its `publicUrl`. */
  readonly url: URL;
  /** Where connections go from now on. */
  forwardTo(target: URL): void;
  /** Ends every connection without a goodbye, or each with this probability. */
  cut(probability?: number): void;
  /** Until it is allowed again, new connections are ended at once. */
  allow(allowed: boolean): void;
  /** What comes from the host is thrown away from now on, as if it was lost on a connection that is about to break. */
  swallowAnswers(): void;
  close(): Promise<void>;
}

/** `onAnswer` gets what comes from the host. */
export async function startTcpProxy({ onAnswer }: { onAnswer?: (chunk: Buffer) => void } = {}): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let target: URL | undefined;
  let isAllowed = true;
  let swallows = false;
  const server = createServer((socket) => {
    if (!isAllowed || !target) {
      socket.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    for (const [end, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(end);
      end.on('error', () => {});
      end.on('close', () => {
        sockets.delete(end);
        other.destroy();
      });
    }
    socket.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      onAnswer?.(chunk);
      if (swallows || socket.write(chunk)) return;
      upstream.pause();
      socket.once('drain', () => upstream.resume());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (probability = 1) => {
    for (const socket of sockets) if (Math.random() < probability) socket.destroy();
    if (probability === 1) swallows = false;
  };
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    forwardTo(to) {
      target = to;
    },
    cut,
    allow(allowed) {
      isAllowed = allowed;
    },
    swallowAnswers() {
      swallows = true;
    },
    async close() {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
}
