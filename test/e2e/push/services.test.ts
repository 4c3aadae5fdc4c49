import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PushMessage } from '@agenthost/protocol/internal';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../support/cleanups.js';
import { QUICK, sessionOf, startPushWorld } from '../../support/push/pushWorld.js';
import { until } from '../../support/until.js';

const cleanups = cleanupsOfTests();
const isQuestion = ({ message }: { readonly message: PushMessage }) => message.kind === 'question';

async function start(...options: Parameters<typeof startPushWorld>) {
  const world = await startPushWorld(...options);
  cleanups.push(() => world.dispose());
  return world;
}

async function ask(session: Awaited<ReturnType<typeof sessionOf>>): Promise<void> {
  await session.send('permission');
  await until(session.pendingPermissions, (all) => all.length === 1);
}

async function answer(session: Awaited<ReturnType<typeof sessionOf>>): Promise<void> {
  await session.pendingPermissions.value[0]?.answer({ approved: true });
  await until(session.confirmed, ({ activeTurn }) => activeTurn === undefined);
}

describe('a push service', () => {
  it.each([404, 410])('[PUSH10] that answers %i ends the subscription', async (status) => {
    const world = await start();
    const [phone, tablet] = [await world.add('phone', 'viewer'), await world.add('tablet', 'viewer')];
    phone.push.behaviour = { status };
    const session = await sessionOf(await world.connect({}));
    await ask(session);
    await tablet.push.next(isQuestion);
    await expect.poll(() => phone.push.requests).toBe(1);
    await answer(session);
    await ask(session);
    await expect.poll(() => tablet.push.arrived.filter(isQuestion).length).toBe(2);
    await answer(session);
    expect(phone.push.requests).toBe(1);
  });

  it('[PUSH10] that hangs delays nobody else, and is called a limited number of times', async () => {
    const limits = { ...QUICK.limits, timeoutMs: 300, attempts: 3, waiting: 4 };
    const world = await start({ push: { ...QUICK, limits } });
    const stuck = await world.add('stuck', 'viewer');
    stuck.push.behaviour = 'hang';
    const phone = await world.add('phone', 'viewer');
    const session = await sessionOf(await world.connect({}));
    for (let n = 1; n <= 10; n++) {
      await ask(session);
      await expect.poll(() => phone.push.arrived.filter(isQuestion).length).toBe(n);
      await answer(session);
    }
    expect(stuck.push.arrived).toEqual([]);
    expect(stuck.push.requests).toBeLessThanOrEqual(limits.waiting * limits.attempts);
  });

  it('[PUSH10] that is busy is asked again, later each time, and then not any more', async () => {
    const world = await start({ push: { ...QUICK, limits: { ...QUICK.limits, attempts: 3 } } });
    const phone = await world.add('phone', 'viewer');
    phone.push.behaviour = { status: 429, retryAfter: '0' };
    const session = await sessionOf(await world.connect({}));
    await ask(session);
    await expect.poll(() => phone.push.requests).toBe(3);
    phone.push.behaviour = undefined;
    // What was dropped is not sent again; what comes later is.
    await answer(session);
    await ask(session);
    await phone.push.next(isQuestion);
    expect(phone.push.arrived.filter(isQuestion)).toHaveLength(1);
  });

  it('[PUSH10] that fails for a moment gets the question a moment later', async () => {
    const world = await start();
    const phone = await world.add('phone', 'viewer');
    phone.push.behaviour = { status: 503 };
    const session = await sessionOf(await world.connect({}));
    await ask(session);
    await expect.poll(() => phone.push.requests).toBeGreaterThan(0);
    phone.push.behaviour = undefined;
    await phone.push.next(isQuestion);
  });

  it('[PUSH9] can not send the host elsewhere', async () => {
    const world = await start();
    let visits = 0;
    const elsewhere = createServer((_request, response) => {
      visits++;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    cleanups.push(async () => void elsewhere.close());
    const [phone, tablet] = [await world.add('phone', 'viewer'), await world.add('tablet', 'viewer')];
    const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
    phone.push.behaviour = { status: 307, location };
    const session = await sessionOf(await world.connect({}));
    await ask(session);
    await tablet.push.next(isQuestion);
    await answer(session);
    await ask(session);
    await expect.poll(() => phone.push.requests).toBeGreaterThan(1);
    expect(visits).toBe(0);
  });
});
