import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isGone } from '../../../packages/host/test/agents/support/processes.js';
import { openRunner, readProgram, runnerRecord, startProgram } from '../../support/agents/runnerWorld.js';
import { cleanupsOfTests } from '../../support/cleanups.js';
import { eventually } from '../../support/eventually.js';

const cleanups = cleanupsOfTests();
const open = (stateDir: string) => openRunner(cleanups, stateDir);

describe('the runner of agents', () => {
  it('lets a program wait that floods while no host is there, and loses nothing of it', {
    timeout: 60_000,
  }, async () => {
    const stateDir = await cleanups.folder();
    const bytes = 100_000_000;
    const first = await open(stateDir);
    const { pid = 0 } = await startProgram(first.of('flood'), `exec head -c ${bytes} /dev/zero`, false);
    await first.leave();
    const { pid: runner } = await runnerRecord(stateDir);
    const folder = join(stateDir, 'runner/programs');
    const journal = async () => {
      const [id = ''] = await readdir(folder);
      return (await stat(join(folder, id, 'out')).catch(() => ({ size: 0 }))).size;
    };
    let before = -1;
    await eventually('the program waits', async () => {
      const now = await journal();
      const isStill = now === before && now > 15_000_000;
      before = now;
      return isStill;
    });
    expect(isGone(pid)).toBe(false);
    expect(await journal()).toBeLessThan(20_000_000);
    expect(await residentBytes(runner)).toBeLessThan(120_000_000);
    const second = await open(stateDir);
    const all = await readProgram(second.of('flood'), 0);
    expect(all).toMatchObject({ bytes, exit: { exitCode: 0 } });
    expect(all.hash).toBe(createHash('sha256').update(Buffer.alloc(bytes)).digest('hex'));
    await second.dispose();
  });
});

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}
