import type { ListSessionsResult, Notification, SessionSummary, SessionSummaryChanges } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawClient } from '../../support/rawClient.js';
import { rawSession, startTestHost, type TestHost } from '../../support/testHost.js';

describe("a client's list", () => {
  let host: TestHost;
  let alice: RawClient;
  let bob: RawClient;

  beforeAll(async () => {
    host = await startTestHost();
    alice = await host.raw('alice');
    bob = await host.raw('bob');
  });
  afterAll(() => host.dispose());

  const changesOf = (notification: Notification | undefined, session: string): SessionSummaryChanges | undefined =>
    notification?.type === 'notify/sessionSummaryChanged' && notification.session === session
      ? notification.changes
      : undefined;

  it('[NTF1] learns that a session is idle again, however short its turn was', async () => {
    const session = await rawSession([alice]);
    // Opens the time in which further changes are gathered.
    await alice.act({ session, type: 'session/titleChanged', title: 'gathers' });
    await bob.next(({ params }) => changesOf(params?.notification, session)?.title === 'gathers', 'the title');
    alice.dispatch({ session, type: 'session/turnStarted', turnId: 't', userMessage: { text: 'hello' } });
    const status = async () => {
      await bob.next(({ params }) => changesOf(params?.notification, session)?.status === 'idle', 'idle');
    };
    await Promise.all([alice.nextAction(session, 'session/turnComplete'), status()]);
  });

  it('[NTF1] is right after every list taken while a short turn ran', async () => {
    const known = new Map<string, SessionSummary>();
    const sessions: string[] = [];
    const mark = bob.received.length;
    for (let n = 0; n < 20; n++) sessions.push(await rawSession([alice]));
    for (const session of sessions) {
      alice.dispatch({ session, type: 'session/titleChanged', title: session });
      alice.dispatch({ session, type: 'session/turnStarted', turnId: 't', userMessage: { text: 'hello' } });
      bob.ask('listSessions', { limit: 500 });
      await alice.nextAction(session, 'session/turnComplete');
    }
    await Promise.all(
      sessions.map((session) =>
        bob.next(({ params }) => changesOf(params?.notification, session)?.status === 'idle', `${session} idle`),
      ),
    );
    for (const { result, params } of bob.received.slice(mark)) {
      for (const item of (result as ListSessionsResult | undefined)?.items ?? []) known.set(item.resource, item);
      for (const session of sessions) {
        const before = known.get(session);
        const changes = changesOf(params?.notification, session);
        if (before && changes) known.set(session, { ...before, ...(changes as Partial<SessionSummary>) });
      }
    }
    expect(sessions.map((session) => known.get(session)?.status)).toEqual(sessions.map(() => 'idle'));
  });
});
