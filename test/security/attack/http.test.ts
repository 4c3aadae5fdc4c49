import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { SUBPROTOCOL } from '@agenthost/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RawClient } from '../../support/rawClient.js';
import { rawWebSocket } from '../../support/rawWebSocket.js';
import { closed, writable } from '../../support/socketEvents.js';
import { AttackedHost } from './attackedHost.js';

const ASSETS = join(import.meta.dirname, '../../../apps/web/dist/assets');

describe('attack: HTTP without a token', () => {
  let attacked: AttackedHost;
  const sockets: Socket[] = [];
  let log = '';
  beforeAll(async () => {
    attacked = await AttackedHost.start();
    attacked.host.process.stderr?.on('data', (chunk) => {
      log += String(chunk);
    });
  });
  afterAll(() => attacked.dispose());
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  /** A connection that reads nothing by default. */
  async function open(): Promise<Socket> {
    const { hostname, port } = attacked.host.url;
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  }

  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${attacked.host.url.host}\r\n\r\n`;
  const largestAsset = () => {
    const [largest] = readdirSync(ASSETS)
      .filter((name) => name.endsWith('.js'))
      .toSorted((a, b) => statSync(join(ASSETS, b)).size - statSync(join(ASSETS, a)).size);
    return `/assets/${largest}`;
  };

  it('900 pipelined requests for an asset on each of 20 connections, whose answers are never read', async () => {
    await attacked.during('20 times 900 unread assets', async () => {
      const all = await Promise.all(Array.from({ length: 20 }, open));
      const ended = all.map((socket) => closed(socket));
      for (const socket of all) {
        socket.write(get(largestAsset()).repeat(900));
        socket.resume();
      }
      await Promise.all(ended);
    });
  });

  it('as many pipelined requests as are accepted, on 250 connections that read nothing', async () => {
    await attacked.during('250 times 8 unread assets', async () => {
      const all = await Promise.all(Array.from({ length: 250 }, open));
      for (const socket of all) {
        socket.pause();
        socket.write(get(largestAsset()).repeat(8));
      }
      for (let n = 0; n < 20; n++) await (await RawClient.open(attacked.host)).end();
    });
  });

  it('requests with an endless body, on 200 connections', async () => {
    await attacked.during('200 endless bodies', async () => {
      const piece = Buffer.alloc(256 * 1024, 'x');
      const head = `POST / HTTP/1.1\r\nHost: ${attacked.host.url.host}\r\nContent-Length: 1000000000\r\n\r\n`;
      const all = await Promise.all(Array.from({ length: 200 }, open));
      await Promise.all(
        all.map(async (socket) => {
          socket.write(head);
          while (!socket.destroyed) {
            if (!socket.write(piece)) await writable(socket);
          }
        }),
      );
    });
  });

  it('2,100 requests that never end: a client with a token still connects', async () => {
    await attacked.during('2,100 half-open requests', async () => {
      for (let n = 0; n < 2_100; n++) {
        const socket = await open();
        socket.write(n % 2 === 0 ? 'GET / HTTP/1.1\r\nHost:' : '');
      }
      for (let n = 0; n < 5; n++) {
        const client = await RawClient.open(attacked.host);
        await client.fence();
        await client.end();
      }
    });
  });

  it('2,500 sockets of one viewer: the owner still connects', async () => {
    const token = await attacked.addToken('viewer', 'many');
    await attacked.during('2,500 sockets of a viewer', async () => {
      const viewers: RawClient[] = [];
      for (let n = 0; n < 2_500; n++) {
        const viewer = await RawClient.open({ url: attacked.host.url, token }).catch(() => undefined);
        if (viewer) viewers.push(viewer);
      }
      expect(viewers.length).toBeGreaterThan(10);
      const owner = await RawClient.open(attacked.host);
      await owner.fence();
      await Promise.all([owner, ...viewers].map((client) => client.end()));
    });
  });

  it('sockets with a wrong token send malformed frames, and endless messages', async () => {
    await attacked.during('60 sockets with a wrong token', async () => {
      const wrong = { url: attacked.host.url, token: 'x'.repeat(43) };
      const opened = await Promise.all(
        Array.from({ length: 60 }, () => rawWebSocket(wrong, { subprotocol: SUBPROTOCOL })),
      );
      sockets.push(...opened);
      const unmasked = Buffer.from([0x81, 1, 0x78]);
      const begun = Buffer.alloc(14 + 7 * 1024 * 1024, 'x');
      begun.set([0x81, 0x80 | 127, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0]);
      for (const [n, socket] of opened.entries()) socket.write(n % 2 === 0 ? unmasked : begun);
      await Promise.all(opened.map((socket) => closed(socket.resume())));
    });
    await (await RawClient.open(attacked.host)).end();
  }, 30_000);

  it('wrong tokens, as fast as possible, write a line or two', async () => {
    await attacked.during('2,000 wrong tokens', async () => {
      for (let round = 0; round < 2; round++) {
        const address = { url: attacked.host.url, token: 'x'.repeat(43) };
        const wrong = Array.from({ length: 1_000 }, () => RawClient.open(address));
        expect((await Promise.allSettled(wrong)).filter(({ status }) => status === 'fulfilled')).toEqual([]);
      }
    });
    // A line when it begins, and one for each minute.
    expect(log.split('\n').filter((line) => line.includes('no valid token')).length).toBeLessThanOrEqual(5);
    expect(log).toContain('no valid token');
  });
});
