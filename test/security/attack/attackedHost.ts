import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { hostMemory } from '../../support/hostMemory.js';
import { RawClient, socketUrl } from '../../support/rawClient.js';
import { type HostProcess, type SpawnOptions, spawnHost, temporaryFolder } from '../../support/testHost.js';

/** What the host may hold at its peak, in MiB, and how long other clients may wait, in ms, under any attack. */
const MAX_PEAK_MIB = 512;
const MAX_PING_P99_MS = 50;
/** Of fewer pings the 99th percentile is simply the slowest one, which says more about the machine than about the host. */
const MIN_WINDOW_MS = 2_000;

/** In ms. */
interface PingTimes {
  readonly host: readonly number[];
  /** Without the time in which its thread wanted a processor and others had them all. */
  readonly own: readonly number[];
  readonly control: readonly number[];
}

/**
 * The real command with default limits, in a process of its own, and a bystander that pings it all the time. Each attack runs in
 * `during`, which prints and bounds the peak of the host's memory and the bystander's 99th percentile.
 */
export class AttackedHost {
  readonly host: HostProcess;
  readonly stateDir: string;
  readonly #bystander: ChildProcess;

  /** `prepare` puts files into the state folder first. */
  static async start(
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
    limits: SpawnOptions = {},
    prepare: (stateDir: string) => Promise<void> = async () => {},
  ): Promise<AttackedHost> {
    const stateDir = await temporaryFolder();
    await prepare(stateDir);
    const host = await spawnHost(stateDir, ['--state-dir', stateDir, ...args], env, limits);
    const address = JSON.stringify({ url: socketUrl(host.url), token: host.token, pid: host.pid });
    const bystander = fork(join(import.meta.dirname, 'bystander.mjs'), [address]);
    await once(bystander, 'message');
    return new AttackedHost(host, stateDir, bystander);
  }

  private constructor(host: HostProcess, stateDir: string, bystander: ChildProcess) {
    this.host = host;
    this.stateDir = stateDir;
    this.#bystander = bystander;
  }

  /** A token for a device of that role, which the host knows when this resolves. */
  async addToken(role: 'viewer' | 'approver' | 'driver', name: string): Promise<string> {
    const token = await new DeviceTokens(this.stateDir).add(name, role);
    for (;;) {
      // The host takes its time to refuse a token that it does not know yet.
      const client = await RawClient.open({ url: this.host.url, token }).catch(() => undefined);
      await client?.end();
      if (client) return token;
    }
  }

  async during<T>(attack: string, run: () => Promise<T>): Promise<T> {
    // "5" sets the peak back to what the process holds now.
    await writeFile(`/proc/${this.host.pid}/clear_refs`, '5');
    await this.#ask('begin');
    const [result] = await Promise.all([run(), pause(MIN_WINDOW_MS)]);
    const times = await this.#ask('end');
    const peak = await hostMemory(this.host.pid, 'VmHWM');
    const [p99, own, control] = [times.host, times.own, times.control].map((each) => percentile(each, 0.99));
    const printed = [p99, own, control].map((ms) => `${ms?.toFixed(1)} ms`);
    console.log(
      `${attack}: peak ${peak.toFixed(0)} MiB, ping p99 ${printed[0]} (the host's own ${printed[1]}, control ${printed[2]})`,
    );
    expect(peak, `peak memory in MiB under: ${attack}`).toBeLessThanOrEqual(MAX_PEAK_MIB);
    // Other processes may have the processors: the time in which the host could not run is not its own, and the control, which
    // the same process pings at the same time, tells how much of the rest is the machine's.
    expect(own, `ping p99 in ms under: ${attack}`).toBeLessThanOrEqual(MAX_PING_P99_MS + 3 * (control ?? 0));
    return result;
  }

  async dispose(): Promise<void> {
    this.#bystander.kill();
    await this.host.kill('SIGKILL');
    await rm(this.stateDir, { recursive: true, force: true });
  }

  /** What was measured since `begin`. */
  async #ask(command: 'begin' | 'end'): Promise<PingTimes> {
    const answered = once(this.#bystander, 'message');
    const died = once(this.#bystander, 'exit').then(() => {
      throw new Error('the bystander lost its connection: the host has gone or cut it off');
    });
    died.catch(() => {});
    this.#bystander.send(command);
    const [times] = (await Promise.race([answered, died])) as [PingTimes];
    return times;
  }
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
