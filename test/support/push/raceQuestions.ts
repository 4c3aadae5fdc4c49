import { ActionRejectedError, type PendingPermission, type SessionHandle } from '@agenthost/client';
import { expect } from 'vitest';
import { until } from '../until.js';
import { type SubscribedDevice, sessionOf, startPushWorld } from './pushWorld.js';

const SESSIONS_AT_ONCE = 5;

interface Outcome {
  readonly winners: readonly string[];
  /** By whom each loser was told that it was answered. */
  readonly toldBy: readonly (string | undefined)[];
  readonly lookers: readonly string[];
}

/**
 * Three devices answer every question at the same moment, some of them with the session in view. Each question must be answered exactly
 * once, the losers must learn by whom, and no device may be called for what it looks at.
 */
export async function raceQuestions(count: number, random: () => number): Promise<void> {
  const world = await startPushWorld();
  try {
    const names = ['phone', 'tablet', 'laptop'];
    const devices: SubscribedDevice[] = [];
    for (const name of names) devices.push(await world.add(name, 'approver'));
    const owner = await world.connect({ clientInfo: { name: 'Desk' } });
    let left = count;
    const outcomes: Outcome[] = [];
    // Of one device only one session can be in view, so the sessions share the devices one after the other.
    const runs = Array.from({ length: SESSIONS_AT_ONCE }, async () => {
      const session = await sessionOf(owner);
      const handles = await Promise.all(devices.map(({ client }) => client.openSession(session.uri)));
      return { session, handles };
    });
    const sessions = await Promise.all(runs);
    const expected = new Map(devices.map(({ name }) => [name, { looked: new Set<string>() }]));
    while (left > 0) {
      for (const { session, handles } of sessions.slice(0, left)) {
        left--;
        const looking = devices.filter(() => random() < 0.5);
        await Promise.all(
          devices.map(({ client, id }, n) =>
            client.push.lookAt(looking.includes(devices[n] as SubscribedDevice) ? session.uri : undefined, id),
          ),
        );
        const outcome = await race(session, handles, devices, random);
        for (const { name } of looking) expected.get(name)?.looked.add(outcome.requestId);
        outcomes.push({ ...outcome, lookers: looking.map(({ name }) => name) });
      }
    }
    expect(outcomes).toHaveLength(count);
    for (const { winners, toldBy } of outcomes) {
      expect(winners).toHaveLength(1);
      expect(toldBy).toEqual([winners[0], winners[0]]);
    }
    for (const { name, push } of devices) {
      const asked = push.arrived.flatMap(({ message }) =>
        message.kind === 'question' ? [message.answer?.requestId ?? 'none'] : [],
      );
      const looked = expected.get(name)?.looked ?? new Set();
      expect(asked.filter((requestId) => looked.has(requestId))).toEqual([]);
      expect(new Set(asked).size).toBe(asked.length);
      expect(asked.length + looked.size).toBeLessThanOrEqual(count);
    }
    const pushed = devices.reduce((sum, { push }) => sum + push.arrived.length, 0);
    // The race is one of notifications too: some must have been sent before the answer, or nothing was tested.
    expect(pushed).toBeGreaterThan(0);
  } finally {
    await world.dispose();
  }
}

async function race(
  session: SessionHandle,
  handles: readonly SessionHandle[],
  devices: readonly SubscribedDevice[],
  random: () => number,
): Promise<Outcome & { readonly requestId: string }> {
  await session.send('permission');
  const questions = await Promise.all(
    handles.map(async (handle) => {
      const [question] = await until(handle.pendingPermissions, (all) => all.length === 1, 'the question');
      return question as PendingPermission;
    }),
  );
  // Now and then the answers come after the notifications.
  if (random() < 0.3) await new Promise((resolve) => setTimeout(resolve, 10));
  const settled = await Promise.allSettled(questions.map((question) => question.answer({ approved: random() < 0.5 })));
  await until(session.confirmed, ({ activeTurn }) => activeTurn === undefined, 'the end of the turn');
  const winners = settled.flatMap((one, n) => (one.status === 'fulfilled' ? [devices[n]?.name ?? ''] : []));
  const toldBy = settled.flatMap((one) => {
    if (one.status === 'fulfilled') return [];
    return [one.reason instanceof ActionRejectedError ? one.reason.rejection.by?.name : String(one.reason)];
  });
  return { winners, toldBy, lookers: [], requestId: questions[0]?.request.requestId ?? '' };
}
