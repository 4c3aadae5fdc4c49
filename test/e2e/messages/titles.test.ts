import { rm } from 'node:fs/promises';
import type { HostClient, SessionHandle } from '@agenthost/client';
import {
  type AgentEvent,
  type AgentSession,
  type HostOptions,
  MockAgent,
  type OpenSessionOptions,
} from '@agenthost/host';
import { MAX_TITLE_LENGTH } from '@agenthost/protocol/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptedAgent } from '../../support/agents/scriptedAgent.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

/** An agent that calls its session what follows "title". */
function* script({ text }: { readonly text: string }): Generator<AgentEvent> {
  const [, title] = /^title (.+)$/.exec(text) ?? [];
  if (title !== undefined) yield { type: 'title', title };
  yield { type: 'text', text: 'done' };
}

/** An agent that can say something between turns. */
class LateAgent extends MockAgent {
  say: (event: AgentEvent) => void = () => {};

  override async openSession(options: OpenSessionOptions): Promise<AgentSession> {
    const session = await super.openSession(options);
    const listen = session.onEvent.bind(session);
    session.onEvent = (listener) => {
      this.say = listener;
      return listen(listener);
    };
    return session;
  }
}

describe('titles', () => {
  let stateDir: string;
  let host: TestHost;
  let client: HostClient;

  async function start(options: Partial<HostOptions> = {}): Promise<void> {
    const agent = new ScriptedAgent({ provider: 'names', displayName: 'Names', script });
    host = await startTestHost({ stateDir, agents: [agent], ...options });
    client = await host.connect();
  }
  async function reopened(session: SessionHandle): Promise<SessionHandle> {
    await host.dispose();
    await start();
    return client.openSession(session.uri);
  }
  beforeEach(async () => {
    stateDir = await temporaryFolder();
    await start();
  });
  afterEach(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true });
  });

  async function newSession(): Promise<SessionHandle> {
    const session = await client.createSession({ provider: 'names' });
    await session.ready();
    return session;
  }
  async function say(session: SessionHandle, text: string): Promise<string> {
    const id = await session.send(text);
    await until(session.confirmed, ({ turns, activeTurn }) => turns.at(-1)?.id === id && !activeTurn, text);
    return id;
  }
  const title = (session: SessionHandle) => session.confirmed.value.summary.title;

  it('come from the first message, then from the agent, until a user sets one', async () => {
    const session = await newSession();
    await say(session, 'fix it\nplease');
    expect(title(session)).toBe('fix it');
    await say(session, 'title Fixing it');
    expect(title(session)).toBe('Fixing it');
    const again = await reopened(session);
    await say(again, 'title Fixed it');
    expect(title(again)).toBe('Fixed it');
  });

  it('[TITLE1] of a user stays: no agent’s title or message replaces it, also after a restart', async () => {
    const session = await newSession();
    await session.rename('Mine');
    await say(session, 'a first message');
    expect(title(session)).toBe('Mine');
    await say(session, 'title Theirs');
    expect(title(session)).toBe('Mine');
    const again = await reopened(session);
    await say(again, 'title Theirs');
    expect(title(again)).toBe('Mine');
    await again.rename('Mine, too');
    await say(again, 'title Theirs');
    expect(title(again)).toBe('Mine, too');
    expect((await client.listSessions()).items).toMatchObject([{ title: 'Mine, too' }]);
  });

  it('[TITLE1] of a user stays when it equals the agent’s, and after the session was unloaded', async () => {
    await host.dispose();
    await start({ sessionIdleMs: 20 });
    const session = await newSession();
    await say(session, 'title Good');
    await session.rename('Good');
    session.close();
    // One that was used later and is gone: so is the other.
    const other = await newSession();
    await say(other, 'hello');
    other.close();
    const again = await client.openSession(session.uri);
    await say(again, 'title Better');
    expect(title(again)).toBe('Good');
  });

  it('[TITLE1] of an agent between turns are one bounded line, and never replace a user’s', async () => {
    const agent = new LateAgent();
    await host.dispose();
    await start({ agents: [agent] });
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    agent.say({ type: 'title', title: `Two\nlines ${'x'.repeat(5_000_000)}` });
    await until(session.confirmed, ({ summary }) => summary.title.startsWith('Two lines'), 'the title');
    expect(title(session).length).toBeLessThanOrEqual(MAX_TITLE_LENGTH);
    await session.rename('Mine');
    agent.say({ type: 'title', title: 'Theirs' });
    await say(session, 'hello');
    expect(title(session)).toBe('Mine');
  });

  it('are derived again when they were emptied', async () => {
    const session = await newSession();
    await session.rename('Mine');
    await session.rename('');
    await say(session, 'what it is about');
    expect(title(session)).toBe('what it is about');
    await say(session, 'title The agent’s');
    expect(title(session)).toBe('The agent’s');
  });

  it('[TITLE1] of a user stays in a fork, wherever that is cut, and after a restart', async () => {
    const session = await newSession();
    const first = await say(session, 'first');
    await say(session, 'second');
    await session.rename('Mine');
    for (const cut of [{}, { toTurnId: first }]) {
      const fork = await client.forkSession({ source: session.uri, ...cut });
      expect(title(fork)).toBe('Mine (fork)');
      await say(fork, 'title Theirs');
      expect(title(fork)).toBe('Mine (fork)');
    }
    const fork = await reopened(await client.forkSession({ source: session.uri }));
    await say(fork, 'title Theirs');
    expect(title(fork)).toBe('Mine (fork)');
  });

  it('of a fork may come from the agent when no user named its source', async () => {
    const session = await newSession();
    await say(session, 'title Theirs');
    const fork = await client.forkSession({ source: session.uri });
    expect(title(fork)).toBe('Theirs (fork)');
    await say(fork, 'title Another one');
    expect(title(fork)).toBe('Another one');
  });

  it('[TITLE1] of an import stay', async () => {
    const session = await newSession();
    await say(session, 'hello');
    await session.rename('Mine');
    const { turns, summary } = session.confirmed.value;
    const imported = await client.importSession({ provider: 'names', title: summary.title, turns });
    await say(imported, 'title Theirs');
    expect(title(imported)).toBe('Mine');
    const fork = await reopened(await client.forkSession({ source: imported.uri }));
    await say(fork, 'title Theirs');
    expect(title(fork)).toBe('Mine (fork)');
  });

  it('[FORK1] of a fork come from its first message when its source has none', async () => {
    const session = await newSession();
    const empty = await client.forkSession({ source: session.uri });
    expect(title(empty)).toBe('');
    await say(empty, 'my first words');
    expect(title(empty)).toBe('my first words');

    const answer = { responseParts: [], toolCalls: [], state: 'complete', startedAt: 1, endedAt: 2 } as const;
    const turns = ['', '  \n', 'look at this\nplease', 'and at that'].map((text, n) => ({
      ...answer,
      id: `t${n}`,
      userMessage: { text, attachments: [{ kind: 'text', label: 'a', data: 'b' } as const] },
    }));
    const imported = await client.importSession({ provider: 'names', turns });
    expect(title(imported)).toBe('');
    expect(title(await client.forkSession({ source: imported.uri }))).toBe('look at this');
    const cut = await client.forkSession({ source: imported.uri, toTurnId: 't1' });
    expect(title(cut)).toBe('');
    await say(cut, 'title By the agent');
    expect(title(cut)).toBe('By the agent');
  });

  it('[FORK1] a fork is new: its change time is its creation, and it is first in the list', async () => {
    let now = 1_000_000;
    await host.dispose();
    await start({ now: () => now });
    const [old, session] = [await newSession(), await newSession()];
    const first = await say(session, 'hello');
    now += 1_000;
    await say(old, 'later');
    now += 1_000;
    const forks = [
      await client.forkSession({ source: session.uri }),
      await client.forkSession({ source: session.uri, toTurnId: first }),
    ];
    for (const fork of forks) expect(fork.confirmed.value.summary).toMatchObject({ createdAt: now, modifiedAt: now });
    const listed = async () => (await client.listSessions()).items.map(({ resource }) => resource);
    expect((await listed()).slice(0, 2).sort()).toEqual(forks.map(({ uri }) => uri).sort());
    expect(forks[0]?.confirmed.value.turns).toEqual(session.confirmed.value.turns);
    await host.dispose();
    await start({ now: () => now });
    const [fork] = forks;
    if (!fork) throw new Error('there is a fork');
    const again = await client.openSession(fork.uri);
    expect(again.confirmed.value.summary).toMatchObject({ createdAt: now, modifiedAt: now });
    now += 1_000;
    await say(again, 'goes on');
    expect(again.confirmed.value.summary.modifiedAt).toBe(now);
  });
});
