import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '@agenthost/protocol/internal';
import type { HostLog } from '../../hostLog.js';
import { endMarked, ofStateRoot } from '../orphans/orphanAgents.js';
import { settleWithin } from '../settleWithin.js';
import { RunnerClient } from './runnerClient.js';
import { ENDED_FILE, type ProgramInfo, RECORD_FILE, RUNNER_MARK, type RunnerRecord } from './runnerProtocol.js';
import { SessionRunner } from './sessionRunner.js';

export interface AgentRunnerOptions {
  readonly stateDir: string;
  /** How long programs go on without a host. */
  readonly leaseMs: number;
  readonly log: HostLog;
}

/** The built program, also for tests that run the sources. */
const PROGRAM = join(import.meta.dirname.replace(/src(?=[\\/]agents[\\/]runner$)/, 'dist'), 'runnerProgram.js');
const START_MS = 10_000;
const END_MS = 5_000;

/** The runner of a state root, as its host uses it: started with the first program, found again after a crash of the host. */
export class AgentRunner {
  readonly #options: AgentRunnerOptions;
  readonly #folder: string;
  #client: Promise<RunnerClient> | undefined;
  /** There was one, and its connection has ended. */
  #wasLost = false;
  /** What was there when the host started, if there was a runner. */
  #found: readonly ProgramInfo[] | undefined;
  #endedByLease: readonly string[] = [];
  readonly #claimed = new Set<string>();
  #isDisposed = false;

  /** The host must hold the lock of the state root. Finds what an earlier host has left, or nothing. */
  static async open(options: AgentRunnerOptions): Promise<AgentRunner> {
    const runner = new AgentRunner(options);
    await runner.#find();
    return runner;
  }

  /** Ends what an earlier host has left. The caller must hold the lock of the state root. */
  static async endLeft(stateDir: string): Promise<void> {
    await endMarked(`${RUNNER_MARK}=${ofStateRoot(stateDir)}.`);
    await rm(join(stateDir, 'runner'), { recursive: true, force: true });
  }

  private constructor(options: AgentRunnerOptions) {
    this.#options = options;
    this.#folder = join(options.stateDir, 'runner');
  }

  /** For the programs of one session. */
  of(session: string): SessionRunner {
    const id = createHash('sha256').update(session).digest('hex').slice(0, 32);
    const isEndedByLease = this.#endedByLease.includes(id);
    return new SessionRunner({
      id,
      open: () => this.#open(),
      current: () => this.#client,
      left: () => this.#found?.find((program) => program.id === id),
      hasBeenThere: () => this.#found !== undefined,
      claim: () => this.#claimed.add(id),
      leaseMs: this.#options.leaseMs,
      isEndedByLease,
    });
  }

  /** After the sessions were recovered: ends programs that none of them goes on with. */
  async endUnclaimed(): Promise<void> {
    const client = await this.#client;
    const unclaimed = (this.#found ?? []).filter(({ id }) => !this.#claimed.has(id));
    for (const { id } of unclaimed) await client?.request({ type: 'end', id }).catch(() => {});
  }

  /** The host goes, and the runner and its programs stay for the next one. */
  async leave(): Promise<void> {
    this.#isDisposed = true;
    const client = await this.#client?.catch(() => undefined);
    client?.close();
  }

  /** Ends all programs and the runner. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    const client = await this.#client?.catch(() => undefined);
    if (!client) return;
    await client.request({ type: 'stop' }).catch(() => {});
    await settleWithin(END_MS, client.closed);
    client.close();
    await AgentRunner.endLeft(this.#options.stateDir);
  }

  async #find(): Promise<void> {
    const { log, stateDir } = this.#options;
    const record = await this.#record();
    const client =
      record && (await RunnerClient.connect(record).catch((error: unknown) => log.debug(errorMessage(error))));
    if (!client) {
      this.#endedByLease = await readFile(join(this.#folder, ENDED_FILE), 'utf8').then(idsIn, () => []);
      // One that can't be reached is of no use, and its programs are not asked by anyone.
      await AgentRunner.endLeft(stateDir);
      return;
    }
    this.#use(client);
    this.#found = client.found;
  }

  async #open(): Promise<RunnerClient> {
    if (this.#isDisposed) throw new Error('the host stops');
    const client = this.#client ?? this.#start();
    if (this.#client === undefined) {
      this.#client = client;
      client.catch(() => {
        if (this.#client === client) this.#client = undefined;
      });
    }
    return client;
  }

  async #start(): Promise<RunnerClient> {
    const { stateDir, leaseMs, log } = this.#options;
    const instance = randomUUID().slice(0, 8);
    const mark = `${ofStateRoot(stateDir)}.${instance}.`;
    // There is one runner at a time: its programs were told as ended.
    if (this.#wasLost) await AgentRunner.endLeft(stateDir);
    this.#wasLost = false;
    const child = spawn(process.execPath, [PROGRAM, this.#folder, mark, instance, String(leaseMs)], {
      stdio: ['ignore', 'pipe', 'ignore'],
      // In its own session: Ctrl+C of a terminal does not reach it.
      detached: true,
      env: { [RUNNER_MARK]: `${mark}runner.`, ...(process.env['TMPDIR'] && { TMPDIR: process.env['TMPDIR'] }) },
    });
    const ready = once(child.stdout, 'data', { signal: AbortSignal.timeout(START_MS) });
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('it ended at once')));
    ended.catch(() => {});
    try {
      await Promise.race([ready, ended]);
      const record = await this.#record();
      if (!record) throw new Error('it has not said where it is');
      const client = await RunnerClient.connect(record);
      this.#use(client);
      return client;
    } catch (error) {
      child.kill('SIGTERM');
      log.warn(`the runner of agents could not be started: ${errorMessage(error)}`);
      throw new Error(`The runner could not be started (${errorMessage(error)}).`, { cause: error });
    } finally {
      child.stdout.destroy();
      child.unref();
    }
  }

  #use(client: RunnerClient): void {
    const opened = Promise.resolve(client);
    this.#client = opened;
    void client.closed.then(() => {
      this.#wasLost = true;
      // The next program starts another one.
      if (this.#client === opened || this.#isDisposed) this.#client = undefined;
      this.#found = undefined;
    });
  }

  async #record(): Promise<RunnerRecord | undefined> {
    try {
      const { version, pid, instance, socket, secret }: Record<string, unknown> = Object(
        JSON.parse(await readFile(join(this.#folder, RECORD_FILE), 'utf8')),
      );
      if (typeof socket !== 'string' || typeof secret !== 'string' || typeof pid !== 'number') return undefined;
      return { version: Number(version), pid, instance: String(instance), socket, secret };
    } catch {
      return undefined;
    }
  }
}

function idsIn(text: string): string[] {
  const { ids }: { ids?: unknown } = Object(JSON.parse(text));
  return Array.isArray(ids) ? ids.map(String) : [];
}
