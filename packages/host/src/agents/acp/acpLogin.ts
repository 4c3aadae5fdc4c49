import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import type { AgentKeySupport, AgentLoginSupport, LoginFacts, LoginProgram } from '../agentLogin.js';
import { isLoginRequired } from '../agentLogin.js';
import { emptyFolder } from '../login/emptyFolder.js';
import { readKey } from '../login/keyFile.js';
import { agentEnvironment } from '../orphans/agentEnvironment.js';
import type { AcpAgentSpec } from './acpAgentSpec.js';
import { type FoundProgram, findNamedProgram } from './program.js';
import type { Initialized } from './updateSchemas.js';

type AuthMethod = NonNullable<Initialized['authMethods']>[number];

interface AcpLoginOptions {
  readonly stateDir: string;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly spec: () => AcpAgentSpec;
  readonly findAgent: () => Promise<FoundProgram | undefined>;
  /** Opens a session in that folder, and closes it. Rejects with why it can't. */
  readonly tryToOpen: (folder: string, signal: AbortSignal) => Promise<void>;
}

const STATUS_MS = 10_000;

/** Log-ins of an ACP agent: the programs of its spec, else the terminal method that it offers itself; a key in its environment. */
export class AcpLogin implements AgentLoginSupport {
  readonly #options: AcpLoginOptions;
  #offered: AuthMethod | undefined;

  constructor(options: AcpLoginOptions) {
    this.#options = options;
  }

  get key(): AgentKeySupport | undefined {
    return this.#options.spec().key;
  }

  /** What the agent offered when it was started. */
  offers(methods: readonly AuthMethod[] | undefined): void {
    this.#offered = methods?.find(({ type }) => type === 'terminal');
  }

  async facts(): Promise<LoginFacts> {
    const { key } = this.#options.spec();
    const source = await this.#source();
    const [login, logout] = [await this.program('login'), await this.program('logout')];
    return {
      ...(source && { source }),
      ...(login && { command: login.shown }),
      ...(key && { key: { variable: key.variable, isChecked: key.check !== undefined } }),
      ...((source === 'key' || logout) && { canLogOut: true as const }),
    };
  }

  async check(signal: AbortSignal): Promise<'ready' | 'needed' | 'unknown'> {
    const { statusProgram } = this.#options.spec();
    const folder = await emptyFolder(this.#options.stateDir);
    try {
      // With a key, the agent's own log-in does not matter.
      const isOwn = statusProgram !== undefined && (await this.#source()) === undefined;
      const status = isOwn ? await this.#named(statusProgram) : undefined;
      if (status) return (await hasSucceeded(status, folder.path, signal)) ? 'ready' : 'needed';
      await this.#options.tryToOpen(folder.path, signal);
      return 'ready';
    } catch (error) {
      return isLoginRequired(error) ? 'needed' : 'unknown';
    } finally {
      await folder.remove();
    }
  }

  async program(what: 'login' | 'logout'): Promise<LoginProgram | undefined> {
    const { loginProgram, logoutProgram } = this.#options.spec();
    const own = what === 'login' ? loginProgram : logoutProgram;
    if (own) return this.#named(own);
    return what === 'login' ? this.#offeredProgram() : undefined;
  }

  /** The whole environment of its programs, except for a key that the host keeps: a log-in must not depend on it. */
  environment(): Record<string, string> {
    const { hostEnv, spec } = this.#options;
    return { ...agentEnvironment(hostEnv), ...passedOn(spec(), hostEnv), ...spec().env };
  }

  async #source(): Promise<'key' | 'environment' | undefined> {
    const { stateDir, hostEnv } = this.#options;
    const { key, provider, env, passEnv } = this.#options.spec();
    if (!key) return undefined;
    if ((await readKey(stateDir, provider)) !== undefined) return 'key';
    const { variable } = key;
    const isPassed = passEnv.includes(variable) && Boolean(hostEnv[variable]);
    return isPassed || env[variable] ? 'environment' : undefined;
  }

  async #named([name = '', ...args]: readonly string[]): Promise<LoginProgram | undefined> {
    const program = await findNamedProgram(name, args, this.#options.spec(), this.#options);
    return program && { ...program, env: this.environment(), shown: shownCommand([name, ...args]) };
  }

  /** ACP: the agent's own invocation with more arguments. */
  async #offeredProgram(): Promise<LoginProgram | undefined> {
    const offered = this.#offered;
    const found = offered && (await this.#options.findAgent());
    if (!found) return undefined;
    const { args = [], env = {} } = offered;
    const { command } = this.#options.spec();
    return {
      path: found.path,
      args: [...found.args, ...args],
      env: { ...this.environment(), ...env },
      shown: shownCommand([command, ...args]),
    };
  }
}

/** Variables of the host's environment that an agent's spec passes on. */
export function passedOn(
  { passEnv }: AcpAgentSpec,
  hostEnv: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    passEnv.flatMap((name) => {
      const value = hostEnv[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** A path of the user's is shown as people write it. */
function shownCommand(words: readonly string[]): string {
  return words.join(' ').replaceAll(homedir(), '~').slice(0, 1_000);
}

function hasSucceeded({ path, args, env }: LoginProgram, cwd: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { env, cwd, timeout: STATUS_MS, killSignal: 'SIGKILL', signal } as const;
    const child = execFile(path, [...args], options, (error) => resolve(!error));
    child.stdin?.end();
  });
}
