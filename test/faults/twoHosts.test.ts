import { spawnSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '@agenthost/client';
import { describe, expect, it } from 'vitest';
import { type HostProcess, spawnHost, temporaryFolder } from '../support/testHost.js';
import { altered } from './support/alteredHost.js';
import { amount, isWhole, LONG_MS } from './support/amount.js';

const ROUNDS = amount('rounds', { smoke: 1, full: 20 });
const AT_ONCE = 3;

interface LockModule {
  readonly HostLock: { take: (path: string, options?: object) => Promise<unknown> };
}

/** The id of a process that has ended, and was waited for. */
function deadPid(): number {
  return spawnSync('true').pid;
}

/** Several start at once on one state root, on which the last one was killed: one has it, and the others say who. */
async function race(rounds: number, env: Readonly<Record<string, string>> = {}): Promise<number> {
  const stateDir = await temporaryFolder();
  let running: HostProcess[] = [];
  let refused = 0;
  try {
    for (let round = 1; round <= rounds; round++) {
      const starts = await Promise.allSettled(
        Array.from({ length: AT_ONCE }, () => spawnHost(stateDir, ['--state-dir', stateDir], env)),
      );
      running = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
      expect(running.length, `round ${round}: hosts on one state root`).toBe(1);
      const [host] = running;
      for (const start of starts) {
        if (start.status === 'fulfilled') continue;
        refused++;
        // At the moment of a takeover from the dead host, the new holder is not known yet.
        expect(String(start.reason)).toMatch(/another host runs here: process \d+, since|being taken by another host/);
      }
      // Who comes when it runs is told everything.
      const late = await spawnHost(stateDir, ['--state-dir', stateDir], env).catch((error: unknown) => String(error));
      expect(late).toContain(`another host runs here: process ${host?.pid},`);
      expect(late).toContain(host?.url.href);
      refused++;
      const client = await connect({ url: host?.url ?? '', token: host?.token ?? '' });
      await client.ping();
      client.close();
      await host?.kill('SIGKILL');
    }
    return refused;
  } finally {
    await Promise.all(running.map((host) => host.kill('SIGKILL')));
    await rm(stateDir, { recursive: true, force: true });
  }
}

describe('several hosts on one state root', { timeout: LONG_MS }, () => {
  it('one holds it, the others refuse to start and say who holds it', async () => {
    const refused = await race(ROUNDS);
    console.info(`${ROUNDS} races of ${AT_ONCE} hosts and a late one: ${refused} refused, 0 let in beside another`);
    expect(refused).toBe(ROUNDS * AT_ONCE);
  });

  it('refuses to start beside a host whose process can not be seen from here, as in another container', async () => {
    const stateDir = await temporaryFolder();
    const host = await spawnHost(stateDir);
    try {
      const path = join(stateDir, 'host.lock');
      const written = JSON.parse(await readFile(path, 'utf8')) as object;
      await writeFile(path, JSON.stringify({ ...written, pid: deadPid() }));
      await expect(spawnHost(stateDir)).rejects.toThrow(/another host runs here: process \d+, since .* at http/);
      const client = await connect({ url: host.url, token: host.token });
      await client.ping();
      client.close();
      await host.kill('SIGKILL');
      // The kernel's lock goes with its process.
      await (await spawnHost(stateDir)).kill('SIGTERM');
    } finally {
      await host.kill('SIGKILL');
      await rm(stateDir, { recursive: true, force: true });
    }
  });

  it.runIf(isWhole)('which hosts that do not look at the lock do not pass', async () => {
    const blind = altered('storage/stateRoot/hostLock.js', ({ HostLock }: LockModule) => {
      const { take } = HostLock;
      HostLock.take = (path) => take.call(HostLock, `${path}-${Math.random()}`);
    });
    // Several run, or all but one end because of what the others do to their files: neither is a refusal that names the holder.
    await expect(race(1, blind)).rejects.toThrow(/hosts on one state root|the host ended bef/);
  });
});
