// A pseudo terminal behind a socket, and nothing else: what is typed comes as a frame, what is printed leaves as one.
import type { AddressInfo } from 'node:net';
import { type IPty, spawn } from '@lydell/node-pty';
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ host: '127.0.0.1', port: 0 }, () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ event: 'listening', url: `ws://127.0.0.1:${port}`, token: '' });
});
const terminals = new Set<IPty>();
server.on('connection', (socket) => {
  const terminal = spawn('/bin/sh', ['-c', 'stty raw -echo; exec cat'], {
    cols: 80,
    rows: 24,
    env: { TERM: 'xterm-256color' },
  });
  terminals.add(terminal);
  terminal.onData((data) => socket.send(JSON.stringify({ data })));
  socket.on('message', (message) => terminal.write((JSON.parse(String(message)) as { data: string }).data));
  socket.on('close', () => terminal.kill());
});
process.on('disconnect', () => process.exit());
process.once('exit', () => {
  for (const terminal of terminals) terminal.kill();
});
