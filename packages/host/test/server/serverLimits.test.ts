import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { GatheredWarnings } from '../../src/server/gatheredWarnings.js';
import { ClientSlots, descriptorShare, UnansweredRequests } from '../../src/server/sockets/admission.js';
import { HeldBytes } from '../../src/server/sockets/heldBytes.js';

const OWNER = { id: 'owner', role: 'owner' } as const;
const device = (id: string) => ({ id, role: 'driver', name: id }) as const;

it('gives a device a tenth of all slots, and all devices nine tenths', () => {
  const slots = new ClientSlots(100);
  const taken = (credential: Parameters<ClientSlots['take']>[0], wanted: number) =>
    Array.from({ length: wanted }, () => slots.take(credential)).filter((release) => release !== undefined);
  expect(taken(device('phone'), 50).length).toBe(10);
  for (let n = 0; n < 20; n++) taken(device(`device ${n}`), 10);
  expect(taken(device('another'), 1).length).toBe(0);
  const owners = taken(OWNER, 50);
  expect(owners.length).toBe(10);
  owners[0]?.();
  expect(taken(OWNER, 2).length).toBe(1);
});

it('reserves a quarter of the descriptors, up to 256, for files', () => {
  const accepted = (fd: number) => ({ _handle: { fd } }) as unknown as Socket;
  const small = descriptorShare(1_024);
  expect(small.max).toBe(768);
  expect([small.fits(accepted(767)), small.fits(accepted(768))]).toEqual([true, false]);
  expect(descriptorShare(100_000).max).toBe(99_744);
  expect(descriptorShare(Number.POSITIVE_INFINITY).fits(accepted(5_000))).toBe(true);
  // As on a system whose descriptors have no numbers.
  expect(small.fits({} as Socket)).toBe(true);
  expect(descriptorShare().max).toBeGreaterThan(16);
});

it('ends the largest of a device’s sockets when they hold too much together, and none of the owner’s', () => {
  const held = new HeldBytes();
  const ended: string[] = [];
  const reader = (name: string, mebibytes: number) => ({
    heldBytes: mebibytes * 1024 * 1024,
    cutOff: () => void ended.push(name),
  });
  for (const mebibytes of [8, 9, 8]) held.add(device('phone'), reader(`phone ${mebibytes}`, mebibytes));
  held.add(device('tablet'), reader('tablet', 30));
  held.add(OWNER, reader('owner', 100));
  held.check(device('phone'));
  held.check(device('tablet'));
  held.check(OWNER);
  expect(ended).toEqual([]);
  held.add(device('phone'), reader('phone 8', 8));
  held.check(device('phone'));
  expect(ended).toEqual(['phone 9']);
});

const servers: Server[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

it('ends a connection that does not read an answer in time', async () => {
  const requests = new UnansweredRequests({ maxUnanswered: 4, answerMs: 100 });
  const server = createServer((request, response) => {
    if (requests.begin(request, response)) response.end(Buffer.alloc(64 * 1024 * 1024));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [socket] = (await accepted) as [Socket];
  await once(socket, 'close');
  client.destroy();
});

it('logs frequent events at once, then once a minute with a count', () => {
  vi.useFakeTimers();
  const told: string[] = [];
  const log = { error() {}, info() {}, debug() {}, warn: (message: string) => void told.push(message) };
  const warnings = new GatheredWarnings(log);
  for (let n = 0; n < 900; n++) warnings.warn('from a', 'from elsewhere');
  warnings.warn('from b', 'from elsewhere');
  expect(told.splice(0)).toEqual(['from a', 'from b']);
  vi.advanceTimersByTime(60_000);
  expect(told.splice(0)).toEqual(['from a (899 more in the last minute)']);
  vi.advanceTimersByTime(120_000);
  expect(told.splice(0)).toEqual([]);
  for (let n = 0; n < 1_000; n++) warnings.warn(`from ${n}`, 'from elsewhere');
  expect(told.splice(0).length).toBe(21);
  warnings.dispose();
  expect(told).toEqual(['from elsewhere (979 more in the last minute)']);
  expect(vi.getTimerCount()).toBe(0);
});
