import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import type { HostLog, ListenOptions } from '@agenthost/host';
import { SUBPROTOCOL } from '@agenthost/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { DeviceTokens } from '../../packages/host/src/server/access/deviceTokens.js';
import { RawClient } from '../support/rawClient.js';
import { maskedFrame, rawWebSocket } from '../support/rawWebSocket.js';
import { closed, writable } from '../support/socketEvents.js';
import { startTestHost, type TestHost, temporaryFolder } from '../support/testHost.js';

const TEXT = 1;
const PING = 9;
const PONG_HEAD = 0x8a;

describe('point 7: connections, requests and control frames', () => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  async function start(listen: ListenOptions = {}, warnings: string[] = []): Promise<TestHost> {
    const stateDir = await temporaryFolder();
    const log: HostLog = { error() {}, info() {}, debug() {}, warn: (message) => void warnings.push(message) };
    const host = await startTestHost({ stateDir, log }, listen);
    cleanups.push(
      () => rm(stateDir, { recursive: true, force: true }),
      () => host.dispose(),
    );
    return host;
  }

  async function open({ url }: TestHost, text = ''): Promise<Socket> {
    const socket = connect(Number(url.port), url.hostname);
    cleanups.push(() => socket.destroy());
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  }

  it('too many unanswered requests end the connection, and a few are answered', async () => {
    const host = await start();
    const get = `GET / HTTP/1.1\r\nHost: ${host.url.host}\r\n\r\n`;
    const few = await open(host, get.repeat(8));
    let text = '';
    few.on('data', (data) => {
      text += String(data);
    });
    while (text.split('HTTP/1.1 200').length - 1 < 8) await once(few, 'data');
    const many = await open(host, get.repeat(100));
    many.resume();
    await closed(many);
    expect(few.destroyed).toBe(false);
  });

  it('a request with a body is answered, and its connection ends', async () => {
    const host = await start();
    const post = `POST / HTTP/1.1\r\nHost: ${host.url.host}\r\nContent-Length: 1000000000\r\n\r\nthe beginning`;
    const socket = await open(host, post);
    let text = '';
    socket.on('data', (data) => {
      text += String(data);
    });
    await closed(socket);
    expect(text).toMatch(/^HTTP\/1\.1 404 [\s\S]*connection: close/i);
  }, 8_000);

  it('a connection without a request ends within seconds', async () => {
    const host = await start();
    const [silent, slow] = [await open(host), await open(host, 'GET / HTTP/1.1\r\nHost:')];
    for (const socket of [silent, slow]) socket.resume();
    await Promise.all([closed(silent), closed(slow)]);
  }, 20_000);

  it('requests that never end give way to new ones: a client with a token connects', async () => {
    const warnings: string[] = [];
    const host = await start({ guestLimits: { maxGuests: 4 } }, warnings);
    const all: Socket[] = [];
    for (let n = 0; n < 10; n++) all.push(await open(host, 'GET / HTTP/1.1\r\nHost:'));
    for (const socket of all) socket.resume();
    await Promise.all(all.slice(0, 6).map((socket) => closed(socket)));
    await (await host.raw('somebody')).fence();
    expect(warnings).toEqual(['a connection without a token was ended: there are too many of them']);
  });

  it('a device can’t take all connections: the owner connects, and revokes its token', async () => {
    const stateDir = await temporaryFolder();
    cleanups.push(() => rm(stateDir, { recursive: true, force: true }));
    const devices = new DeviceTokens(stateDir);
    const token = await devices.add('phone', 'viewer');
    const host = await startTestHost({ stateDir }, { maxConnections: 30 });
    cleanups.push(() => host.dispose());
    const phones = await Promise.allSettled(Array.from({ length: 40 }, () => RawClient.open({ url: host.url, token })));
    const open = phones.flatMap((phone) => (phone.status === 'fulfilled' ? [phone.value] : []));
    expect(open.length).toBe(3);
    await (await host.raw('owner')).fence();
    await devices.remove('phone');
    for (const phone of open) expect((await phone.closed).code).toBe(4401);
  });

  it('pings of a client that does not read are answered once it reads, by the last of them', async () => {
    const host = await start();
    const socket = await rawWebSocket(host);
    cleanups.push(() => socket.destroy());
    socket.pause();
    const count = 200_000;
    const pings = Buffer.concat(Array.from({ length: 1_000 }, () => maskedFrame(PING, 'x'.repeat(100))));
    for (let n = 0; n < count; n += 1_000) if (!socket.write(pings)) await writable(socket);
    socket.write(maskedFrame(PING, 'the last one'));
    let text = '';
    let pongs = 0;
    socket.on('data', (data: Buffer) => {
      for (const byte of data) if (byte === PONG_HEAD) pongs++;
      text = (text + String(data)).slice(-200);
    });
    socket.resume();
    while (!text.includes('the last one')) await once(socket, 'data');
    expect(pongs).toBeLessThan(count / 2);
  });

  it('frames right behind the upgrade are handled, in order', async () => {
    const host = await start();
    const ids = Array.from({ length: 2_000 }, (_, n) => n);
    const frames = ids.map((id) => maskedFrame(TEXT, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`));
    const socket = await rawWebSocket(host, { behind: Buffer.concat(frames) });
    cleanups.push(() => socket.destroy());
    let text = '';
    socket.on('data', (data: Buffer) => {
      text += String(data);
    });
    while (!text.includes('"id":1999,')) await once(socket, 'data');
    expect([...text.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id))).toEqual(ids);
  });

  it('unfinished messages of a device are dropped with their sockets when they are too much', async () => {
    const stateDir = await temporaryFolder();
    cleanups.push(() => rm(stateDir, { recursive: true, force: true }));
    const token = await new DeviceTokens(stateDir).add('phone', 'viewer');
    const host = await startTestHost({ stateDir });
    cleanups.push(() => host.dispose());
    const begun = Buffer.alloc(14 + 7 * 1024 * 1024, 'x');
    begun.set([0x80 | TEXT, 0x80 | 127, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0]);
    const begin = async (address: Pick<TestHost, 'url' | 'token'>) => {
      const socket = await rawWebSocket(address);
      cleanups.push(() => socket.destroy());
      socket.write(begun);
      return socket;
    };
    const owners = await Promise.all(Array.from({ length: 6 }, () => begin(host)));
    const phones = await Promise.all(Array.from({ length: 6 }, () => begin({ url: host.url, token })));
    await Promise.race(phones.map((socket) => closed(socket.resume())));
    expect(owners.some(({ destroyed }) => destroyed)).toBe(false);
  });

  it('data between the parts of a message counts until the message ends', async () => {
    const stateDir = await temporaryFolder();
    cleanups.push(() => rm(stateDir, { recursive: true, force: true }));
    const token = await new DeviceTokens(stateDir).add('phone', 'viewer');
    const host = await startTestHost({ stateDir });
    cleanups.push(() => host.dispose());
    const [begin, goOn, end] = [Buffer.from([TEXT, 0x81]), Buffer.from([0, 0x81]), Buffer.from([0x80, 0x81])];
    const part = (head: Buffer) => Buffer.concat([head, Buffer.alloc(4), Buffer.from(' ')]);
    const pings = Array.from({ length: 500 }, () => maskedFrame(PING, 'x'.repeat(125)));
    const [ended, unended] = [
      await rawWebSocket({ url: host.url, token }),
      await rawWebSocket({ url: host.url, token }),
    ];
    cleanups.push(
      () => ended.destroy(),
      () => unended.destroy(),
    );
    const flood = async (socket: Socket, ...parts: readonly Buffer[]) => {
      socket.resume();
      const unit = Buffer.concat([...parts, ...pings]);
      // 65 MB, of which all but a few thousand bytes are pings.
      for (let n = 0; n < 1_000 && !socket.destroyed; n++) if (!socket.write(unit)) await writable(socket);
    };
    await flood(ended, part(begin), part(goOn), part(end));
    expect(ended.destroyed).toBe(false);
    unended.write(part(begin));
    await flood(unended, part(goOn));
    await closed(unended);
    expect(ended.destroyed).toBe(false);
  }, 30_000);

  it('a socket with a wrong token can send nothing: it ends, and the host continues', async () => {
    const host = await start();
    const refused = () => rawWebSocket({ url: host.url, token: 'x'.repeat(43) }, { subprotocol: SUBPROTOCOL });
    const begun = Buffer.alloc(14 + 1024 * 1024, 'x');
    begun.set([0x80 | TEXT, 0x80 | 127, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0]);
    const unmasked = Buffer.from([0x80 | TEXT, 1, 0x78]);
    for (const bytes of [begun, unmasked, Buffer.alloc(0)]) {
      const socket = await refused();
      cleanups.push(() => socket.destroy());
      socket.write(bytes);
      await closed(socket.resume());
    }
    await (await host.raw('somebody')).fence();
  }, 15_000);

  it('wrong tokens are logged once, not each time', async () => {
    const warnings: string[] = [];
    const host = await start({}, warnings);
    const wrong = Array.from({ length: 50 }, () => RawClient.open({ url: host.url, token: 'x'.repeat(43) }));
    expect((await Promise.allSettled(wrong)).every(({ status }) => status === 'rejected')).toBe(true);
    expect(warnings).toEqual(['a connection from 127.0.0.1 had no valid token']);
  });
});
