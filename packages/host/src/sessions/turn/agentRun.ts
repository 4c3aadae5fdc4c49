import type { UserMessage } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import type { Agent, AgentEvent, AgentSession, Decision } from '../../agents/agent.js';
import { AgentEventMapper, type MappedEvent } from '../../agents/events/agentEventMapper.js';
import { boundedToolResult, boundedToolStart } from '../../agents/events/boundedToolCall.js';
import { DeltaGatherer } from '../../agents/events/deltaGatherer.js';
import { mapSessionEvent } from '../../agents/events/mapSessionEvent.js';
import type { HostLog } from '../../hostLog.js';
import { MAX_ANSWER_LENGTH } from '../sessionLimits.js';
import { Backpressure } from './backpressure.js';
import { SteeringGate } from './steeringGate.js';
import type { TurnSink } from './turnSink.js';

const MEBI = 1024 * 1024;

export interface AgentRunOptions {
  readonly agent: Agent;
  readonly sink: TurnSink;
  readonly abortGraceMs: number;
  /** After this long without a turn the agent's session is closed; the next turn resumes it. */
  readonly idleMs: number;
  readonly newId: () => string;
  readonly log: HostLog;
}

interface AgentTurn {
  readonly id: string;
  readonly mapper: AgentEventMapper;
  readonly gatherer: DeltaGatherer;
  readonly gate: SteeringGate;
  /** Resolves when the agent is idle or was ended. */
  readonly settled: PromiseWithResolvers<void>;
  /** Resolves when the agent has its message, or never will get it. Before that it can't be steered. */
  readonly sent: PromiseWithResolvers<void>;
  isCancelled: boolean;
  /** Code units of text and reasoning so far. */
  written: number;
  /** Set until the agent is opened. A cancel in this phase aborts only this. */
  preparing: AbortController | undefined;
}

/** Runs the turns of one session with its agent, one after the other. */
export class AgentRun {
  readonly #options: AgentRunOptions;
  readonly #disposal = new AbortController();
  #opened: Promise<AgentSession> | undefined;
  #openedWith: string | undefined;
  /** The agent's session is new and has had no message yet. */
  #isBlank = false;
  /** Open a new agent session next time: the agent may not have stored one without a message. */
  #beginsAnew = false;
  #current: AgentTurn | undefined;
  #queue: Promise<void> = Promise.resolve();
  readonly #waiting = new Map<string, AgentTurn>();
  readonly #backpressure: Backpressure;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: AgentRunOptions) {
    this.#options = options;
    this.#backpressure = new Backpressure(options.sink, () =>
      this.#endFlood('overflow', 'The agent reports faster than it can be stored'),
    );
  }

  /** True while the agent works, also until it is idle after a cancelled turn. */
  get isBusy(): boolean {
    return this.#current !== undefined || this.#waiting.size > 0;
  }

  /** Opens the agent's session, so that a failure shows when the session is created and not at its first turn. */
  async open(): Promise<void> {
    await this.#ensureOpen();
    this.#armIdleTimer();
  }

  start(turnId: string, message: UserMessage): void {
    const turn = this.#newTurn(turnId);
    this.#waiting.set(turnId, turn);
    this.#queue = this.#queue.then(() => this.#run(turn, message));
  }

  cancel(turnId: string): void {
    const turn = this.#current?.id === turnId ? this.#current : this.#waiting.get(turnId);
    if (!turn) return;
    turn.isCancelled = true;
    turn.mapper.end();
    turn.gate.release();
    if (turn.preparing) {
      turn.preparing.abort(new Error('the turn was cancelled'));
      return;
    }
    if (turn !== this.#current) return;
    this.#backpressure.release();
    void this.#abort(turn);
  }

  /** Also cancels turns that are no longer in the state because they could not be stored. */
  cancelAll(): void {
    for (const turn of [this.#current, ...this.#waiting.values()]) if (turn) this.cancel(turn.id);
  }

  /** Passes a message to the running turn. If the agent can't take it, it stays queued until the turn ends. */
  async steer(message: UserMessage, onAccepted: () => void): Promise<void> {
    // The agent may still be ending a cancelled turn, which takes no message any more.
    const turn = [this.#current, ...this.#waiting.values()].find((one) => one && !one.isCancelled);
    await turn?.sent.promise;
    const session = await this.#opened?.catch(() => undefined);
    if (!session?.steer) return;
    const whole = await this.#options.sink.wholeMessage(message).catch((error: unknown) => {
      this.#options.log.warn(`a steering message could not be read: ${errorMessage(error)}`);
    });
    if (!whole || !turn || turn !== this.#current || turn.isCancelled) return;
    const { steer } = session;
    await turn.gate.hand(
      () => steer.call(session, whole),
      () => {
        turn.gatherer.flush();
        turn.mapper.beginNewPart();
        onAccepted();
      },
    );
  }

  answer(id: string, { optionId, ...decision }: Decision): void {
    const turn = this.#current;
    const agentId = turn?.mapper.agentIdOf(id);
    if (!turn || agentId === undefined) return;
    turn.mapper.answered(agentId, decision.approved);
    const agentOption = optionId === undefined ? undefined : (turn.mapper.agentIdOf(optionId) ?? optionId);
    const full: Decision = { ...decision, ...(agentOption !== undefined && { optionId: agentOption }) };
    void this.#opened?.then((session) => session.answer(agentId, full)).catch((error) => this.#failed(turn, error));
  }

  setModel(model: string): void {
    void this.#opened
      ?.then((session) => session.setModel?.(model))
      .catch((error) => {
        this.#options.log.warn(`the agent could not change its model: ${errorMessage(error)}`);
      });
  }

  /** Another part was added to the turn: the agent's next text goes into a new part. */
  beginNewPart(): void {
    this.#current?.mapper.beginNewPart();
  }

  /** Publishes the gathered text of the agent. */
  flush(): void {
    this.#current?.gatherer.flush();
  }

  async dispose(): Promise<void> {
    clearTimeout(this.#idleTimer);
    this.#disposal.abort();
    for (const turn of [this.#current, ...this.#waiting.values()]) {
      if (!turn) continue;
      turn.isCancelled = true;
      turn.mapper.end();
      turn.preparing?.abort(new Error('the session was closed'));
      turn.settled.resolve();
    }
    await this.#close();
  }

  async #run(turn: AgentTurn, message: UserMessage): Promise<void> {
    this.#waiting.delete(turn.id);
    if (turn.isCancelled || this.#disposal.signal.aborted) {
      turn.sent.resolve();
      return;
    }
    clearTimeout(this.#idleTimer);
    this.#current = turn;
    try {
      await this.#prepare(turn);
      const session = turn.isCancelled ? undefined : await this.#ensureOpen();
      const whole = session && (await this.#options.sink.wholeMessage(message));
      if (whole && !turn.isCancelled) {
        this.#isBlank = false;
        await session.send(whole);
      } else if (this.#current === turn) turn.settled.resolve();
    } catch (error) {
      this.#failed(turn, error);
    }
    turn.sent.resolve();
    await turn.settled.promise;
    this.#ended(turn);
  }

  /** Begins a turn for what the agent does between two turns. No message is sent for it. */
  #beginOwn(): void {
    const turn = this.#newTurn(this.#options.newId());
    if (this.#disposal.signal.aborted || !this.#options.sink.beginOwnTurn(turn.id)) return;
    clearTimeout(this.#idleTimer);
    this.#current = turn;
    turn.sent.resolve();
    this.#queue = this.#queue.then(async () => {
      await turn.settled.promise;
      this.#ended(turn);
    });
  }

  #ended(turn: AgentTurn): void {
    turn.gatherer.dispose();
    // The agent may have begun a turn of its own right after this one.
    if (this.#current !== turn) return;
    this.#current = undefined;
    this.#armIdleTimer();
  }

  async #prepare(turn: AgentTurn): Promise<void> {
    const { preparation } = this.#options.sink;
    if (!preparation) return;
    turn.preparing = new AbortController();
    try {
      await preparation.prepare(turn.id, turn.preparing.signal);
    } catch (error) {
      if (!turn.isCancelled) throw error;
    } finally {
      turn.preparing = undefined;
    }
    if (this.#opened === undefined || preparation.key === this.#openedWith) return;
    this.#beginsAnew = this.#isBlank;
    await this.#close();
  }

  #newTurn(id: string): AgentTurn {
    const { sink, abortGraceMs, newId, log } = this.#options;
    const keepText = (text: string) => sink.keepText(text);
    const mapper = new AgentEventMapper({
      turnId: id,
      newId,
      boundStart: (toolCall) => boundedToolStart(toolCall, keepText),
      boundResult: (result) => boundedToolResult(sink.keepFiles(result), keepText),
      keepContent: sink.contentKeeper(),
      onDropped: (event, reason) => log.debug(`dropped a ${event.type} event: ${reason}`),
    });
    const gatherer = new DeltaGatherer({
      emit: (event) => this.#tell(mapper.map(event)),
    });
    const settled = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<void>();
    const gate = new SteeringGate((event) => {
      gatherer.push(event);
      if (event.type === 'idle' || event.type === 'error') settled.resolve();
    }, abortGraceMs);
    return { id, mapper, gatherer, gate, settled, sent, isCancelled: false, written: 0, preparing: undefined };
  }

  #onEvent(event: AgentEvent): void {
    const turn = this.#current;
    if (event.type === 'commands') {
      this.#options.sink.commandsChanged(event.commands);
      return;
    }
    if (event.type === 'ownTurn') {
      if (!turn || (turn.mapper.ended && !turn.isCancelled)) this.#beginOwn();
      return;
    }
    if (!turn) {
      const mapped = mapSessionEvent(event);
      if (mapped) this.#tell(mapped);
      return;
    }
    if (event.type === 'error') void this.#close();
    if (event.type === 'text' || event.type === 'reasoning') turn.written += event.text.length;
    if (turn.written <= MAX_ANSWER_LENGTH) turn.gate.push(event);
    else this.#endFlood('answerTooLong', `The agent wrote more than ${MAX_ANSWER_LENGTH / MEBI} MiB in one turn`);
  }

  #tell({ actions, artifact, flood }: MappedEvent): void {
    for (const action of actions) this.#options.sink.dispatch(action);
    if (artifact) this.#options.sink.storeArtifact(artifact);
    if (flood !== undefined) this.#endFlood('tooManySteps', flood);
  }

  /** Ends a turn that writes too much. Unlike a tool's output, an agent's text is in the state and with all subscribers. */
  #endFlood(errorType: string, what: string): void {
    const turn = this.#current;
    if (!turn || turn.isCancelled || turn.mapper.ended) return;
    const message = `${what}, so the turn was ended. What came before is kept.`;
    turn.gatherer.push({ type: 'error', error: { errorType, message } });
    void this.#close();
    turn.settled.resolve();
  }

  /** Reports a failure as the turn's error. The next turn opens the agent's session again. */
  #failed(turn: AgentTurn, error: unknown): void {
    turn.gatherer.push({ type: 'error', error: { errorType: 'agentFailed', message: errorMessage(error) } });
    void this.#close();
    turn.settled.resolve();
  }

  async #abort(turn: AgentTurn): Promise<void> {
    const session = await this.#opened?.catch(() => undefined);
    const timer = setTimeout(() => {
      this.#options.log.warn(`the agent did not stop within ${this.#options.abortGraceMs} ms: ending it`);
      void this.#close();
      turn.settled.resolve();
    }, this.#options.abortGraceMs);
    try {
      if (session) await session.abort();
    } catch (error) {
      this.#failed(turn, error);
    }
    turn.sent.resolve();
    await turn.settled.promise;
    clearTimeout(timer);
  }

  #ensureOpen(): Promise<AgentSession> {
    if (this.#opened !== undefined) return this.#opened;
    const { sink } = this.#options;
    this.#openedWith = sink.preparation?.key;
    const opening = this.#openAgent().then(async (session) => {
      if (this.#disposal.signal.aborted || this.#opened !== opening) {
        await session.dispose();
        throw new Error('the session was closed while its agent was starting');
      }
      session.onEvent((event) => {
        if (this.#opened !== opening) return;
        this.#onEvent(event);
        this.#backpressure.check(session);
      });
      sink.agentOpened(session.nativeSessionId);
      if ('mode' in session) this.#onEvent({ type: 'mode', ...(session.mode && { mode: session.mode }) });
      if (session.commands) sink.commandsChanged(session.commands);
      return session;
    });
    this.#opened = opening;
    opening.catch(() => {
      if (this.#opened === opening) this.#opened = undefined;
    });
    return opening;
  }

  async #openAgent(): Promise<AgentSession> {
    const { agent, sink } = this.#options;
    const { resume, mode, ...options } = await sink.openOptions();
    const goesOn = resume !== undefined && !this.#beginsAnew;
    this.#beginsAnew = false;
    this.#isBlank = !goesOn;
    const { signal } = this.#disposal;
    if (goesOn) return agent.openSession({ ...options, resume, ...(mode !== undefined && { mode }), signal });
    const wanted = options.config['mode'];
    if (wanted !== undefined && typeof wanted !== 'string') throw new Error('config.mode must be the id of a mode.');
    const session = await agent.openSession({ ...options, signal });
    if (wanted === undefined || session.mode) return session;
    await session.dispose();
    throw new Error(`${agent.descriptor.displayName} has no modes. Leave config.mode out.`);
  }

  async #close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    const session = await opened?.catch(() => undefined);
    await session?.dispose().catch((error: unknown) => {
      this.#options.log.warn(`an agent did not end cleanly: ${errorMessage(error)}`);
    });
  }

  #armIdleTimer(): void {
    clearTimeout(this.#idleTimer);
    if (this.#disposal.signal.aborted) return;
    this.#idleTimer = setTimeout(() => {
      if (!this.isBusy) void this.#close();
    }, this.#options.idleMs);
    this.#idleTimer.unref();
  }
}
