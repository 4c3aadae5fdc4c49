import type { PushMessage } from '@agenthost/protocol/internal';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { PushService } from '../../../../test/support/push/pushService.js';
import { connectSoon, QUICK, sessionOf } from '../../../../test/support/push/pushWorld.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { startTestHost } from '../../../../test/support/testHost.js';
import { until } from '../../../../test/support/until.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();
const isQuestion = ({ message }: { readonly message: PushMessage }) => message.kind === 'question';

async function startTwo() {
  const database = await postgres.server.newDatabase();
  const service = await PushService.start();
  cleanups.push(() => service.close());
  const hosts = [];
  for (let n = 0; n < 2; n++) {
    const host = await startTestHost({ database, leaseMs: 2_000, push: QUICK });
    cleanups.push(() => host.dispose());
    hosts.push(host);
  }
  const [one, two] = hosts;
  if (!one || !two) throw new Error('no hosts');
  const subscribed = async (name: string, at = two) => {
    const token = await one.host.deviceTokens.add(name, 'driver');
    const client = await connectSoon(at, { token, clientInfo: { name } });
    const push = service.device();
    const id = await client.push.subscribe({ endpoint: push.endpoint, keys: push.keys, notify: 'needsInput' });
    await client.push.lookAt(undefined, id);
    return { token, client, push, id };
  };
  return { one, two, service, subscribed };
}

describe('push notifications of hosts on one database', () => {
  it('[PUSH11] are sent once, by the host that owns the session, with keys that all hosts have', async () => {
    const { one, two, service, subscribed } = await startTwo();
    const owner = await one.connect();
    expect(await (await two.connect()).push.publicKey()).toBe(await owner.push.publicKey());
    service.senderKey = await owner.push.publicKey();
    const phone = await subscribed('phone');
    const session = await sessionOf(owner);
    // A follower at the other host must not push it a second time.
    const mirror = await phone.client.openSession(session.uri);
    await session.send('permission');
    await phone.push.next(isQuestion);
    await until(mirror.pendingPermissions, (all) => all.length === 1);
    await mirror.pendingPermissions.value[0]?.answer({ approved: true });
    await phone.push.next(({ message }) => message.kind === 'closed');
    expect(phone.push.arrived.map(({ message: { kind } }) => kind)).toEqual(['question', 'closed']);
    expect(service.problems).toEqual([]);
  });

  it('[PUSH11] are not sent to a device that looks at the session through another host', async () => {
    const { one, subscribed } = await startTwo();
    const [phone, tablet] = [await subscribed('phone'), await subscribed('tablet')];
    const session = await sessionOf(await one.connect());
    // Before the subscription: the other host is told of both in one message.
    await phone.client.push.lookAt(session.uri, phone.id);
    await phone.client.openSession(session.uri);
    await until(session.confirmed, ({ clients }) => clients?.length === 1);
    await session.send('permission');
    await tablet.push.next(isQuestion);
    expect(phone.push.requests).toBe(0);
  });

  it('[PUSH11] are not sent to a device whose token was removed', async () => {
    const { one, subscribed } = await startTwo();
    const [phone, tablet] = [await subscribed('phone'), await subscribed('tablet')];
    const session = await sessionOf(await one.connect());
    await one.host.deviceTokens.remove('phone');
    const isRefused = () =>
      one.connect({ token: phone.token }).then(
        () => false,
        () => true,
      );
    await expect.poll(isRefused, { timeout: 10_000 }).toBe(true);
    await session.send('permission');
    await tablet.push.next(isQuestion);
    expect(phone.push.requests).toBe(0);
  });
});
