import type { Notification, SharedTerminal, URI } from '@agenthost/protocol';
import type { Disposable } from '@agenthost/rpc';
import type { CommandOptions } from '../connection/commandChannel.js';
import type { TerminalSize } from '../loginClient.js';
import { AttachedTerminal, type TerminalContext, type TerminalListener } from './attachedTerminal.js';

/**
 * The terminals of a session, which its clients share. They run the shell of the user who runs the host, in the session's folder, and
 * nothing of what is typed or printed there is stored. Drivers and owners make them, type and close them; others only watch.
 *
 * @example
 * ```ts
 * const stop = session.terminals.watch((terminals) => console.log(terminals.map(({ title }) => title)));
 * const [first] = await session.terminals.list();
 * const listener = { onScreen: (screen: string) => console.log(screen), onOutput: (data: string) => console.log(data) };
 * if (first) (await session.terminals.attach(first.terminal, listener)).detach();
 * stop.dispose();
 * ```
 */
export class SessionTerminals {
  readonly #session: URI;
  readonly #context: TerminalContext;

  /** @internal `SessionHandle.terminals` and `HostClient.terminalsOf` make one. */
  constructor(session: URI, context: TerminalContext) {
    this.#session = session;
    this.#context = context;
  }

  /** Oldest first. */
  async list(options?: CommandOptions): Promise<readonly SharedTerminal[]> {
    const { items } = await this.#context.commands.request('listTerminals', { session: this.#session }, options);
    return items;
  }

  /** A new one, which this client shows. Rejects when there are too many, or the session runs on another host. */
  async create(size: TerminalSize, listener: TerminalListener, options?: CommandOptions): Promise<AttachedTerminal> {
    const { terminal } = await this.start(size, options);
    return this.attach(terminal, listener, options);
  }

  /** A new one that nobody shows yet. */
  start({ columns, rows }: TerminalSize, options?: CommandOptions): Promise<SharedTerminal> {
    return this.#context.commands.request('createTerminal', { session: this.#session, columns, rows }, options);
  }

  /** Shows one that is there. A client shows each terminal once. */
  attach(terminal: URI, listener: TerminalListener, options?: CommandOptions): Promise<AttachedTerminal> {
    return AttachedTerminal.attach(terminal, this.#context, listener, options);
  }

  /** Ends the program of one and everything that it started. */
  async close(terminal: URI, options?: CommandOptions): Promise<void> {
    await this.#context.commands.request('closeTerminal', { terminal }, options);
  }

  /** Calls the listener with all of them, now and after each change. This client must have the session open. */
  watch(listener: (terminals: readonly SharedTerminal[]) => void): Disposable {
    const { connection, listen } = this.#context;
    const all = new Map<URI, SharedTerminal>();
    let isOver = false;
    const tell = () => listener([...all.values()].sort((a, b) => a.createdAt - b.createdAt));
    const heard = listen((event) => {
      const news = event as Notification;
      if (news.type === 'notify/terminalChanged' && news.session === this.#session) {
        all.set(news.terminal.terminal, news.terminal);
        tell();
      } else if (news.type === 'notify/terminalRemoved' && all.delete(news.terminal)) tell();
    });
    const look = async () => {
      const found = await this.list();
      if (isOver) return;
      all.clear();
      for (const terminal of found) all.set(terminal.terminal, terminal);
      tell();
    };
    // A host that knows no terminals has none.
    const lookQuietly = () => void look().catch(() => undefined);
    const following = connection.subscribe(({ state }) => {
      if (state === 'connected') lookQuietly();
    });
    lookQuietly();
    return {
      dispose: () => {
        isOver = true;
        heard.dispose();
        following.dispose();
      },
    };
  }
}
