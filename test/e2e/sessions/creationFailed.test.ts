import { type AgentSession, type OpenSessionOptions, ShellAgent } from '@agenthost/host';
import { INLINE_CONTENT_LIMIT } from '@agenthost/protocol/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Script, ScriptedAgent } from '../../support/agents/scriptedAgent.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const WHY = 'There is no licence.';
const REASON = `session could not be created: ${WHY}`;

/** Fails to open a session when it is told to. */
class FailingAgent extends ScriptedAgent {
  readonly #fail = Promise.withResolvers<string>();

  constructor() {
    super({ provider: 'fails', displayName: 'Fails', script: (() => []) as Script });
  }

  fail(why = WHY): void {
    this.#fail.resolve(why);
  }

  override async openSession(_options: OpenSessionOptions): Promise<AgentSession> {
    throw new Error(await this.#fail.promise);
  }
}

describe('a session whose creation failed', () => {
  let stateDir: string;
  let agent: FailingAgent;
  let host: TestHost;

  async function start(): Promise<void> {
    agent = new FailingAgent();
    host = await startTestHost({ stateDir, agents: [agent, new ShellAgent()] });
  }
  beforeEach(async () => {
    stateDir = await temporaryFolder();
    await start();
  });
  afterEach(() => host.dispose());

  it('[VAL3] refuses messages with the reason, however they are sent', async () => {
    const client = await host.connect();
    const session = await client.createSession({ provider: 'fails' });
    agent.fail();
    await expect(session.ready()).rejects.toThrow(WHY);
    await expect(session.queue('queued')).rejects.toMatchObject({ reason: REASON });
    await expect(session.steer('steering')).rejects.toMatchObject({ reason: REASON });
    await expect(session.send('sent')).rejects.toMatchObject({ reason: REASON });
    expect(session.state.value).toBe(session.confirmed.value);
    expect(session.confirmed.value.turns).toEqual([]);
    expect(session.confirmed.value).not.toHaveProperty('queuedMessages');
    expect(session.confirmed.value).not.toHaveProperty('steeringMessage');
  });

  it('[LIFE3] turns pending messages into turns with its error, also after a restart', async () => {
    const client = await host.connect({ clientInfo: { name: 'Ada' } });
    const session = await client.createSession({ provider: 'fails' });
    await session.queue('Fix the bug\nin the parser', 'first');
    await session.queue('and test it', 'second');
    await session.steer('quickly', 'steering');
    const onlooker = await (await host.connect()).openSession(session.uri);
    agent.fail();
    await expect(session.ready()).rejects.toThrow(WHY);

    const failed = await until(onlooker.confirmed, ({ summary }) => summary.title !== '', 'a title');
    const error = { errorType: 'creationFailed', message: WHY };
    expect(failed).toMatchObject({
      lifecycle: 'creationFailed',
      creationError: error,
      summary: { status: 'error', title: 'quickly' },
      turns: [
        { id: 'steering', userMessage: { text: 'quickly' }, by: { name: 'Ada' }, state: 'error', error },
        { id: 'first', userMessage: { text: 'Fix the bug\nin the parser' }, state: 'error', error },
        { id: 'second', userMessage: { text: 'and test it' }, state: 'error', error },
      ],
    });
    expect(failed).not.toHaveProperty('queuedMessages');
    expect(failed).not.toHaveProperty('steeringMessage');
    await expect(session.queue('again', 'first')).rejects.toMatchObject({ reason: REASON });
    for (const text of ['quickly', 'parser', 'test'])
      expect((await client.listSessions({ filter: { text } })).items).toMatchObject([{ resource: session.uri }]);

    await host.dispose();
    await start();
    const later = await (await host.connect()).openSession(session.uri);
    expect(later.confirmed.value).toMatchObject({ turns: failed.turns, lifecycle: 'creationFailed' });
    await expect(later.queue('more')).rejects.toMatchObject({ reason: REASON });
  });

  it('[LIFE3] does so for as many as can wait, and all of them can be read after a restart', async () => {
    const session = await (await host.connect()).createSession({ provider: 'fails' });
    for (let n = 0; n < 100; n++) await session.queue(`queued ${n}`, `q${n}`);
    for (let n = 0; n < 101; n++) await session.steer(`steering ${n}`, `s${n}`);
    agent.fail();
    await expect(session.ready()).rejects.toThrow(WHY);
    const ids = session.confirmed.value.turns.map(({ id }) => id);
    const displaced = Array.from({ length: 101 }, (_, n) => `s${100 - n}`);
    expect(ids).toEqual([...displaced, ...Array.from({ length: 100 }, (_, n) => `q${n}`)]);

    await host.dispose();
    await start();
    const later = await (await host.connect()).openSession(session.uri, { turns: 7 });
    while ((await later.loadEarlierTurns(13)) > 0);
    expect(later.confirmed.value.turns.map(({ id }) => id)).toEqual(ids);
  });

  it('has a bounded reason', async () => {
    const session = await (await host.connect()).createSession({ provider: 'fails' });
    agent.fail('x'.repeat(5_000_000));
    await expect(session.ready()).rejects.toThrow('xxx');
    const { message = '' } = session.confirmed.value.creationError ?? {};
    expect(message.length).toBeLessThan(INLINE_CONTENT_LIMIT + 100);
    await expect(session.queue('x')).rejects.toMatchObject({ reason: `session could not be created: ${message}` });
  });

  it('can still be renamed, archived and deleted', async () => {
    const client = await host.connect();
    const session = await client.createSession({ provider: 'fails' });
    await session.queue('waits');
    agent.fail();
    await expect(session.ready()).rejects.toThrow(WHY);
    await session.rename('Never made');
    await session.archive();
    expect(session.confirmed.value.summary).toMatchObject({ title: 'Never made', isArchived: true });
    await client.disposeSession(session.uri);
    await expect(client.openSession(session.uri)).rejects.toThrow('no session');
  });
});
