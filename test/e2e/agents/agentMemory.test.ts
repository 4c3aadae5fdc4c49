import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { AcpAgents, ShellAgent } from '@agenthost/host';
import type { Turn } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stubEntry, writeAgents } from '../../support/agents/stubAgent.js';
import { say } from '../../support/say.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';

const noticesOf = (turn: Turn | undefined) =>
  (turn?.responseParts ?? []).flatMap((part) => (part.kind === 'notice' ? [part.text] : []));
const lastNotices = ({ confirmed }: SessionHandle) => noticesOf(confirmed.value.turns.at(-1));

/** "recall" tells what the agent's own memory has; "blocks" repeats the message as the agent got it. */
describe('what an agent knows of the turns before', () => {
  let stateDir: string;
  let host: TestHost;
  let client: HostClient;

  const start = async () => {
    host = await startTestHost({ stateDir, agents: [new ShellAgent()], agentSources: [new AcpAgents()] });
    client = await host.connect();
  };
  const restart = async () => {
    await host.dispose();
    await start();
  };
  beforeEach(async () => {
    stateDir = await temporaryFolder();
    await writeAgents(stateDir, {
      stub: stubEntry(stateDir),
      forking: stubEntry(stateDir, { STUB_FORK: 'works' }, { name: 'Forking' }),
      clumsy: stubEntry(stateDir, { STUB_FORK: 'fails' }, { name: 'Clumsy' }),
    });
    await start();
  });
  afterEach(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const forkOf = async (session: SessionHandle, options: { provider?: string; toTurnId?: string } = {}) =>
    client.forkSession({ source: session.uri, ...options });
  const session = async (provider = 'stub') => {
    const made = await client.createSession({ provider });
    await made.ready();
    await say(made, 'the number is 4711');
    await say(made, 'the colour is blue');
    return made;
  };

  it('a fork gets the turns as text, once, and says so', async () => {
    const fork = await forkOf(await session());
    const first = await say(fork, 'blocks');
    expect(first).toContain('the number is 4711');
    expect(first).toContain('the colour is blue');
    expect(first.indexOf('blocks')).toBeLessThan(first.indexOf('4711'));
    expect(lastNotices(fork)).toEqual(['Stub was given the 2 turns before this one as text.']);
    expect(await say(fork, 'blocks')).not.toContain('4711');
    expect(lastNotices(fork)).toEqual([]);
    await restart();
    const again = await client.openSession(fork.uri);
    expect(await say(again, 'blocks')).not.toContain('4711');
    expect(lastNotices(again)).toEqual([]);
  });

  it('a fork up to a turn gets only the turns that it has', async () => {
    const source = await session();
    const fork = await forkOf(source, { toTurnId: source.confirmed.value.turns[0]?.id ?? '' });
    const first = await say(fork, 'blocks');
    expect(first).toContain('4711');
    expect(first).not.toContain('blue');
    expect(lastNotices(fork)).toEqual(['Stub was given the earlier turn as text.']);
  });

  it('a fork of an agent that can copies the memory itself', async () => {
    const source = await session('forking');
    const fork = await forkOf(source);
    expect(await say(fork, 'recall')).toBe('the number is 4711 | the colour is blue | recall');
    expect(lastNotices(fork)).toEqual([]);
    // What the agent sends of the copy is not the source's.
    expect(await say(source, 'recall')).toBe('the number is 4711 | the colour is blue | recall');
    expect(source.confirmed.value.turns).toHaveLength(3);
  });

  it('an agent that fails to copy its memory gets the turns as text', async () => {
    const fork = await forkOf(await session('clumsy'));
    expect(await say(fork, 'blocks')).toContain('4711');
    expect(lastNotices(fork)).toEqual(['Clumsy was given the 2 turns before this one as text.']);
  });

  it('a fork up to a turn, or in the middle of one, copies no memory', async () => {
    const source = await session('forking');
    const fork = await forkOf(source, { toTurnId: source.confirmed.value.turns[0]?.id ?? '' });
    expect(await say(fork, 'recall')).toBe('recall');
    await source.send('silent');
    const other = await forkOf(source);
    expect(await say(other, 'recall')).toBe('recall');
    expect(lastNotices(other)).toEqual(['Forking was given the 2 turns before this one as text.']);
  });

  it('an imported conversation is known', async () => {
    const turns: Turn[] = [
      {
        id: 't1',
        userMessage: { text: 'the number is 4711' },
        responseParts: [{ kind: 'markdown', id: 'm', content: 'Noted.' }],
        toolCalls: [],
        state: 'complete',
        startedAt: 1,
        endedAt: 2,
      },
    ];
    const imported = await client.importSession({ provider: 'stub', turns });
    expect(await say(imported, 'blocks')).toContain('Noted.');
    expect(lastNotices(imported)).toEqual(['Stub was given the earlier turn as text.']);
  });

  it('a conversation that the agent has lost is given to it as text', async () => {
    const source = await session();
    await host.dispose();
    await rm(join(stateDir, 'stub-memory'), { recursive: true });
    await start();
    const again = await client.openSession(source.uri);
    expect(await say(again, 'blocks')).toContain('4711');
    const [notice = ''] = lastNotices(again);
    expect(notice).toContain('Stub starts a new conversation: it could not resume the earlier one');
    expect(notice).toContain('Stub was given the 2 turns before this one as text.');
  });

  it('turns that an agent failed before it answered are given again', async () => {
    const fork = await forkOf(await session());
    await say(fork, 'error');
    expect(fork.confirmed.value.turns.at(-1)?.state).toBe('error');
    await restart();
    const again = await client.openSession(fork.uri);
    expect(await say(again, 'blocks')).toContain('4711');
  });

  it('[FORK2] is handed over to another agent, which says where it comes from', async () => {
    const source = await session();
    await source.rename('Numbers');
    const handed = await forkOf(source, { provider: 'forking' });
    const { summary } = handed.confirmed.value;
    expect(summary).toMatchObject({ provider: 'forking', title: 'Numbers' });
    expect(summary.metadata).toMatchObject({ handedOverFrom: source.uri, forkedFrom: source.uri });
    expect(summary.model).toBeUndefined();
    expect(await say(handed, 'blocks')).toContain('4711');
    expect(lastNotices(handed)).toEqual(['Forking was given the 2 turns before this one as text.']);
    // And back, with what was said meanwhile.
    await say(handed, 'the animal is a heron');
    const back = await forkOf(handed, { provider: 'stub' });
    const known = await say(back, 'blocks');
    for (const fact of ['4711', 'blue', 'heron']) expect(known).toContain(fact);
    expect(await readdir(join(stateDir, 'session-state'))).toHaveLength(3);
  });

  it('[FORK2] is not handed over to an agent that runs what it gets', async () => {
    const source = await session();
    await expect(forkOf(source, { provider: 'shell' })).rejects.toThrow('it takes no conversation');
  });

  it('is not handed over to an agent that the host does not have', async () => {
    const source = await session();
    await expect(forkOf(source, { provider: 'nobody' })).rejects.toThrow('no agent for provider nobody');
    expect((await client.listSessions({})).items).toHaveLength(1);
  });
});
