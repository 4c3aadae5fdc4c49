import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preload } from '../faults/support/alteredHost.js';

/** One look at the host's process: what is left after its garbage was collected, and what it has open. */
export interface Sample {
  readonly seconds: number;
  readonly heapMiB: number;
  readonly rssMiB: number;
  readonly files: number;
}

const EVERY_MS = 1_000;
const MIB = 1024 * 1024;

/** Lines that run in the host's process and write down how it is. It is the only one who can collect its garbage. */
export class HostProbe {
  readonly samples: Sample[] = [];
  readonly #file = join(tmpdir(), `agenthost-probe-${crypto.randomUUID()}.json`);
  #timer: NodeJS.Timeout | undefined;

  get environment(): Readonly<Record<string, string>> {
    return preload(`
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
// The thread that searches loads this as well.
if (isMainThread) {
setFlagsFromString('--expose-gc');
const [gc, file] = [runInNewContext('gc'), ${JSON.stringify(this.#file)}];
setInterval(() => {
  gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  const files = readdirSync('/proc/self/fd').length;
  writeFileSync(file + '.tmp', JSON.stringify({ seconds: process.uptime(), heapMiB: (heapUsed + external) / ${MIB}, rssMiB: rss / ${MIB}, files }));
  renameSync(file + '.tmp', file);
}, ${EVERY_MS}).unref();
}`);
  }

  start(): void {
    this.#timer = setInterval(() => void this.#take(), EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await rm(this.#file, { force: true });
  }

  async #take(): Promise<void> {
    const text = await readFile(this.#file, 'utf8').catch(() => undefined);
    const sample = text === undefined ? undefined : (JSON.parse(text) as Sample);
    if (sample && sample.seconds > (this.samples.at(-1)?.seconds ?? 0)) this.samples.push(sample);
  }
}

/** Per minute: the median of the slopes between all pairs, so that a few busy moments don't count. */
export function slopePerMinute(samples: readonly Sample[], value: (sample: Sample) => number): number {
  const slopes = samples.flatMap((a, n) =>
    samples.slice(n + 1).map((b) => (60 * (value(b) - value(a))) / (b.seconds - a.seconds)),
  );
  return median(slopes);
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
