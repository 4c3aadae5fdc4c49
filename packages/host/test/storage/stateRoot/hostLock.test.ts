import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isSameProcess, processStart } from '../../../src/processes/processStat.js';
import { HostLock } from '../../../src/storage/stateRoot/hostLock.js';
import type { LockHolder } from '../../../src/storage/stateRoot/lockHolder.js';
import { startProcess } from '../sourceProcess.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-lock-'));
  path = join(folder, 'host.lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The id of a process that has ended, and was waited for. */
function deadPid(): number {
  return spawnSync('true').pid;
}

function holder(changes: Partial<LockHolder> = {}): string {
  const { processStart, ...rest } = {
    pid: deadPid(),
    startedAt: 1,
    instanceId: 'before',
    machine: hostname(),
    ...changes,
  };
  return JSON.stringify({ ...rest, ...(processStart !== undefined && { processStart }) });
}

// 2026-11-15: when a process began is read from /proc.
const linuxOnly = it.runIf(process.platform === 'linux');

describe('the lock of a state root', () => {
  it('names its holder, since when, and the address', async () => {
    const lock = await HostLock.take(path, { now: 1_700_000_000_000 });
    await lock.update({ url: 'http://127.0.0.1:4711' });
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({
      pid: process.pid,
      startedAt: 1_700_000_000_000,
      instanceId: lock.holder.instanceId,
      url: 'http://127.0.0.1:4711',
    });
    await expect(HostLock.take(path)).rejects.toMatchObject({
      code: 'LOCKED',
      holder: { pid: process.pid },
      message: `another host runs here: process ${process.pid}, since 2023-11-14T22:13:20.000Z, at http://127.0.0.1:4711`,
    });
    await lock.release();
    expect(await readdir(folder)).toEqual([]);
    const next = await HostLock.take(path);
    expect(next.tookOver).toBe(false);
    await next.release();
  });

  it('is taken over from a dead process', async () => {
    await writeFile(path, holder());
    const lock = await HostLock.take(path);
    expect(lock.tookOver).toBe(true);
    expect(await readdir(folder)).toEqual(['host.lock']);
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ instanceId: lock.holder.instanceId });
  });

  it('is not released by a former holder', async () => {
    const lock = await HostLock.take(path);
    await writeFile(path, holder({ pid: process.pid, instanceId: 'other' }));
    await lock.release();
    await lock.release();
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ instanceId: 'other' });
  });

  linuxOnly('is taken over when the process id belongs to another process now', async () => {
    await writeFile(path, holder({ pid: process.pid, processStart: 'another boot/123' }));
    await HostLock.take(path);
    const start = await processStart(process.pid);
    expect(start).toBeDefined();
    await writeFile(path, holder({ pid: process.pid, ...(start !== undefined && { processStart: start }) }));
    await expect(HostLock.take(path)).rejects.toMatchObject({ code: 'LOCKED' });
  });

  it('of another machine counts, and its error says what to do', async () => {
    await writeFile(path, holder({ machine: 'elsewhere' }));
    await expect(HostLock.take(path)).rejects.toThrow(/on elsewhere.*if it no longer runs, remove .*host\.lock/);
  });

  it("of another user's process counts", async () => {
    // Process 1 is always there.
    expect(await isSameProcess(1, undefined)).toBe(true);
    await writeFile(path, holder({ pid: 1 }));
    await expect(HostLock.take(path)).rejects.toMatchObject({ code: 'LOCKED' });
  });

  it.each(['', '{', '[]', 'null', '{"pid":"1"}', '{"pid":-1,"startedAt":1,"instanceId":"x","machine":"m"}', '\0\0\0'])(
    'with the content %j counts as being written, and after a while as left by a power cut',
    async (content) => {
      await writeFile(path, content);
      await expect(HostLock.take(path)).rejects.toMatchObject({ code: 'LOCKED' });
      await utimes(path, 1, 1);
      await HostLock.take(path);
      expect(await readdir(folder)).toEqual(['host.lock']);
    },
  );

  it('with a path as its id affects no other file', async () => {
    await writeFile(path, holder({ instanceId: '../../x' }));
    await utimes(path, 1, 1);
    await HostLock.take(path);
    expect(await readdir(folder)).toEqual(['host.lock']);
  });

  it('is taken over also after other processes died while they took it over', async () => {
    await writeFile(path, holder());
    await writeFile(`${path}.before`, holder({ instanceId: 'second' }));
    await writeFile(`${path}.before.second`, holder({ instanceId: 'third' }));
    await HostLock.take(path);
    expect(await readdir(folder)).toEqual(['host.lock']);
  });

  it('is not taken from a process that is just taking it over', async () => {
    await writeFile(path, holder());
    const taking = holder({ pid: process.pid, instanceId: 'second' });
    await writeFile(`${path}.before`, taking);
    await expect(HostLock.take(path)).rejects.toMatchObject({ code: 'LOCKED' });
    expect((await readdir(folder)).sort()).toEqual(['host.lock', 'host.lock.before']);
  });

  it('is held by exactly one of many in this process', async () => {
    for (let round = 0; round < 50; round++) {
      if (round % 2) await writeFile(path, holder());
      const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => HostLock.take(path)));
      const locks = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      expect(locks).toHaveLength(1);
      await locks[0]?.release();
      expect(await readdir(folder)).toEqual([]);
    }
  });

  it('is held by exactly one of many processes that take it, or take it over, at the same moment', async () => {
    const rounds = 60;
    for (let round = 0; round < rounds; round++) {
      const file = join(folder, `lock-${round}`);
      if (round % 3 > 0) await writeFile(file, holder({ instanceId: `stale-${round}` }));
      if (round % 3 > 1) await writeFile(`${file}.stale-${round}`, holder({ instanceId: `claim-${round}` }));
    }
    const startAt = Date.now() + 1_500;
    const others = Array.from({ length: 6 }, () =>
      startProcess(new URL('./lockingProcess.ts', import.meta.url), [folder, String(rounds), String(startAt), '15']),
    );
    const outcomes: { round: number; outcome: string; pid: number }[] = [];
    await Promise.all(
      others.map(async (other) => {
        for (let round = 0; round < rounds; round++) outcomes.push(JSON.parse(await other.nextLine()));
      }),
    );
    for (let round = 0; round < rounds; round++) {
      const found = outcomes.filter((entry) => entry.round === round).map(({ outcome }) => outcome);
      expect(found.sort(), `round ${round}`).toEqual([...Array(5).fill('LOCKED'), 'taken']);
      const { pid } = JSON.parse(await readFile(join(folder, `lock-${round}`), 'utf8'));
      expect(outcomes).toContainEqual({ round, outcome: 'taken', pid });
    }
    await Promise.all(others.map((other) => other.end('SIGKILL')));
    // Nothing but the locks is left.
    expect(await readdir(folder)).toHaveLength(rounds);
  });
});
