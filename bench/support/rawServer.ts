// The baseline: a raw `ws` server that parses one message and broadcasts it, one frame a message. With `keep` it keeps the newest
// of them for clients that reconnect.
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

const kept = process.argv[2] === 'keep' ? 64 : 0;
const newest: string[] = [];
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('connection', (socket) => {
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as { broadcast?: unknown; replay?: true };
    if (message.replay) socket.send(`[${newest.join()}]`);
    if (message.broadcast === undefined) return;
    const text = JSON.stringify(message);
    if (kept > 0 && newest.push(text) > kept) newest.shift();
    for (const client of server.clients) client.send(text);
  });
});
process.on('disconnect', () => process.exit());
server.on('listening', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ event: 'listening', url: `ws://127.0.0.1:${port}`, token: '' });
});
