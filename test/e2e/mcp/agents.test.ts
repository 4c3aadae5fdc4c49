import type { Client } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost } from '../../support/testHost.js';
import { call, overHttp, overStdio, started } from './support.js';

let host: TestHost;
let person: Client;
const clients: Client[] = [];
beforeAll(async () => {
  host = await startTestHost();
  person = await overHttp(host);
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(async () => {
  await person.close();
  await host.dispose();
});

/** As the agent of that session has the tools. */
async function agentOf(session: string): Promise<Client> {
  const client = await overHttp(host, { session });
  clients.push(client);
  return client;
}

const startOf = async (session: string) => {
  const owner = await host.connect();
  const { items } = await owner.listSessions();
  return items.find(({ resource }) => resource === session)?.metadata?.['startedBy'];
};

describe('an agent that uses the tools of its host', () => {
  it('never answers for itself, cancels itself, or talks to itself', async () => {
    const { session, turnId } = await started(person, 'permission');
    const { questions } = await call(person, 'wait_for_turn', { session, turnId });
    const { requestId } = questions[0];
    const agent = await agentOf(session);
    const answer = { session, turnId, requestId, approved: true };
    const sameFolder = session.replace('mock:', 'shell:');
    const refused = { error: 'ownSession', whatToDo: expect.stringContaining('person') };
    expect(await call(agent, 'answer_question', answer)).toMatchObject(refused);
    expect(await call(agent, 'answer_question', { ...answer, session: sameFolder })).toMatchObject(refused);
    expect(await call(agent, 'answer_question', { ...answer, session: session.replace(':/', ':') })).toMatchObject(
      refused,
    );
    expect(await call(agent, 'cancel', { session })).toMatchObject(refused);
    expect(await call(agent, 'send_message', { session, text: 'more', kind: 'queued' })).toMatchObject(refused);
    expect(await call(agent, 'read_session', { session })).toMatchObject({ status: 'inputNeeded' });
    expect(await call(person, 'answer_question', answer)).toEqual({ answered: true });
  });

  it('drives what it has started, itself or through others, and nothing above or beside it', async () => {
    const { session: top } = await started(person, 'hello');
    const { session: other } = await started(person, 'hello');
    const agent = await agentOf(top);
    const below = await started(agent, 'permission');
    const lowest = await started(await agentOf(below.session), 'hello');
    expect(await startOf(top)).toMatchObject({ sessions: [], depth: 1 });
    expect(await startOf(below.session)).toMatchObject({ sessions: [top], depth: 2 });
    expect(await startOf(lowest.session)).toMatchObject({ sessions: [top, below.session], depth: 3 });
    const { questions } = await call(agent, 'wait_for_turn', below);
    const { requestId } = questions[0];
    const refused = { error: 'notStartedByCaller' };
    const from = await agentOf(lowest.session);
    expect(await call(from, 'answer_question', { ...below, requestId, approved: true })).toMatchObject(refused);
    expect(await call(from, 'send_message', { session: top, text: 'hi' })).toMatchObject(refused);
    expect(await call(agent, 'send_message', { session: other, text: 'hi' })).toMatchObject(refused);
    expect(await call(agent, 'cancel', { session: other })).toMatchObject(refused);
    expect(await call(agent, 'answer_question', { ...below, requestId, approved: true })).toEqual({ answered: true });
    await call(agent, 'wait_for_turn', lowest);
    expect(await call(agent, 'send_message', { session: lowest.session, text: 'hello' })).toHaveProperty('turnId');
  });

  it('starts others at most 3 deep', async () => {
    const first = await started(person, 'hello');
    const second = await started(await agentOf(first.session), 'hello');
    const third = await started(await agentOf(second.session), 'hello');
    expect(await call(await agentOf(third.session), 'create_session', { agent: 'mock' })).toMatchObject({
      error: 'tooDeep',
      whatToDo: expect.stringContaining('in this session'),
    });
  });

  it('starts at most 16 sessions, over all depths and at once, and room comes back with a deleted one', async () => {
    const owner = await host.connect();
    const { session: top } = await started(person, 'hello');
    const agent = await agentOf(top);
    const below = await started(agent, 'hello');
    const child = await agentOf(below.session);
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) => call(n % 2 ? agent : child, 'create_session', { agent: 'mock' })),
    );
    const made = all.filter(({ session }) => session !== undefined);
    expect(made).toHaveLength(15);
    expect(new Set(made.map(({ session }) => session)).size).toBe(15);
    expect(all.find(({ error }) => error)).toMatchObject({ error: 'tooManySessions' });
    await owner.disposeSession(made[0].session);
    expect(await call(child, 'create_session', { agent: 'mock' })).toHaveProperty('session');
    expect(await call(agent, 'create_session', { agent: 'mock' })).toMatchObject({ error: 'tooManySessions' });
  });

  it('is known over stdio by the environment of its session', async () => {
    const { session, turnId } = await started(person, 'permission');
    const { questions } = await call(person, 'wait_for_turn', { session, turnId });
    const { client } = await overStdio(host, { env: { AGENTHOST_SESSION: session } });
    clients.push(client);
    const answer = { session, turnId, requestId: questions[0].requestId, approved: true };
    expect(await call(client, 'answer_question', answer)).toMatchObject({ error: 'ownSession' });
    const ran = await call(person, 'create_session', { agent: 'shell', message: 'echo "in <$AGENTHOST_SESSION>"' });
    const { session: shell } = ran;
    for (let waited = await call(person, 'wait_for_turn', ran); waited.status === 'inputNeeded'; ) {
      const [{ turnId: of, toolCallId }] = waited.questions;
      await call(person, 'answer_question', { session: shell, turnId: of, toolCallId, approved: true });
      waited = await call(person, 'wait_for_turn', ran);
    }
    const { turns } = await call(person, 'read_session', { session: shell });
    const [turn] = turns;
    expect(turn.text).toContain(`in <${shell}>`);
  });

  it('of another host drives what it has started here, and nothing else', async () => {
    const agent = await agentOf('mock:/elsewhere');
    const { session, turnId } = await started(agent, 'hello');
    expect(await startOf(session)).toMatchObject({ sessions: ['mock:/elsewhere'], depth: 1 });
    await call(agent, 'wait_for_turn', { session, turnId });
    expect(await call(agent, 'send_message', { session, text: 'hello' })).toHaveProperty('turnId');
    const { session: other } = await started(person, 'hello');
    expect(await call(agent, 'send_message', { session: other, text: 'hi' })).toMatchObject({
      error: 'notStartedByCaller',
    });
  });

  it('says who it is with a session, or is refused', async () => {
    for (const session of ['nonsense', `mock:/${'x'.repeat(5_000)}`, 'mock:/a, mock:/b'])
      await expect(overHttp(host, { session })).rejects.toThrow(/no session|400/);
  });
});
