import { ERROR_CODE } from '@agenthost/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost } from '../../support/testHost.js';

const hosts: TestHost[] = [];
afterEach(async () => {
  // The newest first: the second host of a test uses the folder of the first.
  for (const host of hosts.splice(0).reverse()) await host.dispose();
});

describe('createSession for a session that exists', () => {
  it('is refused, and does not keep other clients from opening that session', async () => {
    const first = await startTestHost();
    hosts.push(first);
    const session = 'mock:/twice';
    await (await first.raw('alice')).request('createSession', { session });
    await first.host.close();

    // The session is not in memory, so both requests look for it on disk.
    const second = await startTestHost({ stateDir: first.stateDir });
    hosts.push(second);
    const [alice, bob] = [await second.raw('alice'), await second.raw('bob')];
    const [refused, opened] = await Promise.all([alice.refusal('createSession', { session }), bob.stateOf(session)]);
    expect(refused).toMatchObject({ code: ERROR_CODE.sessionAlreadyExists });
    expect(opened.summary.resource).toBe(session);
    expect((await alice.stateOf(session)).summary.resource).toBe(session);
  });

  it("is refused for the id of another agent's session, which is not loaded by it", async () => {
    const host = await startTestHost();
    hosts.push(host);
    const [alice, bob] = [await host.raw('alice'), await host.raw('bob')];
    await alice.request('createSession', { session: 'mock:/taken' });
    const [refused, missing] = await Promise.all([
      alice.refusal('createSession', { session: 'shell:/taken' }),
      bob.refusal('subscribe', { resource: 'shell:/taken' }),
    ]);
    expect(refused).toMatchObject({ code: ERROR_CODE.sessionAlreadyExists });
    expect(missing).toMatchObject({ code: ERROR_CODE.sessionNotFound });
  });
});
