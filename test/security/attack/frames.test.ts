import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { RawClient } from '../../support/rawClient.js';
import { maskedFrame, rawWebSocket } from '../../support/rawWebSocket.js';
import { writable } from '../../support/socketEvents.js';
import { AttackedHost } from './attackedHost.js';

const PING = 9;
const TEXT = 1;

describe('attack: frames of a client with a token', () => {
  let attacked: AttackedHost;
  let viewer: { readonly url: URL; readonly token: string };
  beforeAll(async () => {
    attacked = await AttackedHost.start();
    viewer = { url: attacked.host.url, token: await attacked.addToken('viewer', 'a viewer') };
  });
  afterAll(() => attacked.dispose());

  it('2,000,000 pings of a viewer that reads nothing: the answers are bounded', async () => {
    await attacked.during('2,000,000 unread pings', async () => {
      const socket = await rawWebSocket(viewer);
      socket.pause();
      const pings = Buffer.concat(Array.from({ length: 10_000 }, () => maskedFrame(PING, 'x'.repeat(125))));
      let sent = 0;
      while (sent < 2_000_000 && !socket.destroyed) {
        if (!socket.write(pings)) await writable(socket);
        sent += 10_000;
      }
      expect(socket.destroyed).toBe(false);
      socket.resume();
      socket.write(maskedFrame(TEXT, '{"jsonrpc":"2.0","id":1,"method":"ping"}'));
      const isAnswered = (data: Buffer) => data.includes('"result"');
      while (!isAnswered((await once(socket, 'data'))[0] as Buffer)) {}
      socket.destroy();
    });
  });

  /** Sends all at once, and resolves with the ids of the answers as soon as there is one for each. */
  async function answersTo(frames: readonly string[]): Promise<unknown[]> {
    const { socket } = await RawClient.open(viewer);
    socket.removeAllListeners('message');
    const ids: unknown[] = [];
    const answered = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        if (ids.push((JSON.parse(String(data)) as { id: unknown }).id) === frames.length) resolve();
      });
    });
    for (const frame of frames) socket.send(frame);
    await answered;
    socket.terminate();
    return ids;
  }

  it('10,000 invalid frames, in one piece', async () => {
    await attacked.during('10,000 malformed frames', async () => {
      const frames = Array.from({ length: 10_000 }, (_, n) => (n % 2 === 0 ? '{"jsonrpc":"2.0"' : '[]'));
      expect(new Set(await answersTo(frames))).toEqual(new Set([null]));
    });
  });

  it('100,000 requests that are answered, in one piece and in order', async () => {
    await attacked.during('100,000 pings of the protocol', async () => {
      const ids = Array.from({ length: 100_000 }, (_, n) => n);
      expect(await answersTo(ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`))).toEqual(ids);
    });
  });

  it('100,000 empty frames', async () => {
    await attacked.during('100,000 empty frames', async () => {
      const socket = await rawWebSocket(viewer);
      let answers = 0;
      const answered = new Promise<void>((resolve) => {
        socket.on('data', (data: Buffer) => {
          answers += String(data).split('"error"').length - 1;
          if (answers >= 90_000) resolve();
        });
      });
      socket.write(Buffer.concat(Array.from({ length: 100_000 }, () => maskedFrame(TEXT, ''))));
      await answered;
      socket.destroy();
    });
  });

  it('100 sockets of one viewer at once, each with 1,000 frames', async () => {
    await attacked.during('100 times 1,000 malformed frames', async () => {
      const clients = await Promise.all(Array.from({ length: 100 }, () => RawClient.open(viewer)));
      for (const client of clients) for (let n = 0; n < 1_000; n++) client.sendText('{"jsonrpc":"2.0"');
      await Promise.all(clients.map((client) => client.fence()));
      await Promise.all(clients.map((client) => client.end()));
    });
  });

  it('messages that a viewer begins and never finishes, on 150 sockets', async () => {
    await attacked.during('150 messages without an end', async () => {
      const begun = Buffer.alloc(14 + 7 * 1024 * 1024, 'x');
      begun.set([0x81, 0x80 | 127, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0]);
      const sockets = await Promise.all(Array.from({ length: 150 }, () => rawWebSocket(viewer)));
      const sent = sockets.map((socket) => new Promise((resolve) => socket.write(begun, resolve)));
      await Promise.all(sent);
      // Some were cut off, and some wait for the rest.
      const left = () => sockets.filter(({ destroyed }) => !destroyed).length;
      await expect.poll(left, { timeout: 20_000 }).toBeLessThan(10);
      for (const socket of sockets) socket.destroy();
    });
  });

  it('answers that a viewer does not read, on 100 sockets', async () => {
    await attacked.during('100 sockets with unread answers', async () => {
      const sockets: WebSocket[] = [];
      for (let n = 0; n < 100; n++) {
        const { socket } = await RawClient.open(viewer);
        socket.pause();
        sockets.push(socket);
      }
      // The error repeats what was sent, so that the answers are as large as the requests.
      const request = JSON.stringify({ jsonrpc: '2.0', id: 'x'.repeat(250), method: `m${'y'.repeat(200)}` });
      for (const socket of sockets) for (let n = 0; n < 10_000; n++) socket.send(request);
      const isSent = ({ bufferedAmount, readyState }: WebSocket) =>
        bufferedAmount === 0 || readyState !== WebSocket.OPEN;
      await expect.poll(() => sockets.every(isSent), { timeout: 60_000 }).toBe(true);
      for (const socket of sockets) socket.terminate();
    });
  });
});
