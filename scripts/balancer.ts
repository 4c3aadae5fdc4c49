// A small load balancer on loopback: passes TCP connections on to the host with the fewest of them, of those whose /healthz says
// that they serve.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const CHECK_MS = 500;
const CHECK_PATIENCE_MS = 1_000;
const CONNECT_MS = 1_000;

interface Backend {
  readonly url: URL;
  isHealthy: boolean;
  connections: number;
}

export interface Balancer {
  readonly url: URL;
  /** Connections may go there from now on. */
  add(url: URL): Promise<void>;
  close(): Promise<void>;
}

export async function startBalancer(port = 0): Promise<Balancer> {
  const backends: Backend[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void pass(socket));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const timer = setInterval(() => void Promise.all(backends.map(check)), CHECK_MS);

  async function check(backend: Backend): Promise<void> {
    const signal = AbortSignal.timeout(CHECK_PATIENCE_MS);
    const answer = await fetch(new URL('/healthz', backend.url), { signal }).catch(() => undefined);
    await answer?.body?.cancel();
    backend.isHealthy = answer?.ok === true;
  }

  async function pass(socket: Socket): Promise<void> {
    keep(socket);
    // One that does not answer may have ended since the last check.
    const order = backends.toSorted(
      (a, b) => Number(b.isHealthy) - Number(a.isHealthy) || a.connections - b.connections,
    );
    for (const backend of order) {
      const upstream = await reach(backend.url);
      if (!upstream) {
        backend.isHealthy = false;
        continue;
      }
      if (socket.destroyed) {
        upstream.destroy();
        return;
      }
      keep(upstream);
      backend.connections++;
      upstream.once('close', () => {
        backend.connections--;
        socket.destroy();
      });
      socket.once('close', () => upstream.destroy());
      socket.pipe(upstream);
      upstream.pipe(socket);
      return;
    }
    socket.destroy();
  }

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  }

  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    async add(url) {
      const backend: Backend = { url, isHealthy: false, connections: 0 };
      await check(backend);
      backends.push(backend);
    },
    async close() {
      clearInterval(timer);
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function reach({ hostname, port }: URL): Promise<Socket | undefined> {
  const socket = connect({ host: hostname, port: Number(port), timeout: CONNECT_MS });
  socket.once('timeout', () => socket.destroy(new Error('no answer')));
  try {
    await once(socket, 'connect');
    socket.setTimeout(0);
    return socket;
  } catch {
    socket.destroy();
    return undefined;
  }
}
