// The baseline of a list: a socket, a request that is parsed, fifty rows out of SQLite, an answer. No filter, no order, no total.
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { WebSocketServer } from 'ws';

const database = new DatabaseSync(':memory:');
database.exec('CREATE TABLE summaries (summary TEXT NOT NULL)');
const insert = database.prepare('INSERT INTO summaries VALUES (?)');
for (let n = 0; n < 50; n++)
  insert.run(JSON.stringify({ resource: `mock:/${n}`, title: 'x'.repeat(250), modifiedAt: n }));
const read = database.prepare('SELECT summary FROM summaries LIMIT 50');
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('connection', (socket) => {
  socket.on('message', (data) => {
    const { id } = JSON.parse(String(data)) as { id: number };
    const items = read.all().map((row) => JSON.parse(String(row['summary'])) as unknown);
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: { items } }));
  });
});
process.on('disconnect', () => process.exit());
server.on('listening', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ event: 'listening', url: `ws://127.0.0.1:${port}`, token: '' });
});
