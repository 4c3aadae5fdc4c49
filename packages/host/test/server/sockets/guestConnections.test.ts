import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { addressGroup, isLoopback } from '../../../src/server/networkAddress.js';
import { GuestConnections } from '../../../src/server/sockets/guestConnections.js';

let lastPort = 0;

/** Only what is looked at: another machine's address can't be had in a test. */
class Guest extends EventEmitter {
  readonly remotePort: number | undefined;
  readonly remoteAddress: string | undefined;
  destroyed = false;

  constructor(remoteAddress: string | undefined, remotePort: number | undefined = ++lastPort) {
    super();
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }

  get socket(): Socket {
    return this as unknown as Socket;
  }
}

function fill(guests: GuestConnections, address: string, count: number): Guest[] {
  return Array.from({ length: count }, () => {
    const guest = new Guest(address);
    guests.add(guest.socket);
    return guest;
  });
}

const ended = (guests: readonly Guest[]) => guests.flatMap(({ destroyed }, n) => (destroyed ? [n] : []));

it('ends the one that was quiet for longest when there are too many', () => {
  const guests = new GuestConnections({ maxGuests: 3, maxGuestsPerAddress: 64 });
  const all = fill(guests, '127.0.0.1', 3);
  guests.asked(all[0]?.socket as Socket);
  const more = fill(guests, '127.0.0.1', 2);
  expect(ended(all)).toEqual([1, 2]);
  expect(ended(more)).toEqual([]);
  expect(guests.size).toBe(3);
});

it('ends one of the address with the most connections', () => {
  const guests = new GuestConnections({ maxGuests: 10, maxGuestsPerAddress: 64 });
  const [few, many] = [fill(guests, '10.0.0.1', 2), fill(guests, '10.0.0.2', 8)];
  fill(guests, '10.0.0.3', 2);
  expect(ended(few)).toEqual([]);
  expect(ended(many)).toEqual([0, 1]);
});

it('bounds each address, but not loopback, where all clients of a proxy come from', () => {
  const guests = new GuestConnections({ maxGuests: 100, maxGuestsPerAddress: 4 });
  const [far, local] = [fill(guests, '10.0.0.1', 6), fill(guests, '::ffff:127.0.0.1', 6)];
  expect(ended(far)).toEqual([0, 1]);
  expect(ended(local)).toEqual([]);
});

it('counts an IPv6 network as one address', () => {
  expect(addressGroup('2001:db8:1:2:3:4:5:6')).toBe(addressGroup('2001:db8:1:2::9'));
  expect(addressGroup('2001:db8::1')).toBe(addressGroup('2001:db8::2'));
  expect(addressGroup('2001:db8:1:2::1')).not.toBe(addressGroup('2001:db8:1:3::1'));
  expect(addressGroup('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
  expect(addressGroup('::ffff:10.0.0.1')).toBe('10.0.0.1');
  expect(isLoopback(addressGroup('::1'))).toBe(true);
  expect(isLoopback(addressGroup('::ffff:127.0.0.1'))).toBe(true);
  expect(isLoopback('127.0.0.1.example.org')).toBe(false);
});

it('releases those that showed a token or ended', () => {
  const guests = new GuestConnections({ maxGuests: 2, maxGuestsPerAddress: 64 });
  const [first, second] = fill(guests, '127.0.0.1', 2);
  guests.leave(first?.socket as Socket);
  second?.destroy();
  expect(guests.size).toBe(0);
  const more = fill(guests, '127.0.0.1', 2);
  expect([first?.destroyed, ended(more)]).toEqual([false, []]);
});

it('counts a connection once when its address and port are reused, or are gone', () => {
  const guests = new GuestConnections({ maxGuests: 2, maxGuestsPerAddress: 64 });
  for (const address of ['127.0.0.1', undefined]) {
    const all = Array.from({ length: 5 }, () => new Guest(address, 7));
    for (const guest of all) guests.add(guest.socket);
    for (const guest of all) guest.destroy();
    expect(guests.size).toBe(0);
  }
  const [old, current] = [new Guest('127.0.0.1', 7), new Guest('127.0.0.1', 7)];
  for (const guest of [old, current]) guests.add(guest.socket);
  old.destroy();
  expect(guests.size).toBe(1);
  expect(ended(fill(guests, '127.0.0.1', 1))).toEqual([]);
});
