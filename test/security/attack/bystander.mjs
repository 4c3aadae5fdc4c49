// A client that has nothing to do with the attack. It pings the host, and a control server that does nothing else, at a fixed
// rate, so that a stall counts for as long as it lasts. It runs in a process of its own: the attack must not slow it down.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { WebSocket, WebSocketServer } from 'ws';

const EVERY_MS = 10;

class Pinger {
  times = [];
  /** The same without the time in which the server's thread wanted a processor and others had them all. */
  own = [];
  #socket;
  #queued;
  #sent = new Map();
  #lastId = 0;
  #waiting = [];

  static async open(url, options, queued = () => 0, greet = () => {}) {
    const socket = new WebSocket(url, options);
    await once(socket, 'open');
    const pinger = new Pinger(socket, queued);
    greet(socket);
    return pinger;
  }

  constructor(socket, queued) {
    this.#socket = socket;
    this.#queued = queued;
    socket.on('message', (data) => {
      const { id } = JSON.parse(String(data));
      const sent = this.#sent.get(id);
      if (sent === undefined) return;
      this.#sent.delete(id);
      const time = performance.now() - sent.at;
      this.times.push(time);
      this.own.push(Math.max(0, time - (this.#queued() - sent.queued)));
      if (this.#sent.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    });
    socket.on('close', () => process.exit(3));
    socket.on('error', () => process.exit(3));
  }

  ping() {
    this.#sent.set(++this.#lastId, { at: performance.now(), queued: this.#queued() });
    request(this.#socket, this.#lastId, 'ping');
  }

  clear() {
    this.times = [];
    this.own = [];
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
  const { url, token, pid } = JSON.parse(process.argv[2]);
  const control = fork(import.meta.filename, ['control']);
  const [controlUrl] = await once(control, 'message');
  const headers = { authorization: `Bearer ${token}` };
  const greet = (socket) => request(socket, 0, 'initialize', { protocolVersion: 1, clientId: 'bystander' });
  const host = await Pinger.open(url, { headers }, () => queuedMs(pid), greet);
  const pingers = [host, await Pinger.open(controlUrl, {})];
  setInterval(() => {
    for (const pinger of pingers) pinger.ping();
  }, EVERY_MS);
  process.on('message', async (command) => {
    if (command === 'begin') for (const pinger of pingers) pinger.clear();
    else await Promise.all(pingers.map((pinger) => pinger.settled()));
    process.send({ host: host.times, own: host.own, control: pingers[1].times });
  });
  process.on('disconnect', () => process.exit());
  process.send('ready');
}

function request(socket, id, method, params = {}) {
  socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
}

/** How long the first thread of a process has waited for a processor so far, in ms. */
function queuedMs(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
