import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { refusesConnections } from '../../src/cluster/refusesConnections.js';

const LISTENS = `const s = require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () =>
  console.log(s.address().port))`;

describe('[OWN4] whether an address refuses connections', () => {
  it('is so where nobody listens, and not where somebody does', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    expect(await refusesConnections(`http://127.0.0.1:${port}/`)).toBe(false);
    server.close();
    await once(server, 'close');
    expect(await refusesConnections(`http://127.0.0.1:${port}/`)).toBe(true);
  });

  it('is not so where nothing answers at all', async () => {
    const child = spawn(process.execPath, ['-e', LISTENS], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    child.kill('SIGSTOP');
    // It takes no connection from its queue: when that is full, the next are swallowed.
    const sockets = Array.from({ length: 8 }, () => connect(Number(port), '127.0.0.1').on('error', () => undefined));
    await Promise.race([once(sockets[0] as never, 'connect'), delay(5_000)]);
    try {
      expect(await refusesConnections(`http://127.0.0.1:${port}/`)).toBe(false);
    } finally {
      for (const socket of sockets) socket.destroy();
      child.kill('SIGKILL');
    }
  });
});
