import { readFile } from 'node:fs/promises';

/** In MiB, of a process on Linux: what it holds now, or the most that it ever held. */
export async function hostMemory(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
}
