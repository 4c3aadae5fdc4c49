import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { AcpAgents, MockAgent } from '@agenthost/host';
import type { SessionState } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost, temporaryFolder } from '../support/testHost.js';
import { until } from '../support/until.js';

const AGENT = join(import.meta.dirname, 'hostileAcpAgent.mjs');

/** What it does to a turn (floods, questions without end, silence, death) is in packages/host/test/agents/acp/acpMisbehaviour. */
describe('a hostile agent, as a real process on the Agent Client Protocol', () => {
  let stateDir: string;
  let host: TestHost;
  let client: HostClient;
  beforeAll(async () => {
    stateDir = await temporaryFolder();
    const hostile = { name: 'Hostile', command: process.execPath, args: [AGENT] };
    await writeFile(join(stateDir, 'agents.json'), JSON.stringify({ agents: { hostile } }));
    await writeFile(join(stateDir, 'secret.txt'), 'THE SECRET');
    host = await startTestHost({ stateDir, agents: [new MockAgent()], agentSources: [new AcpAgents()] });
    client = await host.connect();
  });
  afterAll(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  });

  async function open(provider = 'hostile'): Promise<SessionHandle> {
    const session = await client.createSession({ provider });
    await session.ready();
    return session;
  }

  async function say(session: SessionHandle, text: string) {
    const { length } = session.confirmed.value.turns;
    await session.send(text);
    const { turns } = await until(session.confirmed, (state) => state.turns.length > length, 'the end', 60_000);
    const parts = turns.at(-1)?.responseParts ?? [];
    const said = parts.map((part) => (part.kind === 'markdown' ? part.content : '')).join('');
    return { said, turn: turns.at(-1) };
  }

  it('point 8: gets no file from the host, and can not make it write one', async () => {
    const session = await open();
    const { said } = await say(session, `files ${join(stateDir, 'secret.txt')}`);
    expect(said).toBe('["refused","refused"]');
    expect((await readdir(stateDir)).filter((name) => name.endsWith('.written'))).toEqual([]);
  });

  it('point 9: acts only for its own session, and can’t answer its own questions', async () => {
    const [victim, session] = [await open('mock'), await open()];
    await victim.send('confirm-tool');
    const asked = await until(victim.confirmed, ({ summary }) => summary.status === 'inputNeeded', 'its question');
    await session.send(`fakeIds ${victim.uri}`);
    // Its turn waits for the answer to what it asked, which it can't give itself.
    const wanted = '["refused","refused","refused","refused"]';
    const isSaid = ({ activeTurn }: SessionState) =>
      JSON.stringify(activeTurn?.responseParts)?.includes(JSON.stringify(wanted).slice(1, -1));
    await until(session.confirmed, (state) => isSaid(state) === true, 'what it was answered');
    const [question] = session.pendingConfirmations.value;
    expect(question?.toolCall).toMatchObject({ toolCallId: 'forged', status: 'pendingConfirmation' });
    await question?.deny();
    await until(session.confirmed, ({ turns }) => turns.length === 1, 'the end');
    expect(JSON.stringify(victim.confirmed.value)).not.toContain('PLANTED');
    expect(victim.confirmed.value.activeTurn).toEqual(asked.activeTurn);
    await client.ping();
  });

  it('point 7: invalid, deep and prototype data is left out, and the turn continues', async () => {
    const { said, turn } = await say(await open(), 'garbage');
    expect(said).toContain('still here');
    expect(turn?.state).toBe('complete');
    expect(({} as { polluted?: true }).polluted).toBeUndefined();
    await client.ping();
  });

  it('point 7: an endless line ends only the agent that writes it', async () => {
    const other = await open('mock');
    const { turn } = await say(await open(), 'huge');
    expect(turn).toMatchObject({
      state: 'error',
      error: { message: expect.stringContaining('a message of more than') },
    });
    expect((await say(other, 'hello')).turn?.state).toBe('complete');
  });
});
