import { randomUUID } from 'node:crypto';
import { access, constants, readdir } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { errorMessage } from '@agenthost/protocol/internal';
import { findProcesses } from '../../processes/processList.js';
import { DISPOSE_STAGES, stopProcesses } from '../../processes/stopProcesses.js';
import { type AgentInstall, findProgram } from '../install/agentInstall.js';
import { settleWithin } from '../settleWithin.js';
import { type CopilotClient, type CopilotClientOptions, loadSdk } from './sdk.js';

export interface CopilotProcessOptions {
  readonly install: AgentInstall;
  readonly cwd: string;
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly client: Omit<CopilotClientOptions, 'connection' | 'workingDirectory' | 'logLevel'>;
}

/** In the environment of everything that a session starts, so that processes outside of its group can be found. */
const MARKER = 'AGENTHOST_COPILOT_SESSION';
const STOP_MS = 2_000;
const LAUNCHER = join(import.meta.dirname, `launcher${extname(import.meta.filename)}`);

/** One process of Copilot's runtime, for one session. */
export class CopilotProcess {
  readonly client: CopilotClient;
  readonly #marker: string;
  #disposing: Promise<void> | undefined;

  static async start({ install, cwd, env, client }: CopilotProcessOptions): Promise<CopilotProcess> {
    const runtime = await findRuntime(install, env);
    if (runtime === undefined) throw new Error(`Copilot's runtime is not in ${install.path}: add the agent again.`);
    const sdk = await loadSdk(install);
    const marker = randomUUID();
    const connection = sdk.RuntimeConnection.forStdio({
      path: process.execPath,
      args: [LAUNCHER, runtime],
      env: { ...env, [MARKER]: marker },
    });
    const started = new CopilotProcess(
      new sdk.CopilotClient({ ...client, connection, workingDirectory: cwd, logLevel: 'error' }),
      `${MARKER}=${marker}`,
    );
    try {
      await started.client.start();
      return started;
    } catch (error) {
      await started.dispose();
      const why = errorMessage(error);
      throw new Error(`Copilot could not be started (${why}). Its own log is in ~/.copilot/logs.`, { cause: error });
    }
  }

  private constructor(client: CopilotClient, marker: string) {
    this.client = client;
    this.#marker = marker;
  }

  /** Resolves when none of its processes is left. A clean stop lets Copilot save its state. */
  dispose({ tidy = true } = {}): Promise<void> {
    this.#disposing ??= this.#dispose(tidy);
    return this.#disposing;
  }

  async #dispose(tidy: boolean): Promise<void> {
    if (tidy) await settleWithin(STOP_MS, this.client.stop());
    await stopProcesses(() => findProcesses({ marker: this.#marker }), DISPOSE_STAGES);
    await settleWithin(STOP_MS, this.client.forceStop());
  }
}

/** The runtime of the SDK, else a `copilot` on PATH. */
export async function findRuntime(
  { path }: AgentInstall,
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const scope = dirname(path);
  const prefix = `${basename(path)}-`;
  const platforms = (await readdir(scope).catch(() => [])).filter((name) => name.startsWith(prefix));
  for (const name of platforms) {
    const platform = name.slice(prefix.length);
    const program = process.platform === 'win32' ? 'copilot-runtime.exe' : 'copilot-runtime';
    const runtime = join(scope, name, 'prebuilds', platform, program);
    const found = await access(runtime, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return runtime;
  }
  return findProgram('copilot', env);
}
