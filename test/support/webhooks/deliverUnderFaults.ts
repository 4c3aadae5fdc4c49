import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Answered, ask, eventually, newSession, storedEvents } from '../../e2e/api/support.js';
import { startRestartableHost } from '../restartableHost.js';
import { WebhookReceiver } from './webhookReceiver.js';

/** The host may be starting, and the machine busy. */
const PATIENCE_MS = 60_000;
const SESSIONS = 10;
const TURN_ENDS = ['session/turnComplete', 'session/turnCancelled', 'session/error'];

export interface DeliveryFaults {
  readonly events: number;
  /** How often the host is killed meanwhile. */
  readonly kills: number;
  /** The receiver is there as long as it is away. */
  readonly awayMs: number;
}

/** Checks that every event in the logs arrives, in order, whatever happens to the host and the receiver. */
export async function deliverUnderFaults({ events, kills, awayMs }: DeliveryFaults): Promise<void> {
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
      for (; !isOver; isAway = !isAway) await delay(awayMs);
      isAway = false;
    })();
    let sent = 0;
    const turns = Math.ceil(events / 2 / SESSIONS);
    const sending = sessions.map(async (session) => {
      for (let n = 0; n < turns; n++) {
        const key = randomUUID();
        const body = { text: `say ${n}`, kind: 'queued' };
        await accepted(() => ask(host, 'POST', `/api/v1/sessions/${session}/messages`, { key, body }));
        sent++;
      }
    });
    const killing = (async () => {
      for (let kill = 1; kill <= kills; kill++) {
        const at = (kill * turns * SESSIONS) / (kills + 1);
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
        (found) => found.length >= 2 * turns && found.at(-1)?.startsWith('turnEnded') === true,
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
    console.info(`${count} events in ${receiver.attempts} attempts, ${kills} kills: 0 lost, ${twice} told twice`);
  } finally {
    isOver = true;
    await host.dispose();
    await receiver.close();
  }
}

async function eventsOf(host: Parameters<typeof ask>[0], session: string): Promise<string[]> {
  return (await storedEvents(host, session)).flatMap(({ event, data }) => {
    const type = event === 'session/turnStarted' ? 'turnStarted' : TURN_ENDS.includes(event) ? 'turnEnded' : undefined;
    return type ? [`${type} ${JSON.parse(data).action.turnId}`] : [];
  });
}

/** Repeats a request until the host, which may be away, accepts it. */
async function accepted(send: () => Promise<Answered>): Promise<void> {
  let last: unknown;
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await delay(10)) {
    const answer = await send().catch((error: unknown) => error);
    if (answer && typeof answer === 'object' && 'status' in answer && answer.status === 202) return;
    last = answer;
  }
  throw new Error(`a message was not accepted: ${JSON.stringify(last)} ${String(last)}`);
}
