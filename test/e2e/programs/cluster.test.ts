import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect } from '@agenthost/client';
import { expect, it } from 'vitest';
import { until } from '../../support/until.js';

const PROGRAM = join(import.meta.dirname, '../../../scripts/cluster.ts');
const LONG = 60_000;

interface Announced {
  readonly link: string;
  readonly hosts: readonly { readonly url: string; readonly pid: number; readonly instanceId: string }[];
}

it('npm run cluster: a session goes on when its host is killed, Ctrl+C ends all of it', {
  timeout: 3 * LONG,
}, async () => {
  // In a group of its own, so that it gets its signal as from a terminal.
  const program = spawn(process.execPath, [PROGRAM, '--json', '--enable-mock-agent'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), LANG: 'C.UTF-8' },
  });
  const exited = once(program, 'exit');
  try {
    const [line] = (await once(createInterface({ input: program.stdout }), 'line')) as [string];
    const { link, hosts } = JSON.parse(line) as Announced;
    expect(hosts).toHaveLength(3);
    const { origin, hash } = new URL(link);
    expect((await fetch(origin)).status).toBe(200);
    const client = await connect({ url: origin, token: hash.slice('#token='.length) });
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    const turn = async () => {
      const id = await session.send('hello');
      await until(session.confirmed, ({ turns }) => turns.some((ended) => ended.id === id), 'a turn', LONG);
    };
    await turn();
    // The host that the client is connected to has made the session.
    const first = client.serverInfo?.instanceId;
    const victim = hosts.find(({ instanceId }) => instanceId === first);
    if (!victim) throw new Error(`no host is ${first}`);
    process.kill(victim.pid, 'SIGKILL');
    await turn();
    expect(client.serverInfo?.instanceId).not.toBe(first);
    expect(session.confirmed.value.turns.map(({ state }) => state)).toEqual(['complete', 'complete']);
    client.close();
    process.kill(-(program.pid ?? 0), 'SIGINT');
    expect(await exited).toEqual([0, null]);
    for (const { pid } of hosts) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await expect(fetch(origin)).rejects.toThrow();
  } finally {
    if (program.exitCode === null) process.kill(-(program.pid ?? 0), 'SIGTERM');
    await exited;
  }
});
