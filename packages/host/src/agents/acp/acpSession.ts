import { setImmediate as immediate } from 'node:timers/promises';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { SessionCommand, SessionMode, SessionSetting, UserMessage } from '@agenthost/protocol';
import { type Disposable, Emitter } from '@agenthost/rpc';
import { FIRST_ISSUE } from '../../describeIssues.js';
import { warnOfListenerError } from '../../hostLog.js';
import type { AgentEvent, AgentSession, Decision, Transcript } from '../agent.js';
import { type EarlierTurns, earlierTurns } from '../events/earlierTurns.js';
import { AcpConnection, type AcpConnectionOptions } from './acpConnection.js';
import { instructionBlocks } from './acpCustomizations.js';
import { acpFailure, errorInfo } from './acpFailure.js';
import { AcpSettings, type AcpSettingsOptions } from './acpSettings.js';
import { Terminals } from './terminals.js';
import { type AcpTurn, newAcpTurn, steerTurn, untilAnswered } from './turn/acpTurn.js';
import type { ChangeTally } from './turn/changeTally.js';
import { promptBlocks } from './turn/contentBlocks.js';
import { RefusalReasons } from './turn/refusalReasons.js';
import { isOfSession, SessionUpdates } from './turn/sessionUpdates.js';
import { TurnQuestions } from './turn/turnQuestions.js';
import { timeText, watchSilence } from './turn/turnSilence.js';
import { UsageMeter } from './turn/usageMeter.js';
import { sessionUpdate } from './updateSchemas.js';

export interface AcpSessionOptions
  extends Omit<AcpConnectionOptions, 'onUpdate' | 'onPermission' | 'onForm' | 'terminals' | 'signal' | 'resume'>,
    AcpSettingsOptions {
  readonly resume: string | undefined;
  readonly transcript: (() => Promise<Transcript | undefined>) | undefined;
  readonly model: string | undefined;
  readonly changes: ChangeTally;
  /** How long the agent may be silent in a turn while it neither waits for an answer nor runs a tool. */
  readonly silenceMs: number;
  /** The same while it runs a tool: many agents report nothing until the tool has ended. */
  readonly toolSilenceMs: number;
  /** How long the agent must be silent before a turn that it began counts as ended. */
  readonly ownTurnQuietMs: number;
  /** How long the agent may take to stop. */
  readonly cancelMs: number;
  onOpened(connection: AcpConnection): void;
  onDispose(): void;
}

/** Updates that begin a turn when none runs. Other late updates are ignored. */
const OPENING: ReadonlySet<string> = new Set(['agent_message_chunk', 'agent_thought_chunk', 'tool_call']);
/** Updates within this time after a stop belong to the stopped turn. */
const STOPPED_MS = 2_000;

/** A session of one agent. It starts the process, and starts it again if it died between two turns. */
export class AcpSession implements AgentSession {
  readonly #options: AcpSessionOptions;
  readonly #events = new Emitter<AgentEvent>(warnOfListenerError);
  readonly #disposal = new AbortController();
  readonly #updates: SessionUpdates;
  readonly #usage: UsageMeter;
  readonly #reasons = new RefusalReasons();
  readonly #questions: TurnQuestions;
  readonly #settings: AcpSettings;
  #connection: AcpConnection | undefined;
  #terminals: Terminals | undefined;
  #nativeSessionId: string | undefined;
  #model: string | undefined;
  /** For an agent that does not have the earlier turns, until its next message. */
  #earlier: EarlierTurns | undefined;
  #notices: string[] = [];
  #isInstructed = false;
  #hasForked = false;
  #stoppedUntil = 0;
  #turn: AcpTurn | undefined;
  #disposing: Promise<void> | undefined;

  static async open(options: AcpSessionOptions, signal: AbortSignal): Promise<AcpSession> {
    const session = new AcpSession(options);
    const stop = () => session.#disposal.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await session.#connect();
      return session;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  private constructor(options: AcpSessionOptions) {
    this.#options = options;
    this.#nativeSessionId = options.resume;
    this.#model = options.model;
    this.#settings = new AcpSettings(options);
    this.#updates = new SessionUpdates(options.spec.displayName);
    this.#questions = new TurnQuestions({
      agentName: options.spec.displayName,
      reasons: this.#reasons,
      turn: () => this.#turn ?? this.#beginOwn(),
      emit: (event) => this.#events.fire(event),
    });
    this.#usage = new UsageMeter({ tokensAreTotals: options.spec.countsTotals === true });
  }

  get nativeSessionId(): string | undefined {
    return this.#nativeSessionId;
  }

  get commands(): readonly SessionCommand[] | undefined {
    return this.#updates.commands;
  }

  get mode(): SessionMode | undefined {
    return this.#updates.mode;
  }

  get settings(): readonly SessionSetting[] {
    return this.#updates.settings;
  }

  onEvent(listener: (event: AgentEvent) => void): Disposable {
    return this.#events.event(listener);
  }

  async send(message: UserMessage): Promise<void> {
    if (this.#disposing !== undefined) throw new Error('the session is disposed of');
    if (this.#turn && !this.#turn.own) throw new Error('a turn is running already');
    const turn = this.#turn ?? this.#newTurn();
    const { own } = turn;
    turn.own = undefined;
    own?.resolve();
    this.#turn = turn;
    turn.done = this.#run(turn, message);
  }

  async steer(message: UserMessage): Promise<void> {
    await steerTurn(this.#turn, () => this.#connection, message);
  }

  answer(requestId: string, decision: Decision): void {
    this.#questions.answer(requestId, decision);
  }

  /** Resolves when the turn has ended, by the agent or after a time limit. */
  async abort(): Promise<void> {
    const turn = this.#turn;
    if (!turn) return;
    turn.aborted.abort(new Error('the turn was aborted'));
    this.#stoppedUntil = Number.POSITIVE_INFINITY;
    await this.#connection?.cancel();
    const { cancelMs, spec } = this.#options;
    const timer = setTimeout(() => {
      const message = `${spec.displayName} did not stop within ${Math.round(cancelMs / 1_000)} s. It was ended.`;
      this.#connection?.fail('agentDidNotStop', message);
    }, cancelMs);
    await turn.done;
    this.#stoppedUntil = performance.now() + STOPPED_MS;
    clearTimeout(timer);
  }

  pause(): void {
    this.#connection?.pause();
  }

  resume(): void {
    this.#turn?.heard();
    this.#connection?.resume();
  }

  async fork(): Promise<string | undefined> {
    if (this.#turn || this.#disposing !== undefined || !this.#isInstructed) return undefined;
    if (this.#options.spec.keepsCopies) return undefined;
    this.#hasForked = true;
    return this.#connection?.fork();
  }

  async setModel(id: string): Promise<void> {
    this.#model = id;
    const connection = this.#connection;
    if (!connection || connection.hasFailed) return;
    await connection.choose(connection.choices.setModel(id));
    this.#tellChoices();
  }

  async setSetting(id: string, value: string): Promise<void> {
    const setting = this.#settings.set(this.#connection, id, value).finally(() => this.#tellChoices());
    await setting.catch((error: unknown) => Promise.reject(acpFailure(error, this.#options.spec)));
  }

  #tellChoices(): void {
    for (const event of this.#updates.choiceChanges()) this.#events.fire(event);
  }

  dispose(): Promise<void> {
    this.#disposing ??= this.#end();
    return this.#disposing;
  }

  async #end(): Promise<void> {
    this.#events.clear();
    this.#disposal.abort(new Error('the session is disposed of'));
    this.#turn?.aborted.abort(new Error('the session is disposed of'));
    await this.#connection?.dispose();
    await this.#turn?.done;
    await this.#options.changes.settled();
    this.#options.onDispose();
  }

  async #connect(): Promise<AcpConnection> {
    const { cwd, env, stateDir } = this.#options;
    // Updates before the session is open are its history.
    this.#connection = undefined;
    this.#updates.restart();
    this.#usage.restart();
    const resume = this.#nativeSessionId;
    const terminals = new Terminals({ cwd, env, stateDir });
    const { resume: _, ...rest } = this.#options;
    const connection = await AcpConnection.open({
      ...rest,
      ...(resume !== undefined && { resume }),
      signal: this.#disposal.signal,
      terminals,
      onUpdate: (params) => this.#onUpdate(params),
      onPermission: (request) => this.#questions.permission(request),
      onForm: (request, withdrawn) => this.#questions.form(request, withdrawn),
    });
    this.#updates.choices = connection.choices;
    try {
      this.#earlier = (await this.#earlierTurns(connection)) ?? this.#earlier;
      await this.#settings.restoreMode(connection, this.mode?.id);
      if (this.#model !== undefined && this.#model !== connection.choices.currentModel) {
        await connection.choose(connection.choices.setModel(this.#model));
      }
      this.#notices.push(...(await this.#settings.restore(connection, this.settings)));
      this.#disposal.signal.throwIfAborted();
    } catch (error) {
      await connection.dispose();
      throw error;
    }
    this.#connection = connection;
    this.#terminals = terminals;
    this.#nativeSessionId = connection.sessionId;
    this.#tellChoices();
    this.#options.onOpened(connection);
    return connection;
  }

  async #earlierTurns({ remembers, notResumed }: AcpConnection): Promise<EarlierTurns | undefined> {
    const { spec, transcript } = this.#options;
    const why = `${spec.displayName} starts a new conversation: it could not resume the earlier one (${notResumed}).`;
    const given = remembers ? undefined : await transcript?.();
    return earlierTurns(spec.displayName, given, notResumed === undefined ? undefined : why);
  }

  #newTurn(): AcpTurn {
    return newAcpTurn({
      cwd: this.#options.cwd,
      agentName: this.#options.spec.displayName,
      usage: this.#usage,
      emit: (turn, event) => {
        if (this.#turn === turn) this.#events.fire(event);
      },
      changed: (changes) => {
        const all = this.#options.changes.add(changes);
        return all ? [{ type: 'changes', changes: all }] : [];
      },
      followTerminal: (id, onOutput) => this.#terminals?.follow(id, onOutput),
      modeName: (id) => this.#connection?.choices.modeName(id) ?? id,
    });
  }

  async #run(turn: AcpTurn, message: UserMessage): Promise<void> {
    // Waits so that `send` has resolved before the first event.
    await immediate();
    let last: AgentEvent = { type: 'idle' };
    const { silenceMs, toolSilenceMs, spec } = this.#options;
    const silence = watchSilence(turn, {
      limitMs: silenceMs,
      toolLimitMs: toolSilenceMs,
      onSilent: (isInTool) => {
        const what = `${spec.displayName} has said nothing for ${timeText(isInTool ? toolSilenceMs : silenceMs)}`;
        this.#connection?.fail('agentSilent', `${what}${isInTool ? ' while it ran a tool' : ''}. It was ended.`);
      },
    });
    try {
      await this.#prompt(turn, message);
      const failure = await Promise.race([untilAnswered(turn), this.#connection?.failed]);
      if (failure) throw failure;
    } catch (error) {
      const failure = acpFailure(error, spec);
      const stopped = turn.aborted.signal.aborted && !this.#connection?.hasFailed;
      if (!stopped) last = { type: 'error', error: errorInfo(failure) };
    }
    silence.stop();
    await this.#endTurn(turn, last);
  }

  async #prompt(turn: AcpTurn, message: UserMessage): Promise<void> {
    let connection = this.#connection;
    if (!connection || connection.hasFailed) {
      await connection?.dispose();
      connection = await this.#connect();
    }
    if (turn.aborted.signal.aborted) return;
    const { blocks, leftOut } = promptBlocks(message, connection.promptCapabilities);
    // Sent once, because the session is reopened when they change, and after the message, since agents derive a title from the start.
    const instructions = this.#isInstructed
      ? []
      : instructionBlocks(this.#options.customizations, connection.promptCapabilities);
    const notGiven = this.#isInstructed ? [] : connection.leftOut;
    this.#isInstructed = true;
    const record: ContentBlock[] = (this.#earlier?.texts ?? []).map((text) => ({ type: 'text', text }));
    if (this.#earlier) this.#events.fire(this.#earlier.notice);
    this.#earlier = undefined;
    for (const text of [...this.#notices.splice(0), ...notGiven, ...leftOut]) {
      this.#events.fire({ type: 'notice', text, severity: 'warning' });
    }
    const answered = connection.prompt([...blocks, ...this.#reasons.take(), ...record, ...instructions]);
    turn.prompted.resolve();
    let outcome = await answered;
    this.#usage.prompted(outcome);
    // ACP's answer to a question has no field for a reason, so the reason is the next message.
    while (!turn.aborted.signal.aborted) {
      const reasons = this.#reasons.take();
      if (reasons.length === 0) break;
      outcome = await connection.prompt(reasons);
      this.#usage.prompted(outcome);
    }
    if (!turn.aborted.signal.aborted) turn.updates.end(outcome, connection.choices.currentModel);
  }

  /** Handles work of an agent between two turns: a background task has ended, or asks. */
  #beginOwn(): AcpTurn | undefined {
    const connection = this.#connection;
    // Updates before the first message are late history; those right after a stop belong to the stopped turn.
    const isLate = !this.#isInstructed || performance.now() < this.#stoppedUntil;
    if (!connection || connection.hasFailed || this.#disposing !== undefined || isLate) return undefined;
    const turn = this.#newTurn();
    this.#turn = turn;
    connection.beginTurn();
    this.#events.fire({ type: 'ownTurn' });
    turn.own = Promise.withResolvers();
    turn.done = this.#runOwn(turn, turn.own, connection);
    return turn;
  }

  /** ACP doesn't report the end of such a turn: it ends after some silence, when nothing runs and no question is open. */
  async #runOwn(turn: AcpTurn, over: PromiseWithResolvers<void>, connection: AcpConnection): Promise<void> {
    const { ownTurnQuietMs: limitMs, toolSilenceMs: toolLimitMs } = this.#options;
    const silence = watchSilence(turn, { limitMs, toolLimitMs, onSilent: () => over.resolve() });
    turn.aborted.signal.addEventListener('abort', () => over.resolve(), { once: true });
    const failure = await Promise.race([over.promise, connection.failed]);
    silence.stop();
    // A message arrived meanwhile: the turn continues with it.
    if (!turn.own) return;
    await this.#endTurn(turn, failure ? { type: 'error', error: errorInfo(failure) } : { type: 'idle' });
  }

  async #endTurn(turn: AcpTurn, last: AgentEvent): Promise<void> {
    await turn.events.settled();
    // Its open questions are no longer useful.
    turn.aborted.abort(new Error('the turn has ended'));
    if (this.#turn !== turn) return;
    // The turn ends before its event is emitted, because a listener may send the next message at once.
    this.#turn = undefined;
    if (this.#disposing === undefined) this.#events.fire(last);
  }

  /** An update without a running turn begins one, or belongs to the session. */
  #onUpdate(params: unknown): void {
    // Opencode sends the history of a copy that it makes.
    if (this.#hasForked && !isOfSession(params, this.#nativeSessionId)) return;
    this.#turn?.heard();
    const { update } = (params ?? {}) as { update?: unknown };
    const { success, data } = sessionUpdate.safeParse(update, FIRST_ISSUE);
    if (!success) return;
    const turn = this.#turn ?? (OPENING.has(data.sessionUpdate) ? this.#beginOwn() : undefined);
    const isOpen = this.#connection !== undefined;
    const isInTurn = isOpen && turn !== undefined && !turn.aborted.signal.aborted;
    for (const event of this.#updates.take(data, { isOpen, isInTurn })) this.#events.fire(event);
    if (isInTurn) turn.updates.take(data);
  }
}
