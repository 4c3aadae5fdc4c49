import {
  type AgentContext,
  type ContentBlock,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { HostClient, Observable, SessionHandle } from '@agenthost/client';
import type { Turn } from '@agenthost/protocol';
import { errorMessage, sameValue } from '@agenthost/protocol/internal';
import { CommandError, EXIT } from '../commandError.js';
import { safeLine } from '../text/safeText.js';
import { followTurn } from '../turn/followTurn.js';
import { turnErrorOf } from './editorErrors.js';
import { EditorQuestions } from './editorQuestions.js';
import { planEntries } from './planEntries.js';
import { promptMessage } from './promptMessage.js';
import { availableCommands, MODEL_OPTION, modeSetting, type ThreadOptions, threadOptions } from './threadOptions.js';
import { ThreadReader } from './threadReader.js';

/** What the editor can show. */
export interface EditorTraits {
  /** Live terminals, by an extension of ACP that Zed has. */
  readonly terminalOutput: boolean;
  readonly forms: boolean;
  readonly notices: boolean;
}

export interface ThreadContext {
  readonly host: HostClient;
  readonly client: AgentContext;
  readonly traits: EditorTraits;
  readonly page: URL;
  /** Aborted when the editor is gone. */
  readonly gone: AbortSignal;
  log(line: string): void;
}

/** An editor need not read a conversation of years. */
const MAX_REPLAYED = 500;
const PAGE = 50;
/** How long an agent may take to change a setting. */
const AGENT_MS = 10_000;

/**
 * One session in one editor. What the host has ordered goes to the editor as updates, whoever caused it; the next ones are made
 * when the editor has read the last ones, so that a slow editor holds nothing up and nothing gathers.
 */
export class EditorThread {
  readonly #session: SessionHandle;
  readonly #context: ThreadContext;
  readonly #reader: ThreadReader;
  readonly #questions: EditorQuestions;
  readonly #closing = new AbortController();
  readonly #watched: { dispose(): void }[] = [];
  /** Ids of the turns that this editor waits for. */
  readonly #prompts = new Map<string, AbortController>();
  /** Those that this editor has taken back. */
  readonly #cancelled = new Set<string>();
  readonly #sending = new Set<Promise<unknown>>();
  #pump: Promise<void> | undefined;
  #isBehind = false;
  #toldOfHeld: string | undefined;
  #told: { options?: ThreadOptions; commands?: unknown; title?: string; planAt?: number | undefined } = {};

  constructor(session: SessionHandle, context: ThreadContext) {
    this.#session = session;
    this.#context = context;
    this.#reader = new ThreadReader(session, context);
    this.#questions = new EditorQuestions(session, context, {
      tell: (text) => this.#tell(text),
      // The call has to be there before the question about it.
      shown: () => this.#flushed(),
    });
  }

  get isPrompting(): boolean {
    return this.#prompts.size > 0;
  }

  /** From now on the editor is told of everything. The answer to the request that made the thread. */
  begin(): ThreadOptions {
    const options = threadOptions(this.#session.confirmed.value, this.#context.host);
    this.#told = { options, title: this.#session.confirmed.value.summary.title };
    const wake = () => {
      this.#flushed().catch((error) => {
        // Without an editor there is nobody to tell.
        if (!this.#context.gone.aborted) this.#context.log(errorMessage(error));
      });
    };
    this.#watched.push(this.#session.confirmed.subscribe(wake), this.#session.artifactTimes.subscribe(wake));
    // After the answer: an editor may not know the session before.
    setImmediate(() => {
      wake();
      this.#questions.begin();
    });
    return options;
  }

  /** All that was said before, oldest first. */
  async replay(): Promise<void> {
    const turns: Turn[] = [];
    let isCut = false;
    for await (const turn of this.#session.history({ includeLoaded: true, pageSize: PAGE })) {
      if (turns.length === MAX_REPLAYED) {
        isCut = true;
        break;
      }
      turns.unshift(turn);
    }
    if (isCut) await this.#tell(`Only the newest ${MAX_REPLAYED} turns are shown here; ${this.#elsewhere} has all.`);
    for (const turn of turns) {
      for await (const piece of this.#session.turnPieces(turn)) await this.#send(this.#reader.read(piece, true));
    }
  }

  /** The editor has kept what was said before. */
  skip(): void {
    this.#reader.skip();
  }

  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    const message = promptMessage(blocks);
    const turnId = crypto.randomUUID();
    this.#reader.isOwn(turnId);
    const leaving = new AbortController();
    this.#prompts.set(turnId, leaving);
    // A lost editor ends nothing: only its own word does.
    const isCancelled = () =>
      (signal.reason as { code?: unknown } | undefined)?.code === RequestError.requestCancelled().code;
    const stop = () => isCancelled() && void this.cancel().catch(() => {});
    signal.addEventListener('abort', stop, { once: true });
    try {
      // Queued, because then it starts at once or as soon as possible, whatever else happens meanwhile.
      await this.#sent(this.#session.queue(message, turnId));
      const { host } = this.#context;
      const turn = await followTurn(host, this.#session, {
        turnId,
        signal: AbortSignal.any([leaving.signal, this.#closing.signal]),
        onChange: () => {},
        onQueued: () => void this.#tell('Another turn runs; this message waits for its end.').catch(() => {}),
        onAway: () => this.#context.log('The host does not answer. Reconnecting…'),
      });
      await this.#flushed();
      if (turn.state === 'error') throw turnErrorOf(turn);
      return { stopReason: turn.state === 'cancelled' ? 'cancelled' : 'end_turn' };
    } catch (error) {
      if (leaving.signal.aborted) return { stopReason: 'cancelled' };
      if (!(error instanceof CommandError && error.exitCode === EXIT.turnCancelled)) throw error;
      if (!this.#cancelled.has(turnId))
        await this.#tell('The message was removed by somebody else before its turn started.');
      return { stopReason: 'cancelled' };
    } finally {
      signal.removeEventListener('abort', stop);
      this.#prompts.delete(turnId);
      this.#cancelled.delete(turnId);
    }
  }

  /** Ends the running turn, and takes this editor's waiting messages back. */
  async cancel(): Promise<void> {
    const { queuedMessages = [] } = this.#session.state.value;
    const waiting = queuedMessages.filter(({ id }) => this.#prompts.has(id));
    const stopping = waiting.map(({ id }) => {
      this.#cancelled.add(id);
      // One that has just started is stopped below.
      return this.#sent(this.#session.removePending(id)).catch(() => {});
    });
    // The host gets the word when it is back; the editor does not wait for that.
    const isAway = this.#context.host.connection.value.state !== 'connected';
    if (isAway) for (const leaving of this.#prompts.values()) leaving.abort();
    else await Promise.all(stopping);
    const { activeTurn } = this.#session.state.value;
    // Somebody else's turn is theirs to stop, unless the editor shows nothing else.
    const isOurs = activeTurn && this.#prompts.has(activeTurn.id);
    if (isOurs || (activeTurn && waiting.length === 0)) await this.#sent(this.#session.cancel());
  }

  async setMode(modeId: string): Promise<Record<string, never>> {
    const mode = modeSetting(this.#session.confirmed.value.settings ?? []);
    if (!mode) throw RequestError.invalidParams(undefined, 'this agent has no modes');
    await this.#choose(mode.id, modeId);
    return {};
  }

  async setOption(id: string, value: string | boolean): Promise<Pick<ThreadOptions, 'configOptions'>> {
    const { settings = [] } = this.#session.confirmed.value;
    if (typeof value !== 'string') throw RequestError.invalidParams(undefined, 'the option takes one of its values');
    if (settings.some((setting) => setting.id === id)) await this.#choose(id, value);
    else if (id === MODEL_OPTION) await this.#sent(this.#session.setModel(value));
    else throw RequestError.invalidParams(undefined, `there is no option ${safeLine(id)}`);
    const { configOptions } = threadOptions(this.#session.confirmed.value, this.#context.host);
    return { configOptions };
  }

  /** Resolves when the agent has taken it. */
  async #choose(id: string, value: string): Promise<void> {
    await this.#sent(this.#session.chooseSetting(id, value));
    const find = () => this.#session.confirmed.value.settings?.find((setting) => setting.id === id);
    const isOver = () => find()?.pending === undefined;
    await within(this.#session.confirmed, isOver, AGENT_MS);
    const problem = find()?.problem;
    if (problem !== undefined) throw new CommandError(EXIT.failed, safeLine(problem), 'Choose another value.');
  }

  /** Resolves when the host has answered everything that was sent. */
  async sent(): Promise<void> {
    await Promise.allSettled([...this.#sending]);
  }

  dispose(): void {
    this.#closing.abort(new Error('the editor has closed the thread'));
    this.#questions.dispose();
    for (const watched of this.#watched) watched.dispose();
    this.#session.dispose();
  }

  get #elsewhere(): string {
    return `the page (${this.#context.page.origin})`;
  }

  async #sent<T>(sending: Promise<T>): Promise<T> {
    this.#sending.add(sending);
    try {
      return await sending;
    } finally {
      this.#sending.delete(sending);
    }
  }

  /** Resolves when the editor has what the state of now says. */
  async #flushed(): Promise<void> {
    this.#isBehind = true;
    this.#pump ??= this.#run().finally(() => {
      this.#pump = undefined;
    });
    await this.#pump;
    // What changed at the very end of the last run.
    if (this.#isBehind && !this.#closing.signal.aborted) await this.#flushed();
  }

  async #run(): Promise<void> {
    while (this.#isBehind && !this.#closing.signal.aborted) {
      this.#isBehind = false;
      await this.#sendFacts();
      await this.#send(this.#reader.readState(this.#session.confirmed.value));
      await this.#sendPlan();
      await this.#tellOfHeldQueue();
    }
  }

  /** After a turn that failed or was stopped, messages may wait for somebody's word. An editor shows no queue. */
  async #tellOfHeldQueue(): Promise<void> {
    const { activeTurn, turns, queuedMessages = [] } = this.#session.confirmed.value;
    const last = turns.at(-1);
    const isHeld = !activeTurn && (last?.state === 'error' || last?.holdsQueue === true);
    if (!isHeld || this.#toldOfHeld === last.id || !queuedMessages.some(({ id }) => this.#prompts.has(id))) return;
    this.#toldOfHeld = last.id;
    await this.#tell(
      `This message waits, because the turn before it did not end well. Send it again, or start it on ${this.#elsewhere}.`,
    );
  }

  async #send(updates: AsyncIterable<SessionUpdate>): Promise<void> {
    for await (const update of updates) {
      if (this.#closing.signal.aborted) return;
      await this.#update(update);
    }
  }

  async #update(update: SessionUpdate): Promise<void> {
    await this.#context.client.notify('session/update', { sessionId: this.#session.uri, update });
  }

  async #tell(text: string): Promise<void> {
    await this.#update(this.#reader.notice(text, 'info'));
  }

  /** What the session is, besides its conversation. */
  async #sendFacts(): Promise<void> {
    const state = this.#session.confirmed.value;
    const options = threadOptions(state, this.#context.host);
    const before = this.#told.options;
    if (!sameValue(before?.configOptions, options.configOptions)) {
      await this.#update({ sessionUpdate: 'config_option_update', configOptions: options.configOptions });
    }
    const mode = options.modes?.currentModeId;
    if (mode !== undefined && before?.modes?.currentModeId !== mode) {
      await this.#update({ sessionUpdate: 'current_mode_update', currentModeId: mode });
    }
    if (state.commands !== this.#told.commands) {
      await this.#update({ sessionUpdate: 'available_commands_update', availableCommands: availableCommands(state) });
    }
    const { title } = state.summary;
    if (title !== this.#told.title)
      await this.#update({ sessionUpdate: 'session_info_update', title: safeLine(title) });
    this.#told = { ...this.#told, options, commands: state.commands, title };
  }

  async #sendPlan(): Promise<void> {
    const { plan: planAt } = this.#session.artifactTimes.value;
    if (planAt === this.#told.planAt) return;
    this.#told = { ...this.#told, planAt };
    const markdown = planAt === undefined ? '' : ((await this.#session.plan()) ?? '');
    await this.#update({ sessionUpdate: 'plan', entries: planEntries(markdown) });
  }
}

/** Resolves when it fits, or when the time is over. */
async function within<T>(observable: Observable<T>, fits: () => boolean, ms: number): Promise<void> {
  if (fits()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const watched = observable.subscribe(() => fits() && resolve());
  const timer = setTimeout(resolve, ms);
  await promise;
  clearTimeout(timer);
  watched.dispose();
}
