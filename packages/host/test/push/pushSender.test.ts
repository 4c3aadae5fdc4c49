import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/hostLog.js';
import { DEFAULT_PUSH_LIMITS, type PushLimits } from '../../src/push/pushLimits.js';
import { PushSender } from '../../src/push/pushSender.js';
import type { PushAnswer } from '../../src/push/pushService.js';
import type { PushDevice } from '../../src/push/pushStore.js';

const device = (id: string, tokenId = id, service = 'https://push.example'): PushDevice => ({
  id,
  tokenId,
  tokenMark: tokenId,
  endpoint: `${service}/${id}`,
  p256dh: '',
  auth: '',
  notify: 'needsInput',
  createdAt: 0,
});

/** Services that answer when they are told to. */
function world(limits: Partial<PushLimits> = {}) {
  const open: { readonly endpoint: string; readonly message: string; readonly answer: (answer: PushAnswer) => void }[] =
    [];
  const gone: string[] = [];
  let most = 0;
  const sender = new PushSender({
    limits: { ...DEFAULT_PUSH_LIMITS, gapMs: 0, firstDelayMs: 1, maxDelayMs: 2, ...limits },
    requestOf: async ({ endpoint }, _push, message) => ({ endpoint, headers: {}, body: Buffer.from(message) }),
    services: {
      send: ({ endpoint, body }) => {
        const { promise, resolve } = Promise.withResolvers<PushAnswer>();
        open.push({ endpoint, message: String(body), answer: resolve });
        most = Math.max(most, open.length);
        return promise;
      },
    },
    onGone: ({ id }) => gone.push(id),
    log: silentLog,
  });
  const push = (topic: string, message: () => string | undefined = () => topic) =>
    ({ topic, ttlSeconds: 1, urgency: 'normal', message }) as const;
  const settle = async () => {
    for (let n = 0; n < 50; n++) await nextTick();
  };
  return { sender, open, gone, push, settle, most: () => most };
}

describe('the sender of notifications', () => {
  it('holds no more than its limit for a device, however many events there are', async () => {
    const { sender, open, push, settle } = world({ waiting: 20 });
    for (let n = 0; n < 10_000; n++) sender.add(device('phone'), push(`t${n}`));
    await settle();
    const sent: string[] = [];
    while (open.length > 0) {
      const one = open.shift();
      sent.push(one?.message ?? '');
      one?.answer({ status: 201 });
      await settle();
    }
    expect(sent).toHaveLength(20);
    expect(sent.at(-1)).toBe('t9999');
    sender.dispose();
  });

  it('has no more on their way than its limits, and a slow service leaves room for others', async () => {
    const { sender, open, push, settle, most } = world({ atOnce: 10, atOncePerService: 4, atOncePerToken: 2 });
    for (let n = 0; n < 100; n++) sender.add(device(`slow${n}`, `t${n}`, 'https://slow.example'), push('a'));
    for (let n = 0; n < 5; n++) sender.add(device(`many${n}`, 'one', 'https://other.example'), push('a'));
    sender.add(device('quick', 'quick', 'https://quick.example'), push('a'));
    await settle();
    const services = Object.groupBy(open, ({ endpoint }) => new URL(endpoint).hostname);
    expect(services['slow.example']).toHaveLength(4);
    expect(services['other.example']).toHaveLength(2);
    expect(services['quick.example']).toHaveLength(1);
    expect(most()).toBeLessThanOrEqual(10);
    sender.dispose();
  });

  it('asks at the last moment whether a message is still wanted', async () => {
    const { sender, open, push, settle } = world();
    sender.add(
      device('phone'),
      push('a', () => undefined),
    );
    sender.add(device('phone'), push('b'));
    await settle();
    expect(open.map(({ message }) => message)).toEqual(['b']);
    sender.dispose();
  });

  it('does not send what was withdrawn, nor repeat what was replaced', async () => {
    const { sender, open, push, settle } = world();
    const phone = device('phone');
    sender.add(phone, push('first'));
    await settle();
    sender.add(phone, push('second'));
    sender.withdraw('phone', 'second');
    sender.add(
      phone,
      push('first', () => 'closed'),
    );
    open.shift()?.answer({ status: 503 });
    await expect.poll(() => open.length).toBe(1);
    expect(open[0]?.message).toBe('closed');
    sender.dispose();
  });

  it('waits as long as a service asks for, within its limit', async () => {
    const { sender, open, push, settle } = world({ firstDelayMs: 1, maxDelayMs: 50 });
    sender.add(device('phone'), push('a'));
    await settle();
    const began = performance.now();
    open.shift()?.answer({ status: 429, retryAfterMs: 10_000_000 });
    await expect.poll(() => open.length, { interval: 1 }).toBe(1);
    expect(performance.now() - began).toBeGreaterThan(45);
    sender.dispose();
  });

  it('forgets a device that its service does not know', async () => {
    const { sender, open, gone, push, settle } = world();
    sender.add(device('phone'), push('a'));
    sender.add(device('phone'), push('b'));
    await settle();
    open.shift()?.answer({ status: 410 });
    await settle();
    expect({ gone, left: open.length }).toEqual({ gone: ['phone'], left: 0 });
    sender.dispose();
  });
});
