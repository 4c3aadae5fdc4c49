import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type HostClient, UnauthorizedError } from '@agenthost/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawClient } from '../../support/rawClient.js';
import { rawSession, startTestHost, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

describe('devices', () => {
  let host: TestHost;
  let owner: HostClient;
  beforeEach(async () => {
    host = await startTestHost();
    owner = await host.connect();
  });
  afterEach(() => host.dispose());

  const names = async () => (await owner.devices.list()).items.map(({ name }) => name);
  const add = async (name: string) => {
    const { device, token = '' } = await owner.devices.add({ name });
    return { device, token };
  };

  it('[DEV1] the host’s own token is exchanged for one that works at once and has a name of its own', async () => {
    const { device, token } = await add('Firefox on Linux');
    expect(device).toMatchObject({ name: 'Firefox on Linux', role: 'owner' });
    expect(token).not.toBe(host.token);
    const client = await host.connect({ token, clientInfo: { name: 'Ada' } });
    expect(client.role).toBe('owner');
    const { items, own } = await client.devices.list();
    expect(own).toBe(device.id);
    expect(items).toMatchObject([{ id: device.id, isConnected: true, lastSeenAt: expect.any(Number) }]);
    expect((await owner.devices.list()).own).toBeUndefined();
    expect(await readFile(join(host.stateDir, 'tokens.json'), 'utf8')).not.toContain(token);
  });

  it('[DEV1] a browser that opens its link again keeps its token, and a second browser gets a number', async () => {
    const first = await add('Firefox on Linux');
    const again = await owner.devices.add({ name: 'Firefox on Linux', known: first.token });
    expect(again).toEqual({ device: expect.objectContaining({ id: first.device.id }), token: first.token });
    const second = await owner.devices.add({ name: 'Firefox on Linux', known: 'of another host' });
    expect(second.device.name).toBe('Firefox on Linux 2');
    // A device that asks has a token of its own already.
    const client = await host.connect({ token: first.token });
    expect(await client.devices.add({ name: 'x' })).toEqual({
      device: expect.objectContaining({ id: first.device.id }),
    });
    expect(await names()).toEqual(['Firefox on Linux', 'Firefox on Linux 2']);
  });

  it('[SPACE1] [DEV1] an owner of another space sees, changes and lets in devices of that space only', async () => {
    const { device: laptop } = await add('laptop');
    const token = await host.host.deviceTokens.add("Ben's laptop", 'owner', 'design');
    await expect
      .poll(() => host.connect({ token }).then(({ role }) => role, String), { timeout: 10_000 })
      .toBe('owner');
    const ben = await host.connect({ token });
    expect((await ben.devices.list()).items.map(({ name }) => name)).toEqual(["Ben's laptop"]);
    expect(await names()).toEqual(['laptop']);
    await expect(ben.devices.update({ device: laptop.id, role: 'viewer' })).rejects.toThrow('no such device');
    await expect(ben.devices.remove(laptop.id)).rejects.toThrow('no such device');

    const { code } = await ben.devices.createPairing({ role: 'owner' });
    const headers = { authorization: `Pair ${code}`, 'agenthost-device': 'phone' };
    const answer = await fetch(new URL('/pair', host.url), { method: 'POST', headers });
    const { token: paired } = (await answer.json()) as { token: string };
    const session = await owner.createSession({ provider: 'mock' });
    const phone = await host.connect({ token: paired });
    await expect(phone.openSession(session.uri)).rejects.toThrow();
    expect((await phone.listSessions({})).total).toBe(0);
    expect((await host.host.deviceTokens.list()).find(({ name }) => name === 'phone')?.space).toBe('design');
  });

  it('a known token of a lesser role is replaced', async () => {
    const { device, token } = await add('tablet');
    await add('laptop');
    await owner.devices.update({ device: device.id, role: 'viewer' });
    const again = await owner.devices.add({ name: 'tablet', known: token });
    expect(again.device).toMatchObject({ name: 'tablet 2', role: 'owner' });
  });

  it('[DEV2] a role counts at once, without a new token, for every connection of the device', async () => {
    const { device, token } = await add('tablet');
    await add('laptop');
    const tablet = await host.connect({ token });
    const raw = await RawClient.open({ url: host.url, token });
    await raw.request('initialize', { protocolVersion: 2, clientId: crypto.randomUUID() });
    await owner.devices.update({ device: device.id, role: 'viewer' });
    expect(await raw.closed).toMatchObject({ code: 4409 });
    await expect.poll(() => tablet.role, { timeout: 10_000 }).toBe('viewer');
    await expect(tablet.devices.list()).rejects.toThrow('(role viewer)');
    await expect(tablet.createSession({ provider: 'mock' })).rejects.toThrow('(role viewer)');
    await owner.devices.update({ device: device.id, role: 'driver', name: 'Kitchen’s tablet' });
    await expect.poll(() => tablet.role, { timeout: 10_000 }).toBe('driver');
    expect(await names()).toEqual(["Kitchen's tablet", 'laptop']);
  });

  it('[DEV2] a revoked device is out at once, and its token stays out', async () => {
    const { device, token } = await add('tablet');
    await add('laptop');
    const tablet = await host.connect({ token });
    await owner.devices.remove(device.id);
    await until(tablet.connection, ({ state }) => state === 'closed', 'the end');
    const { value } = tablet.connection;
    expect(value.state === 'closed' && value.reason).toBeInstanceOf(UnauthorizedError);
    await expect(host.connect({ token })).rejects.toBeInstanceOf(UnauthorizedError);
    await expect(owner.devices.remove(device.id)).rejects.toThrow('There is no such device.');
  });

  it('[DEV3] the last owner is neither revoked nor given a lesser role', async () => {
    const { device } = await add('laptop');
    await expect(owner.devices.remove(device.id)).rejects.toThrow('laptop is the last device with the role owner.');
    await expect(owner.devices.update({ device: device.id, role: 'driver' })).rejects.toThrow('last device');
    await owner.devices.update({ device: device.id, name: 'desktop' });
    await add('other');
    await owner.devices.remove(device.id);
    expect(await names()).toEqual(['other']);
  });

  it('[DEV3] of two owners who revoke each other at once, one stays', async () => {
    const [a, b] = [await add('a'), await add('b')];
    const results = await Promise.allSettled([owner.devices.remove(a.device.id), owner.devices.remove(b.device.id)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await names()).length).toBe(1);
  });

  it('many changes at once are all made, in any order', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => add('Chrome on Linux')));
    expect(new Set(made.map(({ device }) => device.name)).size).toBe(50);
    await Promise.all(made.slice(1).map(({ device }) => owner.devices.remove(device.id)));
    expect(await names()).toEqual([made[0]?.device.name]);
  });

  it('refuses a name that could be taken for something else, and a 201st device', async () => {
    for (const name of ['owner', '\u202eemantset', ' ', '../x', 'a\u0000b'])
      await expect(owner.devices.add({ name })).rejects.toThrow("can't be a name here");
    for (let made = 0; made < 200; made += 50) await Promise.all(Array.from({ length: 50 }, () => add('x')));
    await expect(owner.devices.add({ name: 'x' })).rejects.toThrow('There are 200 tokens already.');
  }, 60_000);

  it('an owner says who uses a device, which is shown beside its name', async () => {
    const { token } = await add('Firefox on Linux');
    const watcher = await host.raw(crypto.randomUUID());
    const session = await rawSession([watcher]);
    const client = await host.connect({ token, clientInfo: { name: 'Ada' } });
    const handle = await client.openSession(session);
    await handle.send('hello');
    const started = await watcher.nextAction(session, 'session/turnStarted');
    expect(started.by).toMatchObject({ name: 'Ada', device: 'Firefox on Linux' });
  });

  it('survive a restart of the host', async () => {
    const { token } = await add('laptop');
    owner.close();
    await host.host.close();
    const next = await startTestHost({ stateDir: host.stateDir });
    expect((await next.connect({ token })).role).toBe('owner');
    await next.dispose();
  });
});
