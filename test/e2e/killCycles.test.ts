import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ActionRejectedError, ConnectionLostError, type Host as HostConnection, type Session } from '@agenthost/client';
import { parseSessionUri, type Turn } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RestartableHost, startRestartableHost } from '../support/restartableHost.js';
import { until } from '../support/until.js';

const CYCLES = 20;
const IN_FLIGHT = 6;

describe('twenty kills under load', () => {
  let host: RestartableHost;
  beforeAll(async () => {
    host = await startRestartableHost();
  });
  afterAll(() => host.dispose());

  it('[ONCE1] [FATE1] lose no accepted message and double none', async () => {
    const accepted = new Map<string, Set<string>>();
    let onAccepted = () => {};
    let isOver = false;

    /** Sends for as long as it may, some messages at a time, and counts what the host has taken. */
    async function load(session: Session): Promise<void> {
      const ids = accepted.get(session.uri) ?? new Set();
      accepted.set(session.uri, ids);
      for (let n = 0; !isOver; n++) {
        try {
          ids.add(await session.queue(`message ${n}`));
          onAccepted();
        } catch (error) {
          // The client can't tell what became of it, so it may be there or not; but only once.
          if (error instanceof ConnectionLostError) continue;
          // A full queue is an answer too; anything else is not.
          if (!(error instanceof ActionRejectedError)) throw error;
          const { activeTurn } = await until(
            session.confirmed,
            (state) => !state.activeTurn || (state.queuedMessages?.length ?? 0) < 50,
            'some room',
          );
          // After a kill a queue waits for somebody to go on, and a full one takes nothing that would.
          if (!activeTurn) await session.send('go on').catch(() => {});
        }
      }
    }

    const clients: HostConnection[] = [await host.connect(), await host.connect()];
    const [first, second] = clients as [HostConnection, HostConnection];
    const mine = await first.createSession({ provider: 'mock' });
    const ours = await first.createSession({ provider: 'mock' });
    await Promise.all([mine.ready(), ours.ready()]);
    const theirs = await second.openSession(ours.uri);
    const loads = [mine, ours, theirs].flatMap((session) => Array.from({ length: IN_FLIGHT }, () => load(session)));

    for (let cycle = 0; cycle < CYCLES; cycle++) {
      const { promise: enough, resolve } = Promise.withResolvers<void>();
      let left = 10 + ((cycle * 37) % 60);
      onAccepted = () => {
        if (--left <= 0) resolve();
      };
      await Promise.race([enough, ...loads]);
      await host.end('SIGKILL');
      await host.start();
    }
    isOver = true;
    await Promise.all(loads);

    for (const session of [mine, ours]) {
      await session.queue('the last one');
      const { turns, queuedMessages } = await until(
        session.confirmed,
        (state) =>
          !state.activeTurn && !state.queuedMessages && state.turns.at(-1)?.userMessage.text === 'the last one',
        'the end of the queue',
        20_000,
      );
      expect(queuedMessages).toBeUndefined();
      const earlier: Turn[] = [];
      for await (const turn of session.history({ pageSize: 200 })) earlier.push(turn);
      const ids = [...earlier, ...turns].map(({ id }) => id);
      const wanted = accepted.get(session.uri) ?? new Set();
      expect(wanted.size).toBeGreaterThan(CYCLES);
      expect([...wanted].filter((id) => !ids.includes(id))).toEqual([]);
      expect(ids.length - new Set(ids).size).toBe(0);
    }
    // They came back from checkpoints, not only from their logs.
    for (const { uri } of [mine, ours]) {
      const folder = join(host.stateDir, 'session-state', parseSessionUri(uri)?.sessionId ?? '');
      expect((await stat(join(folder, 'events.checkpoint.json'))).size).toBeGreaterThan(1_000);
    }
    expect(theirs.confirmed.value.turns.at(-1)).toEqual(ours.confirmed.value.turns.at(-1));
  }, 90_000);
});
