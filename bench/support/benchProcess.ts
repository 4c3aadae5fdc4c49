import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { childMessage } from './childMessage.ts';
import type { ServerAddress } from './requestClient.ts';

const CLI = join(import.meta.dirname, '../../apps/cli/dist/main.js');

/** A host doesn't know who started it: it would outlive a benchmark that fails or is stopped. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A server in a process of its own. What it uses is read from the system: it costs the process nothing. */
export class BenchProcess {
  readonly child: ChildProcess;
  readonly address: ServerAddress;
  readonly startMs: number;
  readonly #ownFolder: string | undefined;

  /** The host as users get it: `agenthost serve`, with the mock agent. It has its own state root by default. */
  static async startHost(
    stateDir?: string,
    args: readonly string[] = [],
    more: Readonly<Record<string, string>> = {},
  ): Promise<BenchProcess> {
    const ownFolder = stateDir === undefined ? mkdtempSync(join(tmpdir(), 'agenthost-bench-')) : undefined;
    const env = { ...process.env, AGENTHOST_HOME: stateDir ?? ownFolder, ...more };
    const start = performance.now();
    const child = spawn(
      process.execPath,
      [CLI, 'serve', '--port', '0', '--json', '--enable-mock-agent', '--snapshots', 'none', ...args],
      {
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    running.add(child);
    child.once('exit', () => running.delete(child));
    for await (const line of createInterface(child.stdout)) {
      const { event, link } = JSON.parse(line) as { event: string; link: string };
      if (event !== 'listening') continue;
      const { host, hash } = new URL(link);
      const token = new URLSearchParams(hash.slice(1)).get('token') ?? '';
      return new BenchProcess(child, { url: `ws://${host}/ws`, token }, performance.now() - start, ownFolder);
    }
    throw new Error('the host of the benchmark ended before it listened');
  }

  /** One of the programs beside this file. */
  static async start(file: string, args: readonly string[] = []): Promise<BenchProcess> {
    const start = performance.now();
    const child = fork(join(import.meta.dirname, file), args);
    const { url, token } = (await childMessage(child, 'listening')) as ServerAddress;
    return new BenchProcess(child, { url, token }, performance.now() - start, undefined);
  }

  private constructor(child: ChildProcess, address: ServerAddress, startMs: number, ownFolder: string | undefined) {
    this.child = child;
    this.address = address;
    this.startMs = startMs;
    this.#ownFolder = ownFolder;
  }

  /** Microseconds of CPU time so far, of all its threads. */
  cpu(): number {
    const threads = readdirSync(this.#at('task'));
    const times = threads.map((thread) => readFileSync(this.#at(`task/${thread}/schedstat`), 'utf8').split(' ')[0]);
    return times.reduce((sum, nanoseconds) => sum + Number(nanoseconds), 0) / 1_000;
  }

  /** Megabytes that are resident. */
  memory(): number {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(this.#at('status'), 'utf8')) ?? [];
    return (Number(kilobytes) * 1_024) / 1_000_000;
  }

  /** In good order, so that the next start finds what this one left. */
  async end(): Promise<void> {
    const exited = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await exited;
    this.#removeFolder();
  }

  /** For a `finally`: whatever state it is in. */
  kill(): void {
    this.child.kill('SIGKILL');
    this.#removeFolder();
  }

  #at(name: string): string {
    return join('/proc', String(this.child.pid), name);
  }

  #removeFolder(): void {
    if (this.#ownFolder !== undefined) rmSync(this.#ownFolder, { recursive: true, force: true, maxRetries: 5 });
  }
}
