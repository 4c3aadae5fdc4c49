import { setImmediate as immediate } from 'node:timers/promises';
import type { ContentBlock, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { SessionCommand, SessionMode, UserMessage } from '@agenthost/protocol';
import { type Disposable, Emitter } from '@agenthost/rpc';
import { warnOfListenerError } from '../../hostLog.js';
import type { AgentEvent, AgentSession, Decision } from '../agent.js';
import { PendingAnswers } from '../events/pendingAnswers.js';
import { AcpConnection, type AcpConnectionOptions } from './acpConnection.js';
import { instructionBlocks } from './acpCustomizations.js';
import { acpFailure, errorInfo } from './acpFailure.js';
import { CANCELLED, outcomeOf } from './permissionOptions.js';
import { Terminals } from './terminals.js';
import { type AcpTurn, newAcpTurn } from './turn/acpTurn.js';
import type { ChangeTally } from './turn/changeTally.js';
import { promptBlocks } from './turn/contentBlocks.js';
import { RefusalReasons } from './turn/refusalReasons.js';
import { SessionUpdates } from './turn/sessionUpdates.js';
import { type TurnSilence, watchSilence } from './turn/turnSilence.js';
import { UsageMeter } from './turn/usageMeter.js';
import { type PermissionRequestFields, sessionUpdate } from './updateSchemas.js';

export interface AcpSessionOptions
  extends Omit<AcpConnectionOptions, 'onUpdate' | 'onPermission' | 'terminals' | 'signal' | 'resume'> {
  readonly resume: string | undefined;
  readonly model: string | undefined;
  /** The first mode of the session. */
  readonly mode: string | undefined;
  /** The mode of the resumed session. If the agent no longer has it, the agent chooses. */
  readonly lastMode: string | undefined;
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
  readonly #answers = new PendingAnswers();
  readonly #disposal = new AbortController();
  readonly #updates: SessionUpdates;
  readonly #usage: UsageMeter;
  readonly #reasons = new RefusalReasons();
  #connection: AcpConnection | undefined;
  #terminals: Terminals | undefined;
  #nativeSessionId: string | undefined;
  #model: string | undefined;
  #notice: string | undefined;
  #isInstructed = false;
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
    this.#updates = new SessionUpdates(options.spec.displayName);
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

  answer(requestId: string, decision: Decision): void {
    this.#answers.answer(requestId, decision);
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

  async setModel(id: string): Promise<void> {
    this.#model = id;
    const connection = this.#connection;
    if (connection && !connection.hasFailed) await connection.choose(connection.choices.setModel(id));
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
      onPermission: (request) => this.#onPermission(request),
    });
    this.#updates.choices = connection.choices;
    try {
      await this.#chooseMode(connection);
      if (this.#model !== undefined && this.#model !== connection.choices.currentModel) {
        await connection.choose(connection.choices.setModel(this.#model));
      }
      this.#disposal.signal.throwIfAborted();
    } catch (error) {
      await connection.dispose();
      throw error;
    }
    this.#connection = connection;
    this.#terminals = terminals;
    this.#nativeSessionId = connection.sessionId;
    if (connection.notResumed !== undefined) {
      this.#notice = `${rest.spec.displayName} starts a new conversation: it could not resume the earlier one (${connection.notResumed}).`;
    }
    for (const event of this.#updates.modeChange()) this.#events.fire(event);
    this.#options.onOpened(connection);
    return connection;
  }

  /** The mode that the session was in, else the requested first mode. */
  async #chooseMode(connection: AcpConnection): Promise<void> {
    const { choices } = connection;
    const { mode, lastMode } = this.#options;
    const last = this.mode?.id ?? lastMode;
    const wanted = last === undefined ? mode : choices.offersMode(last) ? last : undefined;
    if (wanted === undefined || wanted === choices.currentMode?.id) return;
    const request = choices.setMode(wanted);
    // Holds until the agent reports another one, which it may do before it answers.
    choices.modeChanged(wanted);
    await connection.choose(request);
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
    const silence = this.#watchSilence(turn);
    try {
      await this.#prompt(turn, message);
      await this.#answered(turn);
    } catch (error) {
      const failure = acpFailure(error, this.#options.spec);
      const stopped = turn.aborted.signal.aborted && !this.#connection?.hasFailed;
      if (!stopped) last = { type: 'error', error: errorInfo(failure) };
    }
    silence.stop();
    await this.#endTurn(turn, last);
  }

  /** A question that arrives just when the agent ended its turn keeps the turn open; otherwise no client would see it. */
  async #answered(turn: AcpTurn): Promise<void> {
    const { signal } = turn.aborted;
    if (turn.asking === 0 || signal.aborted) return;
    const answered = new Promise<void>((resolve) => {
      turn.onAnswered = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const failure = await Promise.race([answered, this.#connection?.failed]);
    if (failure) throw failure;
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
    for (const text of [...(this.#notice ? [this.#notice] : []), ...notGiven, ...leftOut]) {
      this.#events.fire({ type: 'notice', text, severity: 'warning' });
    }
    this.#notice = undefined;
    let outcome = await connection.prompt([...blocks, ...this.#reasonBlocks(), ...instructions]);
    this.#usage.prompted(outcome);
    // ACP's answer to a question has no field for a reason, so the reason is the next message.
    while (!turn.aborted.signal.aborted) {
      const reasons = this.#reasonBlocks();
      if (reasons.length === 0) break;
      outcome = await connection.prompt(reasons);
      this.#usage.prompted(outcome);
    }
    if (!turn.aborted.signal.aborted) turn.updates.end(outcome, connection.choices.currentModel);
  }

  #reasonBlocks(): ContentBlock[] {
    const text = this.#reasons.take();
    return text === undefined ? [] : [{ type: 'text', text }];
  }

  #watchSilence(turn: AcpTurn): TurnSilence {
    const { silenceMs, toolSilenceMs, spec } = this.#options;
    const silence = watchSilence({
      limitMs: silenceMs,
      toolLimitMs: toolSilenceMs,
      isAsking: () => turn.asking > 0,
      isInTool: () => turn.calls.isRunning,
      onSilent: (isInTool) => {
        const limitMs = isInTool ? toolSilenceMs : silenceMs;
        const time = limitMs < 60_000 ? `${limitMs / 1_000} s` : `${Math.round(limitMs / 60_000)} minutes`;
        const what = `${spec.displayName} has said nothing for ${time}${isInTool ? ' while it ran a tool' : ''}`;
        this.#connection?.fail('agentSilent', `${what}. It was ended.`);
      },
    });
    turn.heard = silence.heard;
    return silence;
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
    const silence = watchSilence({
      limitMs: this.#options.ownTurnQuietMs,
      toolLimitMs: this.#options.toolSilenceMs,
      isAsking: () => turn.asking > 0,
      isInTool: () => turn.calls.isRunning,
      onSilent: () => over.resolve(),
    });
    turn.heard = silence.heard;
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
    this.#turn?.heard();
    const { success, data } = sessionUpdate.safeParse((params as { update?: unknown } | undefined)?.update);
    if (!success) return;
    const turn = this.#turn ?? (OPENING.has(data.sessionUpdate) ? this.#beginOwn() : undefined);
    const isOpen = this.#connection !== undefined;
    const isInTurn = isOpen && turn !== undefined && !turn.aborted.signal.aborted;
    for (const event of this.#updates.take(data, { isOpen, isInTurn })) this.#events.fire(event);
    if (isInTurn) turn.updates.take(data);
  }

  async #onPermission(request: PermissionRequestFields): Promise<RequestPermissionResponse> {
    const turn = this.#turn ?? this.#beginOwn();
    if (!turn || turn.aborted.signal.aborted) return CANCELLED;
    turn.heard();
    turn.asking++;
    const { toolCallId } = request.toolCall;
    try {
      const answered = (requestId: string) => this.#answers.wait(requestId, turn.aborted.signal);
      const { requestId, shown, answer } = turn.calls.ask(request, answered);
      const decision = await answer;
      const { outcome, approved } = outcomeOf(decision, request.options, shown);
      if (!approved) this.#reasons.add(turn.calls.nameOf(toolCallId), decision);
      if (approved) await turn.calls.looked(toolCallId);
      if (requestId === toolCallId) turn.calls.answered(toolCallId, approved);
      return outcome;
    } catch {
      turn.calls.answered(toolCallId, false);
      return CANCELLED;
    } finally {
      if (--turn.asking === 0) turn.onAnswered();
      turn.heard();
    }
  }
}
