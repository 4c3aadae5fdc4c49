import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HostClient, SessionHandle } from '@agenthost/client';
import type { ToolCallState } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRunning } from '../../../packages/host/src/processes/processStat.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const SECRET = 'a-token-that-no-command-may-see';

describe('a shell session of two clients', () => {
  let stateDir: string;
  let folder: string;
  let host: TestHost;
  let alice: HostClient;
  let bob: HostClient;

  async function start(): Promise<void> {
    const env = { ...process.env, AGENTHOST_TOKEN: SECRET, AGENTHOST_HOME: stateDir, MY_API_KEY: SECRET };
    host = await startTestHost({ stateDir, env }, { token: SECRET });
    alice = await host.connect({ clientInfo: { name: 'Alice' } });
    bob = await host.connect({ clientInfo: { name: 'Bob' } });
  }

  beforeAll(async () => {
    stateDir = await temporaryFolder();
    folder = join(stateDir, 'work');
    await mkdir(folder);
    await start();
  });
  afterAll(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true });
  });

  async function newSession(): Promise<{ hers: SessionHandle; his: SessionHandle }> {
    const workingDirectory = pathToFileURL(folder).href;
    const hers = await alice.createSession({ provider: 'shell', workingDirectory });
    await hers.ready();
    return { hers, his: await bob.openSession(hers.uri) };
  }

  const asked = async (session: SessionHandle) => {
    const [prompt] = await until(session.pendingConfirmations, (prompts) => prompts.length === 1, 'the question');
    if (!prompt) throw new Error('nobody asked');
    return prompt;
  };

  const ended = async (session: SessionHandle, turnId: string) => {
    const { turns } = await until(
      session.confirmed,
      (state) => state.turns.some(({ id }) => id === turnId),
      'the end of the turn',
      20_000,
    );
    return turns.find(({ id }) => id === turnId);
  };

  const live = (session: SessionHandle): ToolCallState | undefined =>
    Object.values(session.confirmed.value.activeTurn?.toolCalls ?? {})[0];

  const liveOutput = (session: SessionHandle): string => {
    const call = live(session);
    return call && 'output' in call ? (call.output?.text ?? '') : '';
  };

  async function run(session: SessionHandle, command: string) {
    const turnId = await session.send(command);
    await (await asked(session)).approve();
    const call = (await ended(session, turnId))?.toolCalls[0];
    return { call, output: call?.output?.text.replaceAll('\r\n', '\n') };
  }

  it('asks; the other client may approve; both see the live output and the exit code', async () => {
    const { hers, his } = await newSession();
    const gate = join(folder, 'gate');
    const turnId = await hers.send(`echo first; until [ -e ${gate} ]; do sleep 0.05; done; echo last; exit 3`);
    const prompt = await asked(his);
    expect(prompt.toolCall).toMatchObject({ status: 'pendingConfirmation', toolKind: 'terminal' });
    expect(his.confirmed.value.summary.status).toBe('inputNeeded');
    await prompt.approve();
    for (const session of [hers, his]) {
      await until(session.confirmed, () => liveOutput(session).includes('first'), 'live output');
      expect(live(session)).toMatchObject({ status: 'running', confirmed: { how: 'user', by: { name: 'Bob' } } });
    }
    await mkdir(gate);
    const turn = await ended(hers, turnId);
    await ended(his, turnId);
    expect(his.confirmed.value.turns).toEqual(hers.confirmed.value.turns);
    expect(turn).toMatchObject({
      state: 'complete',
      by: { name: 'Alice' },
      toolCalls: [
        { status: 'completed', output: { text: 'first\r\nlast\r\n' }, result: { success: false, exitCode: 3 } },
      ],
    });
  });

  it('runs nothing that was denied', async () => {
    const { hers, his } = await newSession();
    const turnId = await hers.send(`touch ${join(folder, 'never')}`);
    await (await asked(his)).deny();
    expect(await ended(hers, turnId)).toMatchObject({ toolCalls: [{ status: 'cancelled', cancelled: 'denied' }] });
    await expect(readFile(join(folder, 'never'))).rejects.toThrow('ENOENT');
  });

  it('keeps its folder, its variables and "always", also over a restart', async () => {
    const { hers } = await newSession();
    await run(hers, 'mkdir -p below && cd below && export COLOUR=blue');
    const turnId = await hers.send('pwd; echo $COLOUR');
    const prompt = await asked(hers);
    const always = prompt.toolCall.confirmation.options?.find(({ id }) => id === 'always');
    expect(always).toMatchObject({ kind: 'approve' });
    await prompt.approve({ optionId: 'always' });
    const text = `${join(folder, 'below')}\r\nblue\r\n`;
    expect(await ended(hers, turnId)).toMatchObject({ toolCalls: [{ output: { text } }] });

    const unasked = await hers.send('echo again');
    const again = await ended(hers, unasked);
    expect(again?.toolCalls).toMatchObject([{ confirmed: { how: 'policy' }, output: { text: 'again\r\n' } }]);

    await host.dispose();
    await start();
    const reopened = await alice.openSession(hers.uri);
    expect(reopened.confirmed.value.turns).toHaveLength(3);
    // A restart drops "always": permissions of days ago must not surprise the user.
    expect((await run(reopened, 'pwd; echo $COLOUR')).output).toBe(`${join(folder, 'below')}\nblue\n`);
  });

  it("does not see the host's secrets", async () => {
    const { hers } = await newSession();
    const { output } = await run(hers, 'env; cat /proc/self/environ | tr "\\0" "\\n"');
    expect(output).toContain('PATH=');
    expect(output).not.toContain(SECRET);
    // The mark by which the processes of agents are found says nothing of the host.
    expect([...new Set(output?.match(/\bAGENTHOST_\w+/g))]).toEqual(['AGENTHOST_AGENT_OF', 'AGENTHOST_SESSION']);
  });

  it('ends with its children when the turn is cancelled', async () => {
    const { hers, his } = await newSession();
    const turnId = await hers.send('sleep 1000 & echo "child $!"; echo "shell $$"; wait');
    await (await asked(hers)).approve();
    await until(hers.confirmed, () => /shell \d+\r\n/.test(liveOutput(hers)), 'the processes');
    const pids = [...liveOutput(hers).matchAll(/\d+/g)].map(([pid]) => Number(pid));
    expect(pids).toHaveLength(2);
    await until(his.confirmed, ({ activeTurn }) => activeTurn?.id === turnId, 'the turn');
    await his.cancel();
    expect(await ended(hers, turnId)).toMatchObject({ state: 'cancelled', toolCalls: [{ status: 'cancelled' }] });
    // The next turn begins when nothing of the last one runs; an ended process may still be a zombie.
    const { output } = await run(hers, 'echo done');
    expect(output).toBe('done\n');
    expect(pids.filter(isRunning)).toEqual([]);
  });
});
