// The baseline: parses one message and broadcasts it, one frame a message, as many as it was asked for.
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { reportCpu } from './reportCpu.ts';

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('connection', (socket) => {
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as { broadcast?: unknown };
    if (message.broadcast === undefined) return;
    const text = JSON.stringify(message);
    for (const client of server.clients) client.send(text);
  });
});
reportCpu();
process.on('disconnect', () => process.exit());
server.on('listening', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ event: 'listening', task: { kind: 'raw', url: `ws://127.0.0.1:${port}`, token: '' } });
});
