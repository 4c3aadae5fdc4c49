import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isGone } from '../../../packages/host/test/agents/support/processes.js';
import { openRunner, readProgram, runnerRecord, startProgram } from '../../support/agents/runnerWorld.js';
import { cleanupsOfTests } from '../../support/cleanups.js';
import { eventually } from '../../support/eventually.js';

const cleanups = cleanupsOfTests();
const open = (stateDir: string, leaseMs?: number) => openRunner(cleanups, stateDir, leaseMs);

describe('the runner of agents', () => {
  it('goes on without a host, and gives each byte to the next one exactly once', async () => {
    const stateDir = await cleanups.folder();
    const first = await open(stateDir);
    const lines = 'i=0; while [ $i -lt 3000 ]; do echo "Zeile $i äöü €"; i=$((i+1)); done; exit 3';
    const program = await startProgram(first.of('one'), lines);
    const expected = Array.from({ length: 3_000 }, (_, i) => `Zeile ${i} äöü €\r\n`).join('');
    let taken = '';
    const followed = await first.of('one').follow(program, 0, (bytes) => {
      taken += bytes.toString('latin1');
    });
    await eventually('some bytes', () => taken.length > 1_000);
    followed.stored(500);
    await first.leave();
    const second = await open(stateDir);
    // Nobody has stored more than that.
    const from = Math.min(taken.length, 777);
    const rest = await readProgram(second.of('one'), from);
    expect(taken.slice(0, from) + rest.text).toBe(Buffer.from(expected).toString('latin1'));
    expect(rest.exit).toMatchObject({ exitCode: 3 });
    expect(second.of('one').left).toMatchObject({ note: { step: 2 } });
    await second.dispose();
    expect(await readdir(stateDir)).toEqual([]);
  });

  it('ends its programs when no host comes within the lease, and says so to the next one', async () => {
    const stateDir = await cleanups.folder();
    const first = await open(stateDir, 500);
    const { pid = 0 } = await startProgram(first.of('one'), 'trap "" TERM HUP; sleep 1000; sleep 1000');
    const { pid: runner } = await runnerRecord(stateDir);
    await first.leave();
    await eventually('the end', () => isGone(pid) && isGone(runner));
    const second = await open(stateDir, 600_000);
    expect(second.of('one').left).toBeUndefined();
    expect(second.of('one').whyNothing).toContain('was away for more than');
    expect(second.of('two').whyNothing).toBeUndefined();
  });

  it('takes its programs with it when it is killed, also one that has left its session', async () => {
    const stateDir = await cleanups.folder();
    const host = await open(stateDir);
    const pids = join(stateDir, 'pids');
    const program = await startProgram(
      host.of('one'),
      `setsid sh -c 'echo $$ > ${pids}; exec sleep 1000' & sleep 1000`,
    );
    const daemon = async () => Number(await readFile(pids, 'utf8').catch(() => '0'));
    await eventually('the daemon', async () => (await daemon()) > 0);
    const left = await daemon();
    const { pid = 0 } = program;
    const followed = await host.of('one').follow(program, 0, () => {});
    process.kill((await runnerRecord(stateDir)).pid, 'SIGKILL');
    await expect(followed.exited).rejects.toThrow('it has ended');
    await eventually('the end', () => isGone(pid) && isGone(left));
    // The next program has another runner.
    await startProgram(host.of('one'), 'true');
    await host.dispose();
  });

  it.each(['', 'a-path-that-is-too-long-for-a-socket/'.repeat(4)])(
    'is reached by its own user only: %s',
    async (below) => {
      const stateDir = join(await cleanups.folder(), below);
      const host = await open(stateDir);
      const { pid = 0 } = await startProgram(host.of('one'), 'sleep 1000');
      const { socket } = await runnerRecord(stateDir);
      expect((await stat(socket)).mode & 0o777).toBe(0o600);
      expect((await stat(join(stateDir, 'runner/runner.json'))).mode & 0o777).toBe(0o600);
      await host.dispose();
      expect(isGone(pid)).toBe(true);
      await expect(stat(socket)).rejects.toThrow('ENOENT');
    },
  );
});
