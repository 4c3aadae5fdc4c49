import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FairTurns, PacedSocket } from '../../../src/server/sockets/pacedSocket.js';

describe('a paced socket', () => {
  let server: Server;
  let client: Socket;
  let paced: PacedSocket;
  beforeEach(async () => {
    // As a server of HTTP has them.
    server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const accepted = once(server, 'connection');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    paced = new PacedSocket(((await accepted) as [Socket])[0], new FairTurns());
  });
  afterEach(() => {
    client.destroy();
    paced.destroy();
    server.close();
  });

  const numbers = (count: number) => Array.from({ length: count }, (_, n) => `${n}\n`).join('');

  async function flowed(): Promise<string> {
    const pieces: Buffer[] = [];
    paced.on('data', (piece: Buffer) => pieces.push(piece));
    await once(paced, 'end');
    return String(Buffer.concat(pieces));
  }

  it('emits everything in order, in small pieces, then the end', async () => {
    const sent = numbers(300_000);
    client.end(sent);
    let largest = 0;
    paced.on('data', (piece: Buffer) => {
      largest = Math.max(largest, piece.length);
    });
    expect(await flowed()).toBe(sent);
    expect(largest).toBeLessThanOrEqual(4_096);
  });

  it('emits smaller pieces while each is expensive', async () => {
    client.end('x'.repeat(20_000));
    const sizes: number[] = [];
    paced.on('data', (piece: Buffer) => {
      sizes.push(piece.length);
      const until = performance.now() + 2;
      while (performance.now() < until);
    });
    await once(paced, 'end');
    expect(Math.max(...sizes)).toBe(512);
  });

  it('holds data back while it is paused, and stops reading', async () => {
    const seen: string[] = [];
    paced.on('data', (piece: Buffer) => {
      seen.push(String(piece));
      paced.pause();
    });
    const sent = numbers(200_000);
    client.write(sent);
    while (seen.join('').length < 50_000) {
      const before = seen.length;
      paced.resume();
      while (seen.length === before) await new Promise(setImmediate);
      expect(seen.length).toBe(before + 1);
    }
    paced.removeAllListeners('data');
    client.end();
    const rest = flowed();
    paced.resume();
    expect(seen.join('') + (await rest)).toBe(sent);
  });

  it('emits the data from before a broken connection', async () => {
    const all = flowed();
    client.write('before the end', () => client.destroy());
    expect(await all).toBe('before the end');
  });

  it('writes, ends and closes like a socket', async () => {
    const received = text(client);
    paced.cork();
    paced.write('one ');
    paced.write('two ');
    paced.uncork();
    paced.end('three');
    expect(await received).toBe('one two three');
    paced.destroySoon();
    await once(paced, 'close');
    expect(paced.raw.destroyed).toBe(true);
  });

  it('ends when the other side closes while nothing reads', async () => {
    client.write('unread');
    client.resetAndDestroy();
    await once(paced, 'close');
  });
});
