import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { findProcesses } from '../../processes/processList.js';
import { DISPOSE_STAGES, stopProcesses } from '../../processes/stopProcesses.js';
import { HostLock, LockHeldError } from '../../storage/stateRoot/hostLock.js';
import { agentEnvironment } from '../orphans/agentEnvironment.js';
import { orphanMark } from '../orphans/orphanAgents.js';
import { AGENTS_FOLDER, findProgram, resolveAgentInstall } from './agentInstall.js';
import type { AgentPackage } from './agentPackage.js';

interface AgentInstallerOptions {
  readonly stateDir: string;
  /** The host's own environment: where npm is, which registry it uses. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder with the agents' lock files. Defaults to those of the catalogue. */
  readonly locksFolder?: string;
}

export interface InstallProgress {
  readonly message: string;
  /** Packages fetched so far; the total is not known before the end. */
  readonly done?: number;
}

export class AgentInstallError extends Error {
  readonly what: string;
  readonly whatToDo: string | undefined;

  constructor(what: string, whatToDo?: string) {
    super(whatToDo === undefined ? what : `${what}\n${whatToDo}`);
    this.name = 'AgentInstallError';
    this.what = what;
    this.whatToDo = whatToDo;
  }
}

const MAX_ERROR_LINES = 20;
const PROGRESS_MS = 250;
const MARK = 'AGENTHOST_INSTALLS';

/**
 * Installs agents into `<state root>/agents/<provider>` and removes them. Lock files fix every dependency of the catalogue's
 * agents, and install scripts run only for the packages that an agent's entry names. An agent is installed in a folder beside its
 * place, which is renamed when it is complete. npm's cache is kept until then, so that an interrupted installation continues.
 */
export class AgentInstaller {
  readonly #stateDir: string;
  readonly #folder: string;
  readonly #env: AgentInstallerOptions['env'];
  readonly #locksFolder: string;

  constructor({ stateDir, env, locksFolder = AGENT_LOCKS_FOLDER }: AgentInstallerOptions) {
    this.#locksFolder = locksFolder;
    this.#stateDir = stateDir;
    this.#folder = join(stateDir, AGENTS_FOLDER);
    this.#env = env;
  }

  async install(
    provider: string,
    agent: AgentPackage,
    options: { readonly signal?: AbortSignal; readonly onProgress?: (progress: InstallProgress) => void } = {},
  ): Promise<void> {
    const { signal, onProgress } = options;
    signal?.throwIfAborted();
    const npm = await findNpm(this.#env);
    if (!npm) {
      throw new AgentInstallError(`npm was not found, and it is npm that fetches agents. Install Node.js with npm.`);
    }
    await this.#locked(provider, async () => {
      const draft = this.#place(`.${provider}.new`);
      const cache = this.#place(`.${provider}.cache`);
      await rm(draft, { recursive: true, force: true });
      await mkdir(draft, { recursive: true, mode: 0o700 });
      const { name, version, scripts = [] } = agent;
      await writeFile(
        join(draft, 'package.json'),
        JSON.stringify({ private: true, dependencies: { [name]: version } }),
      );
      const lock = await readAgentLock(this.#locksFolder, provider, agent);
      if (lock !== undefined) await writeFile(join(draft, 'package-lock.json'), lock);
      const what = `${name}@${version}`;
      onProgress?.({ message: `Fetching ${what}`, done: 0 });
      const flags = ['--no-audit', '--no-fund', '--omit=dev', '--loglevel=http', `--cache=${cache}`];
      const env = { ...npm.env, ...orphanMark(this.#stateDir) };
      const run = (...args: readonly string[]) =>
        runNpm({ npm: { ...npm, env }, args: [...args, ...flags], cwd: draft, signal, onProgress });
      try {
        await run('install', '--ignore-scripts');
        if (scripts.length > 0) await run('rebuild', '--ignore-scripts=false', ...scripts);
      } catch (error) {
        await rm(draft, { recursive: true, force: true });
        throw signal?.aborted ? signal.reason : error;
      }
      await this.#replace(provider, draft);
      await rm(cache, { recursive: true, force: true });
      const installed = await resolveAgentInstall(this.#folder, provider, agent.name);
      if (!installed) throw new AgentInstallError(`npm installed ${what}, but it is not there. Try again.`);
      onProgress?.({ message: `Installed ${what}` });
    });
  }

  /** Whether there was something to remove. */
  async remove(provider: string): Promise<boolean> {
    return this.#locked(provider, async () => {
      const gone = this.#place(`.${provider}.${randomUUID()}.old`);
      const had = await rename(this.#place(provider), gone).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return false;
          throw error;
        },
      );
      for (const left of [gone, this.#place(`.${provider}.new`), this.#place(`.${provider}.cache`)]) {
        await rm(left, { recursive: true, force: true });
      }
      return had;
    });
  }

  /** Removes what an unfinished installation left. */
  async discard(provider: string): Promise<void> {
    await this.#locked(provider, async () => {
      for (const left of [this.#place(`.${provider}.new`), this.#place(`.${provider}.cache`)])
        await rm(left, { recursive: true, force: true });
    });
  }

  async #replace(provider: string, draft: string): Promise<void> {
    const old = this.#place(`.${provider}.${randomUUID()}.old`);
    await rename(this.#place(provider), old).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await rename(draft, this.#place(provider));
    await rm(old, { recursive: true, force: true });
  }

  /** Two installations of one agent, e.g. by two commands, would use the same folder. */
  async #locked<T>(provider: string, work: () => Promise<T>): Promise<T> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    let lock: HostLock;
    try {
      lock = await HostLock.take(this.#place(`.${provider}.lock`));
    } catch (error) {
      if (!(error instanceof LockHeldError)) throw error;
      const who = error.holder === undefined ? '' : ` (process ${error.holder.pid})`;
      throw new AgentInstallError(`${provider} is being installed or removed already${who}. Wait until that is done.`);
    }
    try {
      return await work();
    } finally {
      await lock.release();
    }
  }

  #place(name: string): string {
    return join(this.#folder, name);
  }
}

async function runNpm(options: {
  readonly npm: NpmCommand;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: InstallProgress) => void) | undefined;
}): Promise<void> {
  const { npm, args, cwd, signal, onProgress } = options;
  signal?.throwIfAborted();
  const id = randomUUID();
  const child = spawn(npm.path, [...npm.args, ...args], {
    cwd,
    env: { ...npm.env, [MARK]: id },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  // A child that has just been started has no mark yet.
  const own = () =>
    child.pid !== undefined && child.exitCode === null && child.signalCode === null ? [child.pid] : [];
  const find = async () => [...new Set([...own(), ...(await findProcesses({ marker: `${MARK}=${id}` }))])];
  let stopping: Promise<boolean> | undefined;
  const stop = () => {
    stopping = stopProcesses(find, DISPOSE_STAGES);
  };
  signal?.addEventListener('abort', stop, { once: true });
  const errors: string[] = [];
  let done = 0;
  let told = 0;
  const lines = createInterface({ input: child.stderr });
  lines.on('line', (raw) => {
    const line = stripVTControlCharacters(raw).slice(0, 500);
    if (/^npm error/.test(line)) errors.push(line.replace(/^npm error\s*/, ''));
    if (errors.length > MAX_ERROR_LINES) errors.shift();
    if (!/^npm http (fetch|cache) .*\.tgz/.test(line)) return;
    done++;
    if (performance.now() - told < PROGRESS_MS) return;
    told = performance.now();
    onProgress?.({ message: `Fetched ${done} packages`, done });
  });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    // Its children may outlive it, and write to the folder.
    await stopping;
    signal?.throwIfAborted();
    if (code === 0) return;
    const said = errors.join('\n').trim();
    const reason = said === '' ? `it ended with ${code}` : said;
    throw new AgentInstallError(
      `npm could not install it: ${reason}`,
      'Check the network and the registry that npm is set to, then try again.',
    );
  } finally {
    signal?.removeEventListener('abort', stop);
    lines.close();
  }
}

const LOOK_UP_MS = 20_000;

/** The newest released version of a package, by the registry that npm uses; `undefined` when that can't be found out. */
export async function newestVersion(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const npm = await findNpm(env);
  if (!npm) return undefined;
  return new Promise((resolve) => {
    const args = [...npm.args, 'view', `${name}@latest`, 'version', '--json', '--fetch-retries=0'];
    const options = { env: npm.env, cwd: tmpdir(), timeout: LOOK_UP_MS, killSignal: 'SIGKILL', signal } as const;
    execFile(npm.path, args, options, (error, stdout) => {
      const version = error ? undefined : /^\s*"(\d+\.\d+\.\d+)"\s*$/.exec(stdout)?.[1];
      resolve(version);
    });
  });
}

interface NpmCommand {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Variables that npm needs beyond those of agents: the registry and the proxy. */
const PASSED_ON = /^(npm_config_.*|https?_proxy|no_proxy|all_proxy|node_extra_ca_certs|ssl_cert_(file|dir))$/i;

/** Finds npm on PATH, or beside the Node that runs the host. */
async function findNpm(env: Readonly<Record<string, string | undefined>>): Promise<NpmCommand | undefined> {
  const passed = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && PASSED_ON.test(name) ? [[name, value] as const] : [],
  );
  const npmEnv = { ...agentEnvironment(env), ...Object.fromEntries(passed) };
  const path = await findProgram('npm', env);
  if (path !== undefined) return { path, args: [], env: npmEnv };
  const script = join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js');
  const isThere = await access(script).then(
    () => true,
    () => false,
  );
  return isThere ? { path: process.execPath, args: [script], env: npmEnv } : undefined;
}

export const AGENT_LOCKS_FOLDER = join(import.meta.dirname, '../../../agent-locks');

/**
 * Reads the npm lock file of a catalogue agent, with the version and checksum of every package. Returns `undefined` when there
 * is none for this package and version. `npm run agent-locks` writes these files.
 */
export async function readAgentLock(
  folder: string,
  provider: string,
  { name, version }: AgentPackage,
): Promise<string | undefined> {
  const text = await readFile(join(folder, `${provider}.json`), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { packages } = JSON.parse(text) as { packages: { '': { dependencies: Record<string, string> } } };
  return packages[''].dependencies[name] === version ? text : undefined;
}
