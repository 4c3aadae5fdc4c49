import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { Notification, SharedTerminal, URI } from '@agenthost/protocol';
import { errorMessage, MAX_HOST_TERMINALS, MAX_SESSION_TERMINALS } from '@agenthost/protocol/internal';
import { HostTerminal, type TerminalClient } from './hostTerminal.js';

export interface TerminalsOptions {
  /** What agents get, without the host's secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** Sends what a terminal prints to these clients. */
  print(notification: Notification, to: readonly TerminalClient[]): void;
  /** Sends anything else. */
  send(notification: Notification, to: readonly TerminalClient[]): void;
  /** The clients that have subscribed to the session. */
  subscribersOf(session: URI): Iterable<TerminalClient>;
}

export interface NewTerminal {
  readonly session: URI;
  readonly space: string;
  readonly cwd: string;
  readonly columns: number;
  readonly rows: number;
}

/** Why a terminal could not be made, as a sentence for people. */
export class TerminalError extends Error {
  readonly why: 'tooMany' | 'notStarted';

  constructor(why: TerminalError['why'], message: string) {
    super(message);
    this.name = 'TerminalError';
    this.why = why;
  }
}

interface Kept {
  readonly terminal: HostTerminal;
  readonly space: string;
}

/** The terminals of all sessions. They end with the host; one whose shell has ended is kept until it is closed, or others need its place. */
export class Terminals {
  readonly #options: TerminalsOptions;
  readonly #all = new Map<URI, Kept>();
  /** Closed, and still ending. */
  readonly #ending = new Set<Promise<unknown>>();
  #isDisposed = false;

  constructor(options: TerminalsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#all.size;
  }

  create(client: TerminalClient, { session, space, cwd, columns, rows }: NewTerminal): HostTerminal {
    if (this.#isDisposed) throw new TerminalError('notStarted', 'The host stops.');
    this.#makeRoom(session);
    const { env } = this.#options;
    const shell = shellOf(env);
    const terminal = this.#start({
      session,
      title: this.#titleOf(session, basename(shell)),
      shell,
      cwd,
      env,
      columns,
      rows,
      by: client.author,
      print: this.#options.print,
      onChange: () => this.#changed(terminal),
    });
    this.#all.set(terminal.uri, { terminal, space });
    this.#changed(terminal);
    return terminal;
  }

  /** `undefined` also for one of another space: it is answered as if it did not exist. */
  find(uri: URI, space: string): HostTerminal | undefined {
    const kept = this.#all.get(uri);
    return kept?.space === space ? kept.terminal : undefined;
  }

  /** Those of one session, oldest first. */
  list(session: URI, space: string): SharedTerminal[] {
    return this.#of(session).flatMap((kept) => (kept.space === space ? [kept.terminal.info] : []));
  }

  close(terminal: HostTerminal): void {
    if (!this.#all.delete(terminal.uri)) return;
    terminal.stop();
    const ending = terminal.ended.finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    const { session, uri } = terminal;
    this.#options.send({ type: 'notify/terminalRemoved', session, terminal: uri }, this.#audience(terminal));
  }

  /** The session was removed, or its space has changed hands. */
  closeOf(session: URI): void {
    for (const { terminal } of this.#of(session)) this.close(terminal);
  }

  clientGone(client: TerminalClient): void {
    for (const { terminal } of this.#all.values()) terminal.detach(client);
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    for (const { terminal } of [...this.#all.values()]) this.close(terminal);
    await Promise.all(this.#ending);
  }

  #start(options: ConstructorParameters<typeof HostTerminal>[0]): HostTerminal {
    try {
      return new HostTerminal(options);
    } catch (error) {
      throw new TerminalError('notStarted', `The shell ${options.shell} could not be started: ${errorMessage(error)}`);
    }
  }

  /** Those whose shell has ended give way, the oldest first. */
  #makeRoom(session: URI): void {
    const full = (where: string, most: number) =>
      new TerminalError('tooMany', `${where} has ${most} terminals already. Close one first.`);
    const ended = (list: readonly Kept[]) => list.find(({ terminal }) => terminal.hasEnded)?.terminal;
    // Somebody makes and closes them faster than shells end.
    if (this.#ending.size >= MAX_HOST_TERMINALS) throw full('This host', MAX_HOST_TERMINALS);
    const own = this.#of(session);
    if (own.length >= MAX_SESSION_TERMINALS) {
      const oldest = ended(own);
      if (!oldest) throw full('This session', MAX_SESSION_TERMINALS);
      this.close(oldest);
    }
    if (this.#all.size >= MAX_HOST_TERMINALS) {
      const oldest = ended([...this.#all.values()]);
      if (!oldest) throw full('This host', MAX_HOST_TERMINALS);
      this.close(oldest);
    }
  }

  #of(session: URI): Kept[] {
    return [...this.#all.values()].filter(({ terminal }) => terminal.session === session);
  }

  /** `bash`, then `bash 2`: a title that no other one of the session has. */
  #titleOf(session: URI, name: string): string {
    const taken = new Set(this.#of(session).map(({ terminal }) => terminal.info.title));
    for (let number = 1; ; number++) {
      const title = number === 1 ? name : `${name} ${number}`;
      if (!taken.has(title)) return title;
    }
  }

  #changed(terminal: HostTerminal): void {
    if (this.#all.get(terminal.uri)?.terminal !== terminal) return;
    const { session, info } = terminal;
    this.#options.send({ type: 'notify/terminalChanged', session, terminal: info }, this.#audience(terminal));
  }

  #audience(terminal: HostTerminal): TerminalClient[] {
    return [...new Set([...this.#options.subscribersOf(terminal.session), ...terminal.watchers])];
  }
}

/** The user's own, as the environment names it. */
function shellOf(env: Readonly<Record<string, string>>): string {
  const { SHELL = '' } = env;
  if (SHELL.startsWith('/') && existsSync(SHELL)) return SHELL;
  return existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
}
