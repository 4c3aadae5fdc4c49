import { randomUUID } from 'node:crypto';
import type { Author, Notification, SharedTerminal, URI } from '@agenthost/protocol';
import {
  dropOldest,
  MAX_TERMINAL_SCROLLBACK,
  MAX_TERMINAL_UNCONFIRMED,
  type SendToTerminalParams,
} from '@agenthost/protocol/internal';
import { PtyProcess } from '../processes/ptyProcess.js';
import { Scrollback } from './scrollback.js';

/** A client that looks at terminals. */
export interface TerminalClient {
  readonly author: Author;
}

export interface HostTerminalOptions {
  readonly session: URI;
  readonly title: string;
  readonly shell: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
  readonly by: Author;
  /** Sends to those that have attached. */
  print(notification: Notification, to: readonly TerminalClient[]): void;
  onChange(): void;
}

/** What one attached client has got and shown. */
interface Watcher {
  confirmed: number;
  /** It was too slow, and gets a whole screen when it has shown what was sent until now. */
  isBehind: boolean;
  sent: number;
}

const MARK = 'AGENTHOST_TERMINAL';
const GATHER_MS = 5;
/** The keyboard is free after so long without a key. */
const KEYBOARD_MS = 5_000;
/** Input that the program has not read, in bytes. */
const MAX_UNREAD = 256 * 1024;
/** Clients whose newest input is remembered. */
const MAX_TYPISTS = 100;
/** For each client: as many inputs as one may wait for the answers of. */
const MAX_REFUSED = 1_000;
/** Clients need not confirm every piece. */
const NEARLY = 131_072;
const REDRAW_MS = 50;

/** The user's own shell in a pseudo terminal that the clients of a session share. Nothing of its content is stored. */
export class HostTerminal {
  readonly uri: URI = `agenthost:terminal/${randomUUID()}`;
  readonly session: URI;
  readonly #options: HostTerminalOptions;
  readonly #process: PtyProcess;
  readonly #scrollback = new Scrollback(MAX_TERMINAL_SCROLLBACK);
  readonly #watchers = new Map<TerminalClient, Watcher>();
  /** By client, the number of its newest input: one that is sent again is not typed again. */
  readonly #typed = new Map<string, number>();
  /** By client: what was not typed, as long as its sender may ask again. */
  readonly #refused = new Map<string, Set<number>>();
  /** By client, the size of its window. */
  readonly #sizes = new Map<string, { readonly columns: number; readonly rows: number }>();
  readonly #createdAt = Date.now();
  #size: { readonly columns: number; readonly rows: number };
  #keyboard: Author;
  #idle: NodeJS.Timeout | undefined;
  #redraw: NodeJS.Timeout | undefined;
  #exitCode: number | undefined;

  /** Throws when the shell can't be started. */
  constructor(options: HostTerminalOptions) {
    this.#options = options;
    const { columns, rows, shell, cwd, env, by } = options;
    this.session = options.session;
    this.#size = { columns, rows };
    this.#keyboard = by;
    this.#process = new PtyProcess({
      file: shell,
      // A login shell: every shell knows this.
      args: ['-l'],
      cwd,
      env,
      columns,
      rows,
      mark: MARK,
      gatherMs: GATHER_MS,
      onOutput: (data) => this.#printed(data),
    });
    void this.#process.ended.then((exitCode) => {
      this.#exitCode = exitCode;
      clearTimeout(this.#idle);
      this.#idle = undefined;
      this.#options.onChange();
    });
  }

  /** Settles when no process of it is left. */
  get ended(): Promise<unknown> {
    return this.#process.ended;
  }

  get hasEnded(): boolean {
    return this.#exitCode !== undefined;
  }

  get info(): SharedTerminal {
    return {
      terminal: this.uri,
      session: this.session,
      title: this.#options.title,
      ...this.#size,
      createdAt: this.#createdAt,
      keyboard: { by: this.#keyboard, isTyping: this.#idle !== undefined },
      ...(this.#exitCode !== undefined && { exitCode: this.#exitCode }),
    };
  }

  get watchers(): readonly TerminalClient[] {
    return [...this.#watchers.keys()];
  }

  /** From now on the client gets the output that comes after this screen. */
  attach(client: TerminalClient): { screen: string; offset: number; seq: number } {
    const { offset } = this.#scrollback;
    this.#watchers.set(client, { confirmed: offset, sent: offset, isBehind: false });
    this.#drawAgain();
    return { screen: this.#scrollback.screen(), offset, seq: this.#typed.get(client.author.clientId) ?? 0 };
  }

  /** Whoever leaves has no keyboard any more, unless it is back already. */
  detach(client: TerminalClient): void {
    if (!this.#watchers.delete(client)) return;
    const { clientId } = client.author;
    const isBack = this.watchers.some(({ author }) => author.clientId === clientId);
    if (this.#keyboard.clientId === clientId && !isBack && this.#idle !== undefined) this.#freeKeyboard();
  }

  confirm(client: TerminalClient, offset: number): void {
    const watcher = this.#watchers.get(client);
    if (!watcher) return;
    watcher.confirmed = Math.min(watcher.sent, Math.max(watcher.confirmed, offset));
    if (!watcher.isBehind || watcher.sent - watcher.confirmed > NEARLY) return;
    watcher.isBehind = false;
    watcher.sent = this.#scrollback.offset;
    const screen = this.#scrollback.screen();
    this.#options.print({ type: 'notify/terminalScreen', terminal: this.uri, screen, offset: watcher.sent }, [client]);
    this.#drawAgain();
  }

  /** Returns whether it was typed: not while somebody else types. Who asks again, after a lost answer, is told the same. */
  send(client: TerminalClient, input: Omit<SendToTerminalParams, 'terminal'>): boolean {
    const { seq } = input;
    const { clientId } = client.author;
    const refused = this.#refused.get(clientId) ?? new Set();
    if (seq <= (this.#typed.get(clientId) ?? 0)) return !refused.has(seq);
    this.#typed.delete(clientId);
    this.#typed.set(clientId, seq);
    dropOldest(this.#typed, MAX_TYPISTS);
    const isTyped = this.#take(client, input);
    if (isTyped) return true;
    this.#refused.delete(clientId);
    this.#refused.set(clientId, refused.add(seq));
    dropOldest(this.#refused, MAX_TYPISTS);
    dropOldest(refused, MAX_REFUSED);
    return false;
  }

  #take(client: TerminalClient, { data, isReply, take, size }: Omit<SendToTerminalParams, 'terminal'>): boolean {
    const { author } = client;
    const { clientId } = author;
    if (size) this.#sizes.delete(clientId);
    if (size) this.#sizes.set(clientId, size);
    dropOldest(this.#sizes, MAX_TYPISTS);
    const isLast = this.#keyboard.clientId === clientId;
    if (isReply) return isLast && this.#write(data);
    if (data === undefined && !take) {
      if (isLast) this.#fit();
      return true;
    }
    if (!isLast && !take && this.#idle !== undefined) return false;
    if (!this.hasEnded) this.#holdKeyboard(author);
    return this.#write(data);
  }

  /** Ends its shell and everything that it started. */
  stop(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#redraw);
    this.#process.stop();
  }

  #write(data: string | undefined): boolean {
    if (data === undefined || data === '') return true;
    if (this.hasEnded || this.#process.unread > MAX_UNREAD) return false;
    this.#process.write(data);
    return true;
  }

  #holdKeyboard(author: Author): void {
    const isNews = this.#idle === undefined || this.#keyboard.clientId !== author.clientId;
    this.#keyboard = author;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#freeKeyboard(), KEYBOARD_MS).unref();
    this.#fit();
    if (isNews) this.#options.onChange();
  }

  #freeKeyboard(): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
    this.#options.onChange();
  }

  /** The size of the window of whoever types. */
  #fit(): void {
    const wanted = this.#sizes.get(this.#keyboard.clientId);
    if (!wanted || this.hasEnded) return;
    if (wanted.columns === this.#size.columns && wanted.rows === this.#size.rows) return;
    this.#size = wanted;
    this.#process.resize(wanted.columns, wanted.rows);
    this.#options.onChange();
  }

  #printed(data: string): void {
    const { offset } = this.#scrollback;
    this.#scrollback.push(data);
    const receivers: TerminalClient[] = [];
    for (const [client, watcher] of this.#watchers) {
      if (watcher.isBehind) continue;
      if (offset + data.length - watcher.confirmed > MAX_TERMINAL_UNCONFIRMED) {
        watcher.isBehind = true;
        continue;
      }
      watcher.sent = offset + data.length;
      receivers.push(client);
    }
    if (receivers.length === 0) return;
    this.#options.print({ type: 'notify/terminalOutput', terminal: this.uri, offset, data }, receivers);
  }

  /** A full-screen program draws all of its screen again when its size changes. */
  #drawAgain(): void {
    if (!this.#scrollback.isIncomplete || this.#redraw !== undefined || this.hasEnded) return;
    const { columns, rows } = this.#size;
    this.#process.resize(columns, rows + 1);
    this.#redraw = setTimeout(() => {
      this.#redraw = undefined;
      this.#process.resize(this.#size.columns, this.#size.rows);
    }, REDRAW_MS).unref();
  }
}
