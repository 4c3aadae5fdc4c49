import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const MAX_STALL_MS = 50;
/** A pause of the garbage collector, or a function that runs for the first time, does not come back; what a request costs does. */
const ATTEMPTS = 4;

/** How long a host's event loop was blocked, as the host itself measures it. */
export class HostStalls {
  readonly #folder: string;
  readonly #file: string;
  #seen = 0;

  static async create(): Promise<HostStalls> {
    const folder = await mkdtemp(join(tmpdir(), 'agenthost-stalls-'));
    const stalls = new HostStalls(folder);
    await writeFile(stalls.#file, '');
    return stalls;
  }

  private constructor(folder: string) {
    this.#folder = folder;
    this.#file = join(folder, 'stalls.txt');
  }

  /** For the host's process. */
  get env(): Readonly<Record<string, string>> {
    const probe = pathToFileURL(join(import.meta.dirname, 'stallProbe.mjs')).href;
    return { AGENTHOST_STALLS: this.#file, NODE_OPTIONS: `--import ${probe}` };
  }

  /**
   * What an attack costs in one piece, in ms: the least of several attempts, where the first ones take too long. What `prepare`
   * costs does not count; `settle` resolves when the host has come back to its event loop.
   */
  async of(
    attack: () => Promise<unknown>,
    settle: () => Promise<unknown>,
    prepare: () => Promise<unknown> = settle,
  ): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < ATTEMPTS && least > MAX_STALL_MS; attempt++) {
      await prepare();
      await this.#longest();
      await attack();
      await settle();
      least = Math.min(least, await this.#longest());
    }
    return least;
  }

  async dispose(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Since it was last asked. */
  async #longest(): Promise<number> {
    const lines = (await readFile(this.#file, 'utf8')).split('\n').filter((line) => line !== '');
    const fresh = lines.slice(this.#seen).map(Number);
    this.#seen = lines.length;
    return fresh.reduce((longest, ms) => Math.max(longest, ms), 0);
  }
}

/** Those of them that took too long, for an assertion that names each. */
export function tooLong(stalls: ReadonlyMap<string, number>): string[] {
  return [...stalls].flatMap(([attack, ms]) => (ms > MAX_STALL_MS ? [`${attack}: ${ms.toFixed(0)} ms`] : []));
}
