import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { connect } from '@agenthost/client';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isGone, processesIn } from '../../../packages/host/test/agents/support/processes.js';
import { stubEntry, stubSession, writeAgents } from '../../support/agents/stubAgent.js';
import { say } from '../../support/say.js';
import { spawnHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

let stateDir: string;

beforeEach(async () => {
  stateDir = await temporaryFolder();
});
afterEach(() => rm(stateDir, { recursive: true, force: true, maxRetries: 5 }));

const alive = (pid: number) => !isGone(pid);

async function childrenOf(pid: number): Promise<number[]> {
  const listed = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return listed.trim().split(' ').filter(Boolean).map(Number);
}

describe('processes of an agent', () => {
  async function startTurn(env: Record<string, string>) {
    await writeAgents(stateDir, { stub: stubEntry(stateDir, env) });
    const host = await spawnHost(stateDir);
    onTestFinished(async () => void (await host.kill('SIGKILL')));
    const client = await connect({ url: host.url, token: host.token });
    onTestFinished(() => client.close());
    const session = await stubSession(client);
    const pid = Number(await say(session, 'pid'));
    const orphan = Number(await say(session, 'orphan'));
    await session.send('endless');
    await until(session.state, (state) => (state.activeTurn?.responseParts.length ?? 0) > 0, 'the turn');
    expect([alive(pid), alive(orphan)]).toEqual([true, true]);
    return { host, pids: [pid, orphan] };
  }

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('end with the host by %s', async (signal) => {
    const { host, pids } = await startTurn({ STUB_IGNORE_EOF: '1' });
    await host.kill(signal);
    expect(pids.map(alive)).toEqual([false, false]);
  });

  it('end soon after a host is killed, even if they ignore the end of their input', {
    timeout: 120_000,
  }, async () => {
    const { host, pids } = await startTurn({ STUB_IGNORE_EOF: '1' });
    const children = await childrenOf(host.pid);
    await host.kill('SIGKILL');
    await expect.poll(() => [...pids, ...children].filter(alive), { timeout: 30_000 }).toEqual([]);
  });

  it('end at the next start, when the guard was killed too', { timeout: 120_000 }, async () => {
    const { host, pids } = await startTurn({ STUB_IGNORE_EOF: '1' });
    for (const pid of await childrenOf(host.pid)) if (!pids.includes(pid)) process.kill(pid, 'SIGKILL');
    await host.kill('SIGKILL');
    expect(pids.map(alive)).toEqual([true, true]);
    const next = await spawnHost(stateDir);
    onTestFinished(async () => void (await next.kill('SIGKILL')));
    expect(pids.map(alive)).toEqual([false, false]);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)(
    'of a shell end with the host by %s',
    { timeout: 120_000 },
    async (signal) => {
      const host = await spawnHost(stateDir);
      onTestFinished(async () => void (await host.kill('SIGKILL')));
      const client = await connect({ url: host.url, token: host.token });
      onTestFinished(() => client.close());
      const cwd = join(stateDir, 'project');
      await mkdir(cwd);
      const session = await client.createSession({ provider: 'shell', workingDirectory: pathToFileURL(cwd).href });
      await session.ready();
      const deaf = `trap '' HUP INT TERM`;
      await session.send(`${deaf}; setsid sleep 600 & (${deaf}; echo re''ady; sleep 600)`);
      const [asked] = await until(session.pendingConfirmations, (list) => list.length > 0, 'the question', 30_000);
      await asked?.approve();
      const said = () => JSON.stringify(session.confirmed.value.activeTurn?.toolCalls ?? {});
      await until(session.confirmed, () => said().includes('ready'), 'the command', 30_000);
      const children = await childrenOf(host.pid);
      expect((await processesIn(cwd)).length).toBeGreaterThan(1);
      await host.kill(signal);
      if (signal !== 'SIGKILL') expect(await processesIn(cwd)).toEqual([]);
      await expect.poll(() => processesIn(cwd), { timeout: 30_000 }).toEqual([]);
      await expect.poll(() => children.filter(alive), { timeout: 30_000 }).toEqual([]);
    },
  );
});

it("have nothing of the host's environment", async () => {
  await writeAgents(stateDir, { stub: stubEntry(stateDir) });
  const secrets = {
    AGENTHOST_TOKEN: 'a-token-that-is-long-enough-for-us',
    OPENAI_API_KEY: 'sk-secret',
    DB_PASSWORD: 'secret',
  };
  const host = await spawnHost(stateDir, ['--state-dir', stateDir], secrets);
  onTestFinished(async () => void (await host.kill('SIGKILL')));
  const client = await connect({ url: host.url, token: host.token });
  onTestFinished(() => client.close());
  const seen = await say(await stubSession(client), 'env');
  expect(Object.keys(JSON.parse(seen) as object).sort()).toEqual(
    [
      'AGENTHOST_AGENT_OF',
      'AGENTHOST_AGENT_PROCESS',
      'AGENTHOST_SESSION',
      'HOME',
      'LANG',
      'PATH',
      'STUB_MEMORY',
    ].sort(),
  );
  for (const secret of Object.values(secrets)) expect(seen).not.toContain(secret);
});
