import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ask, eventually, newSession, storedEvents } from '../e2e/api/support.js';
import { startRestartableHost } from '../support/restartableHost.js';
import { WebhookReceiver } from '../support/webhooks/webhookReceiver.js';
import { amount, LONG_MS } from './support/amount.js';

const EVENTS = amount('events', { smoke: 80, full: 10_000 });
const KILLS = amount('webhookkills', { smoke: 1, full: 10 });
/** The receiver is there as long as it is away. */
const AWAY_MS = EVENTS > 1_000 ? 1_000 : 150;
const SESSIONS = 10;
const TURN_ENDS = ['session/turnComplete', 'session/turnCancelled', 'session/error'];

it('[WH2] webhooks arrive at least once and in order, with a receiver that is away half the time and a host that is killed', {
  timeout: LONG_MS,
}, async () => {
  const host = await startRestartableHost();
  const receiver = await WebhookReceiver.start();
  let isOver = false;
  try {
    const owner = await host.connect();
    const { webhooks } = owner;
    const wanted = { url: receiver.url, events: ['turnStarted', 'turnEnded'] as const, allowPrivate: true as const };
    receiver.secret = (await webhooks.add(wanted)).secret;
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => newSession(host)));
    let isAway = false;
    receiver.answer = () => (isAway ? (receiver.attempts % 2 === 0 ? 'cut' : 503) : 204);
    const toggling = (async () => {
      for (; !isOver; isAway = !isAway) await delay(AWAY_MS);
      isAway = false;
    })();
    let sent = 0;
    const turns = Math.ceil(EVENTS / 2 / SESSIONS);
    const sending = sessions.map(async (session) => {
      for (let n = 0; n < turns; n++) {
        const key = randomUUID();
        const body = { text: `say ${n}`, kind: 'queued' };
        await eventually(
          () => ask(host, 'POST', `/api/v1/sessions/${session}/messages`, { key, body }).catch(() => undefined),
          (answer) => answer?.status === 202,
        );
        sent++;
      }
    });
    const killing = (async () => {
      for (let kill = 1; kill <= KILLS; kill++) {
        const at = (kill * turns * SESSIONS) / (KILLS + 1);
        while (sent < at && !isOver) await delay(5);
        await host.end('SIGKILL');
        await host.start();
      }
    })();
    await Promise.all([...sending, killing]);
    const expected = new Map<string, string[]>();
    for (const session of sessions) {
      const log = await eventually(
        () => eventsOf(host, session),
        (events) => events.length >= 2 * turns && events.at(-1)?.startsWith('turnEnded') === true,
      );
      expected.set(decodeURIComponent(session), log);
    }
    const count = [...expected.values()].flat().length;
    while (receiver.events.length < count) await delay(20);
    isOver = true;
    await toggling;
    const told = new Map<string, string[]>();
    for (const { message } of receiver.events) {
      const { session, turnId } = message.data;
      told.set(session, [...(told.get(session) ?? []), `${message.type} ${turnId}`]);
    }
    expect(receiver.problems).toEqual([]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(expected));
    const twice = receiver.received.length - count;
    console.info(`${count} events in ${receiver.attempts} attempts, ${KILLS} kills: 0 lost, ${twice} told twice`);
  } finally {
    isOver = true;
    await host.dispose();
    await receiver.close();
  }
});

async function eventsOf(host: Parameters<typeof ask>[0], session: string): Promise<string[]> {
  return (await storedEvents(host, session)).flatMap(({ event, data }) => {
    const type = event === 'session/turnStarted' ? 'turnStarted' : TURN_ENDS.includes(event) ? 'turnEnded' : undefined;
    return type ? [`${type} ${JSON.parse(data).action.turnId}`] : [];
  });
}
