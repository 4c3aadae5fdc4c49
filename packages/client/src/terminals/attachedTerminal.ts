import type { Notification, SharedTerminal, URI } from '@agenthost/protocol';
import { MAX_TERMINAL_INPUT, type SendToTerminalParams, type TerminalScreen } from '@agenthost/protocol/internal';
import type { Disposable } from '@agenthost/rpc';
import type { CommandChannel, CommandOptions } from '../connection/commandChannel.js';
import type { ConnectionState } from '../connection/connection.js';
import { ClientClosedError, CommandFailedError, ConnectionLostError, LimitReachedError } from '../errors.js';
import type { TerminalSize } from '../loginClient.js';
import { type Observable, ObservableValue } from '../observable.js';
import { isTerminalReply } from './isTerminalReply.js';

export interface TerminalListener {
  /**
   * The screen as it is now, to be written into an emptied terminal: at first, after a lost connection, and when this client was too
   * slow for all of the output. What it prints is not to be trusted.
   */
  onScreen(screen: string): void;
  /** What the program printed, with its escape sequences. A promise says when it is shown: a slow client gets less. */
  onOutput(data: string): void | Promise<void>;
}

/** What a terminal needs of its host's client. */
export interface TerminalContext {
  readonly commands: CommandChannel;
  readonly connection: Observable<ConnectionState>;
  listen(listener: (event: { readonly type: string }) => void): Disposable;
}

type Input = Omit<SendToTerminalParams, 'terminal' | 'seq'>;

interface PendingInput {
  readonly input: Input;
  readonly done: PromiseWithResolvers<boolean>;
}

const CONFIRM_EACH = 65_536;
/** Code units of input that the host has not answered. */
const MAX_PENDING = 4 * MAX_TERMINAL_INPUT;

/**
 * A terminal that this client shows, until it is detached or closed. After a lost connection it is attached again; input arrives
 * exactly once and in order.
 *
 * @example
 * ```ts
 * const screen: string[] = [];
 * const listener = { onScreen: () => screen.splice(0), onOutput: (data: string) => void screen.push(data) };
 * const terminal = await session.terminals.create({ columns: 80, rows: 24 }, listener);
 * if (!(await terminal.type('npm test\r'))) await terminal.takeKeyboard();
 * await terminal.close();
 * ```
 */
export class AttachedTerminal {
  readonly uri: URI;
  /** Its size, who types, how it ended; `undefined` when it was closed. */
  readonly info: Observable<SharedTerminal | undefined>;
  readonly #info: ObservableValue<SharedTerminal | undefined>;
  readonly #context: TerminalContext;
  readonly #listener: TerminalListener;
  readonly #pending = new Map<number, PendingInput>();
  readonly #stops: Disposable[] = [];
  /** Output that came before the screen that it follows. */
  #early: Notification[] | undefined = [];
  #seq = 0;
  #shown = 0;
  #confirmed = 0;
  #isOver = false;
  /** Counts connections: an answer of an earlier one is of no use. */
  #attempt = 0;

  /** @internal `session.terminals` attaches. */
  static async attach(
    uri: URI,
    context: TerminalContext,
    listener: TerminalListener,
    options?: CommandOptions,
  ): Promise<AttachedTerminal> {
    const terminal = new AttachedTerminal(uri, context, listener);
    try {
      await terminal.#attach(options);
    } catch (error) {
      terminal.#end();
      throw error;
    }
    return terminal;
  }

  private constructor(uri: URI, context: TerminalContext, listener: TerminalListener) {
    this.uri = uri;
    this.#context = context;
    this.#listener = listener;
    this.#info = new ObservableValue<SharedTerminal | undefined>(undefined, () => undefined);
    this.info = this.#info;
    this.#stops.push(context.listen((event) => this.#heard(event as Notification)));
    let wasConnected = context.connection.value.state === 'connected';
    this.#stops.push(
      context.connection.subscribe(({ state }) => {
        if (state === 'closed') this.#end();
        const isConnected = state === 'connected';
        if (isConnected && !wasConnected) void this.#attach().catch((error: unknown) => this.#lost(error));
        wasConnected = isConnected;
      }),
    );
  }

  /** Resolves to whether it was typed: not while somebody else types. The terminal's own answers to its program are told apart. */
  async type(data: string): Promise<boolean> {
    let isTyped = true;
    const sent: Promise<boolean>[] = [];
    for (const piece of piecesOf(data)) {
      sent.push(this.#send({ data: piece, ...(isTerminalReply(piece) && { isReply: true }) }));
    }
    for (const one of sent) isTyped = (await one) && isTyped;
    return isTyped;
  }

  /** From whoever types; everybody is told. */
  async takeKeyboard(): Promise<void> {
    await this.#send({ take: true });
  }

  /** The size of this client's window. It is the size of the terminal while this client is the last that typed. */
  async resize({ columns, rows }: TerminalSize): Promise<void> {
    await this.#send({ size: { columns, rows } });
  }

  /** Ends the program and everything that it started, for everybody. */
  async close(options?: CommandOptions): Promise<void> {
    await this.#context.commands.request('closeTerminal', { terminal: this.uri }, options);
    this.#end();
  }

  /** This client doesn't show it any more. It goes on. */
  detach(): void {
    if (this.#isOver) return;
    this.#end();
    if (this.#context.connection.value.state !== 'connected') return;
    // Without a connection there is nothing to detach.
    this.#context.commands.request('detachTerminal', { terminal: this.uri }).catch(() => undefined);
  }

  async #attach(options?: CommandOptions): Promise<void> {
    const attempt = ++this.#attempt;
    this.#early = [];
    const screen = await this.#context.commands.request('attachTerminal', { terminal: this.uri }, options);
    if (this.#isOver || attempt !== this.#attempt) return;
    this.#show(screen);
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const event of early) this.#heard(event);
    this.#seq = Math.max(this.#seq, screen.seq);
    // Of what arrived, and whose answer was lost, the host says again whether it was typed.
    for (const [seq, one] of [...this.#pending]) void this.#request(seq, one);
  }

  #show({ terminal, screen, offset }: Pick<TerminalScreen, 'terminal' | 'screen' | 'offset'>): void {
    this.#info.set(terminal);
    this.#shown = offset;
    this.#confirmed = offset;
    this.#listener.onScreen(screen);
  }

  #heard(event: Notification): void {
    if (this.#isOver) return;
    if (event.type === 'notify/terminalChanged' && event.terminal.terminal === this.uri) {
      if (this.#early) this.#early.push(event);
      else this.#info.set(event.terminal);
    }
    if (!('terminal' in event) || event.terminal !== this.uri) return;
    if (event.type === 'notify/terminalRemoved') {
      this.#info.set(undefined);
      this.#end();
    } else if (this.#early) this.#early.push(event);
    else if (event.type === 'notify/terminalScreen') {
      this.#shown = event.offset;
      this.#confirmed = event.offset;
      this.#listener.onScreen(event.screen);
    } else if (event.type === 'notify/terminalOutput' && event.offset >= this.#shown) {
      this.#shown = event.offset + event.data.length;
      const behind = this.#shown;
      // Also what can't be shown is done with.
      const confirm = () => this.#confirm(behind);
      void Promise.resolve(this.#listener.onOutput(event.data)).then(confirm, confirm);
    }
  }

  #confirm(offset: number): void {
    if (this.#isOver || offset - this.#confirmed < CONFIRM_EACH) return;
    this.#confirmed = offset;
    const { commands, connection } = this.#context;
    if (connection.value.state !== 'connected') return;
    commands.request('confirmTerminal', { terminal: this.uri, offset }).catch(() => undefined);
  }

  #send(input: Input): Promise<boolean> {
    if (this.#isOver) return Promise.resolve(false);
    const waiting = [...this.#pending.values()].reduce((sum, one) => sum + (one.input.data?.length ?? 0), 0);
    if (waiting > MAX_PENDING || this.#pending.size >= 1_000) {
      return Promise.reject(new LimitReachedError('too much was typed without an answer of the host'));
    }
    const one: PendingInput = { input, done: Promise.withResolvers<boolean>() };
    const seq = ++this.#seq;
    this.#pending.set(seq, one);
    // Otherwise it is sent when the terminal is attached again.
    if (!this.#early && this.#context.connection.value.state === 'connected') void this.#request(seq, one);
    return one.done.promise;
  }

  async #request(seq: number, { input, done }: PendingInput): Promise<void> {
    try {
      const { isTyped } = await this.#context.commands.request('sendToTerminal', { terminal: this.uri, seq, ...input });
      this.#answer(seq, isTyped);
    } catch (error) {
      if (error instanceof ConnectionLostError && !this.#isOver) return;
      this.#pending.delete(seq);
      done.reject(error);
    }
  }

  #answer(seq: number, isTyped: boolean): void {
    this.#pending.get(seq)?.done.resolve(isTyped);
    this.#pending.delete(seq);
  }

  /** The terminal is gone when the host says so; a connection that was lost again is followed. */
  #lost(error: unknown): void {
    if (!(error instanceof CommandFailedError)) return;
    this.#info.set(undefined);
    this.#end();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const stop of this.#stops) stop.dispose();
    const { value } = this.#context.connection;
    for (const { done } of this.#pending.values()) {
      done.promise.catch(() => undefined);
      if (value.state === 'closed') done.reject(new ClientClosedError());
      else done.resolve(false);
    }
    this.#pending.clear();
  }
}

function* piecesOf(data: string): Generator<string> {
  for (let at = 0; at < data.length; ) {
    let end = Math.min(data.length, at + MAX_TERMINAL_INPUT);
    const code = data.charCodeAt(end - 1);
    if (end < data.length && code >= 0xd800 && code <= 0xdbff) end--;
    yield data.slice(at, end);
    at = end;
  }
}
