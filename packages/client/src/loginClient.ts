import type { AgentLogin, Notification } from '@agenthost/protocol';
import type { Disposable } from '@agenthost/rpc';
import type { CommandChannel, CommandOptions } from './connection/commandChannel.js';
import type { ConnectionState } from './connection/connection.js';
import type { Observable } from './observable.js';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface LoginListener {
  /** What the program printed, with its escape sequences. It is not to be trusted. */
  onOutput(data: string): void;
}

export interface LoginOutcome {
  readonly isLoggedIn: boolean;
  /** Ready to display. */
  readonly message: string;
}

/** An agent's own log-in program that runs on the host, in a terminal that this client shows. */
export interface RunningLogin {
  /** Settles when it has ended; rejects when the connection was lost, which ends it too. */
  readonly ended: Promise<LoginOutcome>;
  type(data: string): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
  end(): Promise<void>;
}

/** Starting an agent to check its log-in takes a while. */
const CHECK_MS = 60_000;
/** Output that arrives before the answer that names the log-in. */
const MAX_EARLY = 1_000;

/**
 * Log-ins to the agents of a host.
 *
 * @example
 * ```ts
 * const onOutput = (data: string) => console.log(data);
 * const login = await host.logins.begin('copilot', { columns: 80, rows: 24 }, { onOutput });
 * await login.type('y');
 * console.log((await login.ended).message);
 * ```
 */
export class LoginClient {
  readonly #commands: CommandChannel;
  readonly #connection: Observable<ConnectionState>;
  readonly #listen: (listener: (event: { readonly type: string }) => void) => Disposable;

  /** @internal `HostClient.logins` is one. */
  constructor(
    commands: CommandChannel,
    connection: Observable<ConnectionState>,
    listen: (listener: (event: { readonly type: string }) => void) => Disposable,
  ) {
    this.#commands = commands;
    this.#connection = connection;
    this.#listen = listen;
  }

  /** Rejects when the agent has no program that logs in, or another log-in to it runs. */
  async begin(
    provider: string,
    size: TerminalSize,
    listener: LoginListener,
    options?: CommandOptions,
  ): Promise<RunningLogin> {
    const ended = Promise.withResolvers<LoginOutcome>();
    ended.promise.catch(() => {});
    const early: Notification[] = [];
    let login: string | undefined;
    const take = (event: Notification) => {
      if (event.type === 'notify/loginOutput' && event.login === login) listener.onOutput(event.data);
      if (event.type !== 'notify/loginEnded' || event.login !== login) return;
      ended.resolve({ isLoggedIn: event.isLoggedIn, message: event.message });
    };
    const following = this.#listen((event) => {
      if (login !== undefined) take(event as Notification);
      else if (early.length < MAX_EARLY) early.push(event as Notification);
    });
    try {
      ({ login } = await this.#commands.request('beginLogin', { provider, ...size }, options));
    } catch (error) {
      following.dispose();
      throw error;
    }
    for (const event of early.splice(0)) take(event);
    const watching = this.#connection.subscribe(({ state }) => {
      if (state !== 'connected') ended.reject(new Error('The connection was lost, and with it the log-in. Try again.'));
    });
    const stop = () => {
      following.dispose();
      watching.dispose();
    };
    ended.promise.then(stop, stop);
    const id = login;
    return {
      ended: ended.promise,
      type: async (data) => void (await this.#commands.request('sendToLogin', { login: id, data })),
      resize: async (to) => void (await this.#commands.request('sendToLogin', { login: id, size: to })),
      end: async () => void (await this.#commands.request('endLogin', { login: id })),
    };
  }

  /** Finds out whether a turn would work. It may start the agent. */
  async check(provider: string, options?: CommandOptions): Promise<AgentLogin | undefined> {
    const { login } = await this.#commands.request('checkLogin', { provider }, { timeoutMs: CHECK_MS, ...options });
    return login;
  }

  /** The host keeps the key. Resolves to whether the vendor has accepted it; rejects when the vendor refused it. */
  async setKey(provider: string, key: string, options?: CommandOptions): Promise<boolean> {
    const { isChecked } = await this.#commands.request('setAgentKey', { provider, key }, options);
    return isChecked;
  }

  async logOut(provider: string, options?: CommandOptions): Promise<void> {
    await this.#commands.request('logOutAgent', { provider }, { timeoutMs: CHECK_MS, ...options });
  }
}
