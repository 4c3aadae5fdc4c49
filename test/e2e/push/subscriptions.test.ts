import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClient } from '@agenthost/client';
import type { PushMessage } from '@agenthost/protocol/internal';
import { describe, expect, it } from 'vitest';
import { TokenFile } from '../../../packages/host/src/server/access/tokenFile.js';
import { cleanupsOfTests } from '../../support/cleanups.js';
import { PushService } from '../../support/push/pushService.js';
import { connectSoon, type PushWorld, QUICK, sessionOf, startPushWorld } from '../../support/push/pushWorld.js';
import { startTestHost } from '../../support/testHost.js';

const cleanups = cleanupsOfTests();
const isQuestion = ({ message }: { readonly message: PushMessage }) => message.kind === 'question';

async function start(...options: Parameters<typeof startPushWorld>) {
  const world = await startPushWorld(...options);
  cleanups.push(() => world.dispose());
  return world;
}

/** A browser that uses the owner's token. */
async function ownersDevice(world: PushWorld) {
  const client = await world.connect({});
  const push = world.service.device();
  const id = await client.push.subscribe({ endpoint: push.endpoint, keys: push.keys, notify: 'needsInput' });
  await client.push.lookAt(undefined, id);
  return { client, push };
}

function whenClosed(client: HostClient): Promise<unknown> {
  return new Promise((resolve) => client.connection.subscribe(({ state }) => state === 'closed' && resolve(state)));
}

interface StoredPush {
  readonly keys?: { readonly publicKey: string };
  readonly devices: readonly { readonly id: string; readonly tokenId: string; readonly notify: string }[];
}

async function stored(stateDir: string): Promise<StoredPush> {
  return JSON.parse(await readFile(join(stateDir, 'push.json'), 'utf8')) as StoredPush;
}

describe('a push subscription', () => {
  it('[PUSH6] is stored in a private file, and outlives the host with its keys', async () => {
    const stateDir = await cleanups.folder();
    const first = await startPushWorld({ stateDir });
    const phone = await first.add('phone', 'approver');
    expect((await stat(join(stateDir, 'push.json'))).mode & 0o777).toBe(0o600);
    const { keys } = await stored(stateDir);
    await first.host.dispose();

    const host = await startTestHost({ stateDir, push: QUICK });
    cleanups.push(async () => {
      await host.dispose();
      await first.service.close();
      expect(first.service.problems).toEqual([]);
    });
    const session = await sessionOf(await host.connect());
    expect(await (await host.connect()).push.publicKey()).toBe(keys?.publicKey);
    await session.send('confirm-tool');
    await phone.push.next(isQuestion);
  });

  it('[PUSH1] is told that a question is closed that the end of the host interrupted', async () => {
    const stateDir = await cleanups.folder();
    const first = await startPushWorld({ stateDir });
    cleanups.push(() => first.service.close());
    const phone = await first.add('phone', 'approver', 'needsInputAndFinished');
    const session = await sessionOf(await first.connect({}), 'Interrupted');
    await session.send('confirm-tool');
    const { message: asked } = await phone.push.next(isQuestion);
    await first.host.dispose();
    const host = await startTestHost({ stateDir, push: QUICK });
    cleanups.push(() => host.dispose());
    const { message: closed } = await phone.push.next(({ message }) => message.kind === 'closed');
    expect(closed).toEqual({ kind: 'closed', tag: asked.tag, session: session.uri, title: 'Interrupted' });
    const { message: end } = await phone.push.next(({ message }) => message.kind === 'finished');
    expect(end).toMatchObject({ text: expect.stringContaining('The host restarted during this turn') });
  });

  it('[PUSH6] changes what it is told of in place, and is removed on request', async () => {
    const world = await start();
    const { client, push, id } = await world.add('phone', 'viewer');
    const { endpoint, keys } = push;
    expect(await client.push.subscribe({ endpoint, keys, notify: 'needsInputAndFinished' })).toBe(id);
    expect((await stored(world.host.stateDir)).devices).toMatchObject([{ id, notify: 'needsInputAndFinished' }]);
    await client.push.unsubscribe(endpoint);
    expect((await stored(world.host.stateDir)).devices).toEqual([]);
    const session = await sessionOf(await world.connect({}));
    await session.send('confirm-tool');
    const other = await world.add('other', 'viewer');
    await session.cancel();
    await session.send('confirm-tool');
    await other.push.next(isQuestion);
    expect(push.requests).toBe(0);
  });

  it('[PUSH7] of a removed token gets nothing from that moment on, and is forgotten', async () => {
    const world = await start();
    const [phone, tablet] = [await world.add('phone', 'driver'), await world.add('tablet', 'driver')];
    const session = await sessionOf(tablet.client);
    await tablet.client.push.lookAt(undefined, tablet.id);
    const closed = whenClosed(phone.client);
    await world.tokens.remove('phone');
    await closed;
    await session.send('confirm-tool');
    await tablet.push.next(isQuestion);
    expect(phone.push.requests).toBe(0);
    expect((await stored(world.host.stateDir)).devices.map(({ id }) => id)).toEqual([tablet.id]);
  });

  it('[PUSH7] of a token that was removed while the host was away gets nothing either', async () => {
    const stateDir = await cleanups.folder();
    const first = await startPushWorld({ stateDir });
    cleanups.push(() => first.service.close());
    const [phone, tablet] = [await first.add('phone', 'driver'), await first.add('tablet', 'driver')];
    await first.host.dispose();
    await first.tokens.remove('phone');
    const host = await startTestHost({ stateDir, push: QUICK });
    cleanups.push(() => host.dispose());
    const session = await sessionOf(await host.connect());
    await session.send('confirm-tool');
    await tablet.push.next(isQuestion);
    expect(phone.push.requests).toBe(0);
    expect((await stored(stateDir)).devices.map(({ id }) => id)).toEqual([tablet.id]);
  });

  it('[PUSH7] of the owner goes with a rotated token', async () => {
    const world = await start();
    const { client: owner, push } = await ownersDevice(world);
    expect((await stored(world.host.stateDir)).devices).toHaveLength(1);
    const closed = whenClosed(owner);
    const token = await new TokenFile(world.host.stateDir).rotate();
    await closed;
    const again = await connectSoon(world.host, { token });
    await expect.poll(async () => (await stored(world.host.stateDir)).devices).toEqual([]);
    const session = await sessionOf(again);
    const tablet = await world.add('tablet', 'viewer');
    await session.send('confirm-tool');
    await tablet.push.next(isQuestion);
    expect(push.requests).toBe(0);
  });

  it.each(['removed', 'rotated'])(
    '[PUSH7] of a %s token does not get what still waits to be sent again',
    async (how) => {
      const limits = { ...QUICK.limits, firstDelayMs: 100, maxDelayMs: 100, attempts: 100 };
      const world = await start({ push: { ...QUICK, limits } });
      const tablet = await world.add('tablet', 'driver');
      const phone = how === 'removed' ? await world.add('phone', 'driver') : await ownersDevice(world);
      const session = await sessionOf(tablet.client);
      await tablet.client.push.lookAt(undefined, tablet.id);
      for (const { push } of [phone, tablet]) push.behaviour = { status: 503 };
      await session.send('confirm-tool');
      await expect.poll(() => phone.push.requests).toBeGreaterThan(1);
      const closed = whenClosed(phone.client);
      if (how === 'removed') await world.tokens.remove('phone');
      else await new TokenFile(world.host.stateDir).rotate();
      await closed;
      for (const { push } of [phone, tablet]) push.behaviour = undefined;
      await tablet.push.next(isQuestion);
      const before = tablet.push.requests;
      await session.cancel();
      await expect.poll(() => tablet.push.requests).toBeGreaterThan(before);
      // As long as the next attempts would take.
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(phone.push.arrived).toEqual([]);
    },
  );

  it('[PUSH8] is limited per token, where the oldest goes, and in total, where one more is refused', async () => {
    const world = await start({ push: { ...QUICK, limits: { ...QUICK.limits, perToken: 2, total: 3 } } });
    const subscribe = async (client: Awaited<ReturnType<typeof world.connect>>) => {
      const { endpoint, keys } = world.service.device();
      return client.push.subscribe({ endpoint, keys, notify: 'needsInput' });
    };
    const phone = await world.add('phone', 'viewer');
    const [second, third] = [await subscribe(phone.client), await subscribe(phone.client)];
    expect((await stored(world.host.stateDir)).devices.map(({ id }) => id)).toEqual([second, third]);
    const owner = await world.connect({});
    await subscribe(owner);
    await expect(subscribe(owner)).rejects.toThrow('3 devices get notifications already');
  });

  it('[PUSH8] keeps its owner: who only knows the address can not take it over', async () => {
    const world = await start();
    const phone = await world.add('phone', 'viewer');
    const thief = await world.add('thief', 'viewer');
    const { endpoint } = phone.push;
    const taking = thief.client.push.subscribe({ endpoint, keys: thief.push.keys, notify: 'needsInput' });
    await expect(taking).rejects.toThrow('belongs to another device');
    await thief.client.push.unsubscribe(endpoint);
    expect((await stored(world.host.stateDir)).devices).toHaveLength(2);
  });

  it('[PUSH8] needs keys that a message can be encrypted with', async () => {
    const world = await start();
    const client = await world.connect({});
    const { endpoint } = world.service.device();
    const keys = { p256dh: Buffer.alloc(65, 4).toString('base64url'), auth: Buffer.alloc(16).toString('base64url') };
    await expect(client.push.subscribe({ endpoint, keys, notify: 'needsInput' })).rejects.toThrow('P-256');
  });
});

describe('the address of a push service', () => {
  it.each([
    'http://push.example/x',
    'https://127.0.0.1/x',
    'https://2130706433/x',
    'https://0x7f.1/x',
    'https://[::1]/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://[::ffff:7f00:1]/x',
    'https://[64:ff9b::7f00:1]/x',
    'https://[fe80::1]/x',
    'https://[fd00::1]/x',
    'https://[2002:7f00:1::]/x',
    'https://10.1.2.3/x',
    'https://172.20.0.1/x',
    'https://192.168.1.1:8443/x',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/x',
    'https://0.0.0.0/x',
    'https://localhost/x',
    'https://user:pass@8.8.8.8/x',
    'file:///etc/passwd',
    'ftp://8.8.8.8/x',
  ])('[PUSH9] is refused by default: %s', async (endpoint) => {
    const host = await startTestHost();
    cleanups.push(() => host.dispose());
    const client = await host.connect();
    const service = await PushService.start();
    cleanups.push(() => service.close());
    const { keys } = service.device();
    const refused = client.push.subscribe({ endpoint, keys, notify: 'needsInput' });
    await expect(refused).rejects.toThrow(/endpoint/);
  });

  it('[PUSH9] is taken when it is a public one', async () => {
    const host = await startTestHost();
    cleanups.push(() => host.dispose());
    const client = await host.connect();
    const service = await PushService.start();
    cleanups.push(() => service.close());
    const { keys } = service.device();
    expect(await client.push.subscribe({ endpoint: 'https://8.8.8.8/x', keys, notify: 'needsInput' })).toMatch(
      /^[\w-]{22}$/,
    );
  });
});
