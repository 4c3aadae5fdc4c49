import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import { findProcesses } from '../../src/processes/processList.js';

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return { ...real, readdir: vi.fn(real.readdir) };
});

// 2026-11-15: elsewhere `ps` lists them.
it.runIf(process.platform === 'linux')('concurrent callers share a scan, and each gets its own result', async () => {
  const marks = Array.from({ length: 4 }, () => randomUUID());
  const children = marks.map((mark) => {
    const env = { MARK: mark, PATH: process.env['PATH'] };
    // A child of its own, which has the mark from it.
    return spawn('/bin/sh', ['-c', 'echo up; sleep 600 & wait'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
  });
  try {
    await Promise.all(children.map(({ stdout }) => once(stdout, 'data')));
    vi.mocked(readdir).mockClear();
    const asked = [...marks, ...marks, 'nobody has this'].map((mark) => findProcesses({ marker: `MARK=${mark}` }));
    const found = await Promise.all(asked);
    expect(found.slice(0, 4).map((pids, n) => pids.includes(children[n]?.pid ?? -1))).toEqual([true, true, true, true]);
    const all = found.slice(0, 4).flat();
    expect(new Set(all).size).toBe(all.length);
    expect(found.slice(4, 8).map((pids) => pids.toSorted())).toEqual(found.slice(0, 4).map((pids) => pids.toSorted()));
    expect(found[8]).toEqual([]);
    expect(vi.mocked(readdir).mock.calls.length).toBeLessThanOrEqual(2);
    // What begins later is seen by a later look.
    const [first] = children;
    process.kill(-(first?.pid ?? 0), 'SIGKILL');
    await once(first ?? process, 'exit');
    await expect.poll(() => findProcesses({ marker: `MARK=${marks[0]}` })).toEqual([]);
  } finally {
    for (const { pid } of children) {
      try {
        process.kill(-(pid ?? 0), 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
  }
});
