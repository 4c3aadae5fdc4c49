import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { AgentLogin, Notification } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import type { AgentLoginSupport, LoginProgram } from '../agentLogin.js';
import type { AgentRegistry } from '../agentRegistry.js';
import { checkKey } from './checkKey.js';
import { emptyFolder } from './emptyFolder.js';
import { readKey, removeKey, writeKey } from './keyFile.js';
import { LOGIN_LIMITS, type LoginEnd, type LoginLimits, LoginTerminal } from './loginTerminal.js';

/** A client that logs in. What the program prints is only for it. */
export interface LoginClient {
  notify(notification: Notification): void;
}

export interface AgentLoginsOptions {
  readonly registry: AgentRegistry;
  readonly stateDir: string;
  readonly limits?: Partial<LoginLimits>;
  /** Called when a person has logged in to the agent, or out. */
  readonly onChange?: (provider: string, isLoggedIn: boolean) => void;
}

interface RunningLogin {
  readonly client: LoginClient;
  readonly provider: string;
  readonly terminal: LoginTerminal;
  readonly done: Promise<void>;
}

/** Why a log-in was refused, as a sentence for people. */
export class AgentLoginError extends Error {
  readonly why: 'notPossible' | 'busy' | 'unknownLogin' | 'keyRefused';

  constructor(why: AgentLoginError['why'], message: string) {
    super(message);
    this.name = 'AgentLoginError';
    this.why = why;
  }
}

const CHECK_MS = 30_000;
const LOGOUT_MS = 30_000;

/** Log-ins to agents for the host's clients: the agents' own programs, and keys. Nothing of them is logged or stored in a session. */
export class AgentLogins {
  readonly #options: AgentLoginsOptions;
  readonly #running = new Map<string, RunningLogin>();
  /** Agents whose program is being started. */
  readonly #starting = new Set<string>();
  readonly #checks = new Map<string, Promise<AgentLogin | undefined>>();
  #isDisposed = false;

  constructor(options: AgentLoginsOptions) {
    this.#options = options;
  }

  /** Runs the agent's own program. One at a time for each agent. */
  async begin(
    client: LoginClient,
    { provider, columns, rows }: { readonly provider: string; readonly columns: number; readonly rows: number },
  ): Promise<string> {
    const support = this.#supportOf(provider);
    const name = this.#nameOf(provider);
    const earlier = [...this.#running.values()].find((one) => one.provider === provider);
    // One that was cancelled a moment ago is waited for.
    if (earlier?.terminal.isStopping) await earlier.done;
    const isBusy = this.#starting.has(provider) || [...this.#running.values()].some((one) => one.provider === provider);
    if (isBusy) throw new AgentLoginError('busy', `Another log-in to ${name} runs already. End it first, or wait.`);
    this.#starting.add(provider);
    try {
      const program = await support.program('login');
      if (!program) throw new AgentLoginError('notPossible', `${name} has no log-in program here. Use a key.`);
      if (this.#isDisposed) throw new AgentLoginError('notPossible', 'The host stops.');
      const login = randomUUID();
      const terminal = await LoginTerminal.start({
        program,
        stateDir: this.#options.stateDir,
        columns,
        rows,
        limits: { ...LOGIN_LIMITS, ...this.#options.limits },
        onOutput: (data) => client.notify({ type: 'notify/loginOutput', login, data }),
      });
      const done = this.#follow(login, client, provider, terminal);
      this.#running.set(login, { client, provider, terminal, done });
      return login;
    } catch (error) {
      if (error instanceof AgentLoginError) throw error;
      throw new AgentLoginError(
        'notPossible',
        `The log-in program of ${name} could not be started: ${errorMessage(error)}`,
      );
    } finally {
      this.#starting.delete(provider);
    }
  }

  send(
    client: LoginClient,
    login: string,
    { data, size }: { readonly data?: string; readonly size?: { readonly columns: number; readonly rows: number } },
  ): void {
    const { terminal } = this.#of(client, login);
    if (size) terminal.resize(size.columns, size.rows);
    if (data !== undefined) terminal.write(data);
  }

  async end(client: LoginClient, login: string): Promise<void> {
    const { terminal, done } = this.#of(client, login);
    terminal.stop('It was cancelled.');
    await done;
  }

  /** Nobody sees its log-ins any more. */
  clientGone(client: LoginClient): void {
    for (const one of this.#running.values()) if (one.client === client) one.terminal.stop('Its client has left.');
  }

  /** Finds out whether a turn would work, as far as that is possible without one. Starts the agent at most once at a time. */
  check(provider: string): Promise<AgentLogin | undefined> {
    const running = this.#checks.get(provider);
    if (running !== undefined) return running;
    const check = this.#check(provider).finally(() => this.#checks.delete(provider));
    this.#checks.set(provider, check);
    return check;
  }

  async #check(provider: string): Promise<AgentLogin | undefined> {
    const before = this.#options.registry.infos().find((info) => info.provider === provider)?.login?.state;
    const state = await this.#supportOf(provider).check(AbortSignal.timeout(CHECK_MS));
    const login = await this.#learn(provider, state === 'unknown' ? undefined : state);
    // Somebody has logged in without this host, for example with the command.
    const isMended = login?.state === 'ready' && (before === 'needed' || before === 'expired');
    if (isMended) this.#options.onChange?.(provider, true);
    return login;
  }

  /** Returns whether the vendor has accepted the key. A refused key is not kept. */
  async setKey(provider: string, key: string): Promise<boolean> {
    const support = this.#supportOf(provider);
    const name = this.#nameOf(provider);
    if (!support.key) throw new AgentLoginError('notPossible', `${name} takes no key here. Use its own log-in.`);
    const checked = support.key.check ? await checkKey(support.key.check, key) : 'notChecked';
    if (checked === 'refused') {
      throw new AgentLoginError('keyRefused', `The key does not work: its vendor refused it. It was not saved.`);
    }
    await writeKey(this.#options.stateDir, provider, key);
    await this.#learn(provider, checked === 'accepted' ? 'ready' : undefined);
    this.#options.onChange?.(provider, true);
    return checked === 'accepted';
  }

  /** Removes the key that the host keeps, else runs the agent's own program. */
  async logOut(provider: string): Promise<void> {
    const support = this.#supportOf(provider);
    const { stateDir } = this.#options;
    const hadKey = (await readKey(stateDir, provider)) !== undefined;
    await removeKey(stateDir, provider);
    const program = await support.program('logout');
    if (!program && !hadKey) {
      throw new AgentLoginError('notPossible', `${this.#nameOf(provider)} has no program that logs out here.`);
    }
    const failure = program && (await runQuietly(program, stateDir));
    if (failure !== undefined && !hadKey) {
      throw new AgentLoginError(
        'notPossible',
        `${this.#nameOf(provider)} did not log out: ${program?.shown} ${failure}.`,
      );
    }
    this.#options.onChange?.(provider, false);
    await this.#learn(provider, undefined);
    await this.check(provider).catch(() => undefined);
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    const all = [...this.#running.values()];
    for (const { terminal } of all) terminal.stop('The host stops.');
    await Promise.all(all.map(({ done }) => done));
  }

  /** Never rejects. */
  async #follow(login: string, client: LoginClient, provider: string, terminal: LoginTerminal): Promise<void> {
    const end = await terminal.ended;
    const outcome = await this.#outcome(provider, end).catch((error: unknown) => ({
      isLoggedIn: false,
      message: errorMessage(error),
    }));
    this.#running.delete(login);
    client.notify({ type: 'notify/loginEnded', login, ...outcome });
    if (outcome.isLoggedIn) this.#options.onChange?.(provider, true);
  }

  async #outcome(provider: string, { exitCode, stopped }: LoginEnd) {
    const name = this.#nameOf(provider);
    const failed = (message: string) => ({ isLoggedIn: false, message });
    if (stopped !== undefined) return failed(`The log-in was ended. ${stopped}`);
    if (exitCode !== 0) return failed(`The log-in program of ${name} ended with exit code ${exitCode}.`);
    const state = await this.#supportOf(provider)
      .check(AbortSignal.timeout(CHECK_MS))
      .catch(() => 'unknown' as const);
    // The program says that it succeeded, and nothing says otherwise.
    await this.#learn(provider, state === 'needed' ? 'needed' : 'ready');
    if (state === 'needed') return failed(`The log-in program of ${name} ended, but ${name} still needs a log-in.`);
    return { isLoggedIn: true, message: `${name} is logged in.` };
  }

  async #learn(provider: string, state: 'ready' | 'needed' | undefined): Promise<AgentLogin | undefined> {
    const { registry } = this.#options;
    registry.forgetLogin(provider);
    await registry.refresh();
    if (state) registry.learnLogin(provider, state);
    return registry.infos().find((info) => info.provider === provider)?.login;
  }

  #of(client: LoginClient, login: string): RunningLogin {
    const running = this.#running.get(login);
    if (running?.client !== client) throw new AgentLoginError('unknownLogin', 'This log-in has ended.');
    return running;
  }

  #supportOf(provider: string): AgentLoginSupport {
    const agent = this.#options.registry.get(provider);
    if (agent?.login) return agent.login;
    throw new AgentLoginError('notPossible', `${agent?.descriptor.displayName ?? provider} needs no log-in.`);
  }

  #nameOf(provider: string): string {
    return this.#options.registry.get(provider)?.descriptor.displayName ?? provider;
  }
}

/** Returns how it failed, without what it printed. */
async function runQuietly({ path, args, env }: LoginProgram, stateDir: string): Promise<string | undefined> {
  const folder = await emptyFolder(stateDir);
  const options = { env, cwd: folder.path, timeout: LOGOUT_MS, killSignal: 'SIGKILL', maxBuffer: 1024 * 1024 } as const;
  const failure = await new Promise<string | undefined>((resolve) => {
    const child = execFile(path, [...args], options, (error) => {
      if (!error) resolve(undefined);
      else resolve(typeof error.code === 'number' ? `ended with exit code ${error.code}` : 'could not be run');
    });
    child.stdin?.end();
  });
  await folder.remove();
  return failure;
}
