import type { HostOptions } from '@agenthost/host';
import type { SessionSummary } from '@agenthost/protocol';
import type { Cleanups } from '../../../../../test/support/cleanups.js';
import type { RawClient } from '../../../../../test/support/rawClient.js';
import { startTestHost, type TestHost } from '../../../../../test/support/testHost.js';

/** A host of that place, with a short lease. */
export async function startAt(
  cleanups: Cleanups,
  database: string,
  place: string,
  options: Partial<HostOptions> = {},
): Promise<TestHost> {
  const host = await startTestHost({ database, place, leaseMs: 1_000, ...options });
  cleanups.push(() => host.dispose());
  return host;
}

export const message = (session: string, turnId: string, text = 'hello') => ({
  type: 'session/turnStarted',
  session,
  turnId,
  userMessage: { text },
});

/** A session that is ready, made by that client, which is subscribed to it. */
export async function madeBy(client: RawClient, params: object = {}, provider = 'mock'): Promise<string> {
  const session = `${provider}:/${crypto.randomUUID()}`;
  await client.request('createSession', { session, ...params });
  if ((await client.stateOf(session)).lifecycle === 'creating') await client.nextAction(session, 'session/ready');
  return session;
}

/** The same with one turn. */
export async function usedBy(client: RawClient): Promise<string> {
  const session = await madeBy(client);
  client.dispatch(message(session, 'first'));
  await client.nextAction(session, 'session/turnComplete');
  return session;
}

export async function summaryOf(client: RawClient, session: string): Promise<SessionSummary | undefined> {
  const { items } = await client.request<{ items: SessionSummary[] }>('listSessions', {});
  return items.find(({ resource }) => resource === session);
}
