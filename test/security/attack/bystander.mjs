// A client that has nothing to do with the attack. It pings the host, and a control server that does nothing else, at a fixed
// rate, so that a stall counts for as long as it lasts. It runs in a process of its own: the attack must not slow it down.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { WebSocket, WebSocketServer } from 'ws';

const EVERY_MS = 10;

class Pinger {
  times = [];
  #socket;
  #sent = new Map();
  #lastId = 0;
  #waiting = [];

  static async open(url, options, greet = () => {}) {
    const socket = new WebSocket(url, options);
    await once(socket, 'open');
    const pinger = new Pinger(socket);
    greet(socket);
    return pinger;
  }

  constructor(socket) {
    this.#socket = socket;
    socket.on('message', (data) => {
      const { id } = JSON.parse(String(data));
      const sentAt = this.#sent.get(id);
      if (sentAt === undefined) return;
      this.#sent.delete(id);
      this.times.push(performance.now() - sentAt);
      if (this.#sent.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    });
    socket.on('close', () => process.exit(3));
    socket.on('error', () => process.exit(3));
  }

  ping() {
    this.#sent.set(++this.#lastId, performance.now());
    request(this.#socket, this.#lastId, 'ping');
  }

  clear() {
    this.times = [];
    this.#sent.clear();
  }

  /** Resolves when everything sent so far is answered. */
  async settled() {
    if (this.#sent.size > 0) await new Promise((resolve) => this.#waiting.push(resolve));
  }
}

if (process.argv[2] === 'control') {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  server.on('connection', (socket) => socket.on('message', (data) => socket.send(String(data))));
  process.send(`ws://127.0.0.1:${server.address().port}`);
  process.on('disconnect', () => process.exit());
} else {
  const { url, token } = JSON.parse(process.argv[2]);
  const control = fork(import.meta.filename, ['control']);
  const [controlUrl] = await once(control, 'message');
  const host = await Pinger.open(url, { headers: { authorization: `Bearer ${token}` } }, (socket) =>
    request(socket, 0, 'initialize', { protocolVersion: 1, clientId: 'bystander' }),
  );
  const pingers = [host, await Pinger.open(controlUrl, {})];
  setInterval(() => {
    for (const pinger of pingers) pinger.ping();
  }, EVERY_MS);
  process.on('message', async (command) => {
    if (command === 'begin') for (const pinger of pingers) pinger.clear();
    else await Promise.all(pingers.map((pinger) => pinger.settled()));
    process.send(pingers.map((pinger) => pinger.times));
  });
  process.on('disconnect', () => process.exit());
  process.send('ready');
}

function request(socket, id, method, params = {}) {
  socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
}
