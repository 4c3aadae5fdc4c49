import { expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { sessionOf } from '../../../../test/support/push/pushWorld.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { startTestHost } from '../../../../test/support/testHost.js';
import { until } from '../../../../test/support/until.js';
import { WebhookReceiver } from '../../../../test/support/webhooks/webhookReceiver.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();
const QUICK = { limits: { firstDelayMs: 5, maxDelayMs: 20, pollMs: 20, leaseMs: 1_000 } };

async function startTwo() {
  const database = await postgres.server.newDatabase();
  const receiver = await WebhookReceiver.start();
  cleanups.push(() => receiver.close());
  const start = async () => {
    const host = await startTestHost({ database, leaseMs: 1_000, webhooks: QUICK });
    cleanups.push(() => host.dispose());
    return host;
  };
  const [one, two] = [await start(), await start()];
  return { one, two, receiver, clients: [await one.connect(), await two.connect()] as const };
}

async function turns(session: Awaited<ReturnType<typeof sessionOf>>, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    ids.push(await session.send(`say ${n}`));
    await until(session.state, (state) => state?.turns.at(-1)?.id === ids.at(-1));
  }
  return ids.flatMap((id) => [`turnStarted ${id}`, `turnEnded ${id}`]);
}

function toldOf({ events }: WebhookReceiver, uri: string): readonly string[] {
  const own = events.filter(({ message: { data } }) => data.session === uri);
  return own.map(({ message: { type, data } }) => `${type} ${data.turnId}`);
}

it('[WH6] webhooks of hosts on one database are sent by one of them, for the sessions of all, and by another when it ends', async () => {
  const { one, receiver, clients } = await startTwo();
  const [first, second] = clients;
  const early = await sessionOf(first);
  await turns(early, 2);
  const { secret, webhook } = await second.webhooks.add({
    ...{ url: receiver.url, events: ['turnStarted', 'turnEnded'], allowPrivate: true },
  });
  receiver.secret = secret;
  expect((await first.webhooks.list()).items).toMatchObject([{ id: webhook.id }]);
  const [here, there] = [await sessionOf(first), await sessionOf(second)];
  const expected = new Map([
    [early.uri, await turns(early, 2)],
    [here.uri, await turns(here, 3)],
    [there.uri, await turns(there, 3)],
  ]);
  for (const [uri, events] of expected) await expect.poll(() => toldOf(receiver, uri)).toEqual(events);
  expect(receiver.received).toHaveLength(receiver.events.length);
  expect(receiver.events[0]?.message.data.title).toEqual(expect.any(String));
  // What the first host could not deliver any more.
  receiver.answer = () => 500;
  const last = await turns(here, 1);
  await one.host.close();
  const others = await turns(there, 1);
  receiver.answer = () => 200;
  await expect
    .poll(() => toldOf(receiver, here.uri), { timeout: 15_000 })
    .toEqual([...(expected.get(here.uri) ?? []), ...last]);
  await expect.poll(() => toldOf(receiver, there.uri)).toEqual([...(expected.get(there.uri) ?? []), ...others]);
  expect(receiver.problems).toEqual([]);
  await second.webhooks.remove(webhook.id);
  expect((await second.webhooks.list()).items).toEqual([]);
}, 60_000);

it('[WH6] events of a session are all told when it goes to a host with lower numbers', async () => {
  const { two, receiver, clients } = await startTwo();
  const [first, second] = clients;
  // The second host has the higher block of numbers; the session goes to the first one.
  const session = await sessionOf(second);
  const before = await turns(session, 1);
  const { secret } = await first.webhooks.add({
    url: receiver.url,
    events: ['turnStarted', 'turnEnded'],
    allowPrivate: true,
  });
  receiver.secret = secret;
  const between = await turns(session, 1);
  await expect.poll(() => toldOf(receiver, session.uri)).toEqual(between);
  await two.host.close();
  const again = await first.openSession(session.uri);
  const after = await turns(again, 2);
  await expect.poll(() => toldOf(receiver, session.uri), { timeout: 15_000 }).toEqual([...between, ...after]);
  expect(before).toHaveLength(2);
}, 60_000);
