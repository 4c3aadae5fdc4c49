import { type ActiveTurn, LOGIN_REQUIRED, type UserMessage } from '@agenthost/protocol';
import { errorMessage, type Refusal, refuse } from '@agenthost/protocol/internal';
import type { Agent, AgentEvent, AgentSession, Decision, ToolInput } from '../../agents/agent.js';
import { isLoginRequired } from '../../agents/agentLogin.js';
import { AgentEventMapper, type MappedEvent } from '../../agents/events/agentEventMapper.js';
import { boundedToolResult, boundedToolStart } from '../../agents/events/boundedToolCall.js';
import { DeltaGatherer } from '../../agents/events/deltaGatherer.js';
import { mapSessionEvent } from '../../agents/events/mapSessionEvent.js';
import type { HostLog } from '../../hostLog.js';
import { MAX_ANSWER_LENGTH } from '../sessionLimits.js';
import { AgentSettings } from './agentSettings.js';
import type { AgentTurn } from './agentTurn.js';
import { Backpressure } from './backpressure.js';
import { goOnWith } from './goOnWith.js';
import { OpenedAgent } from './openedAgent.js';
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

/** Runs the turns of one session with its agent, one after the other. */
export class AgentRun {
  readonly #options: AgentRunOptions;
  readonly #disposal = new AbortController();
  readonly #agent: OpenedAgent;
  /** The one that was opened last. */
  #session: AgentSession | undefined;
  #current: AgentTurn | undefined;
  #queue: Promise<void> = Promise.resolve();
  readonly #waiting = new Map<string, AgentTurn>();
  readonly #backpressure: Backpressure;
  readonly #settings: AgentSettings;

  constructor(options: AgentRunOptions) {
    this.#options = options;
    this.#backpressure = new Backpressure(options.sink, () =>
      this.#endFlood('overflow', 'The agent reports faster than it can be stored'),
    );
    this.#settings = new AgentSettings({
      agentName: options.agent.descriptor.displayName,
      opened: () => this.#agent.session,
      isBusy: () => this.isBusy,
      tell: (settings) => options.sink.settingsChanged(settings),
      answered: () => options.sink.settingsAnswered(),
    });
    const { agent, sink, idleMs, log } = options;
    this.#agent = new OpenedAgent({
      ...{ agent, sink, idleMs, log },
      signal: this.#disposal.signal,
      isBusy: () => this.isBusy,
      flush: () => this.flush(),
      onOpened: (session) => {
        this.#session = session;
        if ('mode' in session) this.#onEvent({ type: 'mode', ...(session.mode && { mode: session.mode }) });
        this.#settings.opened(session.settings);
        if (session.commands) sink.commandsChanged(session.commands);
      },
      onEvent: (event, session) => {
        this.#onEvent(event);
        this.#backpressure.check(session);
      },
    });
  }

  /** True while the agent works, also until it is idle after a cancelled turn. */
  get isBusy(): boolean {
    return this.#current !== undefined || this.#waiting.size > 0;
  }

  /** Opens the agent's session, so that a failure shows when the session is created and not at its first turn. */
  async open(): Promise<void> {
    const { sink } = this.#options;
    if (!sink.isAlone) await sink.untilAlone(this.#disposal.signal);
    await this.#agent.open();
    this.#agent.closeWhenIdle();
  }

  start(turnId: string, message: UserMessage): void {
    this.#enqueue(this.#newTurn(turnId), (turn) => this.#begin(turn, message));
  }

  /** Goes on with a turn of an earlier host. `failed` is called when that can't be done; nothing of it runs any more then. */
  goOn(active: ActiveTurn, failed: () => void): void {
    const turn = this.#newTurn(active.id);
    turn.mapper.adopt(active);
    const { signal } = this.#disposal;
    this.#enqueue(turn, () => goOnWith({ turn, agent: this.#agent, sink: this.#options.sink, signal, failed }));
  }

  #enqueue(turn: AgentTurn, work: (turn: AgentTurn) => Promise<void>): void {
    this.#waiting.set(turn.id, turn);
    this.#queue = this.#queue.then(() => this.#run(turn, work));
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
    const session = await this.#agent.session?.catch(() => undefined);
    if (!session?.steer || !turn) return;
    // It must not overtake what was chosen before it.
    await Promise.race([this.#settings.answered(), turn.settled.promise]);
    const whole = await this.#options.sink.wholeMessage(message).catch((error: unknown) => {
      this.#options.log.warn(`a steering message could not be read: ${errorMessage(error)}`);
    });
    if (!whole || turn !== this.#current || turn.isCancelled) return;
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
    void this.#agent.session
      ?.then((session) => session.answer(agentId, full))
      .catch((error) => this.#failed(turn, error));
  }

  /** Gives input to a call that runs. Returns why the agent did not take it. */
  input(id: string, input: ToolInput): Refusal | undefined {
    const agentId = this.#current?.isCancelled === false ? this.#current.mapper.agentIdOf(id) : undefined;
    if (agentId === undefined) return refuse('callNotRunning');
    if (!this.#session?.input) return refuse('takesNoInput');
    try {
      const problem = this.#session.input(agentId, input);
      return problem && refuse(problem);
    } catch {
      // Its message could say what was typed.
      return refuse('callNotRunning');
    }
  }

  /** The native id of a copy of the agent's memory, if its session is open and the agent can make one. */
  fork(): Promise<string | undefined> {
    return this.#agent.fork();
  }

  /** The newest turns, which began with these messages, were removed from the conversation. A message that comes now waits for this. */
  rewind(messages: readonly UserMessage[] | undefined): Promise<void> {
    this.#queue = this.#queue
      .then(() => this.#agent.rewind(messages))
      .catch((error: unknown) => this.#options.log.warn(`the agent could not go back: ${errorMessage(error)}`));
    return this.#queue;
  }

  /** Closes the agent's session and does this, before any message that comes now. */
  apart(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(() => this.#agent.close()).then(work);
    this.#queue = done.catch(() => {});
    return done;
  }

  revokeApproval(id: string): void {
    void this.#agent.session?.then((session) => session.revokeApproval?.(id)).catch(() => {});
  }

  setModel(model: string): void {
    void this.#agent.session
      ?.then((session) => session.setModel?.(model))
      .catch((error) => {
        this.#options.log.warn(`the agent could not change its model: ${errorMessage(error)}`);
      });
  }

  setSetting(id: string, value: string): void {
    this.#settings.choose(id, value);
  }

  /** The agent's credentials have changed: it is closed, and its next turn starts it with the new ones. */
  renew(): void {
    this.#agent.renew();
    if (!this.isBusy) void this.#agent.closeStale();
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
    this.#agent.staysOpen();
    this.#settings.dispose();
    this.#disposal.abort();
    for (const turn of [this.#current, ...this.#waiting.values()]) {
      if (!turn) continue;
      turn.isCancelled = true;
      turn.mapper.end();
      turn.preparing?.abort(new Error('the session was closed'));
      turn.settled.resolve();
    }
    await this.#agent.close();
  }

  async #run(turn: AgentTurn, work: (turn: AgentTurn) => Promise<void>): Promise<void> {
    this.#waiting.delete(turn.id);
    if (turn.isCancelled || this.#disposal.signal.aborted) {
      turn.sent.resolve();
      return;
    }
    this.#agent.staysOpen();
    this.#current = turn;
    await work(turn).catch((error: unknown) => this.#failed(turn, error));
    turn.sent.resolve();
    await turn.settled.promise;
    this.#ended(turn);
  }

  async #begin(turn: AgentTurn, message: UserMessage): Promise<void> {
    await this.#prepare(turn);
    const kept = turn.isCancelled ? undefined : this.#options.sink.keepFolder(turn.id);
    await this.#agent.closeStale();
    const session = turn.isCancelled ? undefined : await this.#agent.open();
    const whole = session && (await this.#options.sink.wholeMessage(message));
    if (whole && !this.#settings.isQuiet) await this.#settings.settled(turn);
    if (kept !== undefined) await kept;
    if (whole && !turn.isCancelled) {
      this.#agent.sends();
      await session.send(whole);
    } else if (this.#current === turn) turn.settled.resolve();
  }

  /** Begins a turn for what the agent does between two turns. No message is sent for it. */
  #beginOwn(): void {
    const turn = this.#newTurn(this.#options.newId());
    if (this.#disposal.signal.aborted || !this.#options.sink.beginOwnTurn(turn.id)) return;
    this.#agent.staysOpen();
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
    if (this.#waiting.size === 0) void this.#agent.closeStale();
    this.#agent.closeWhenIdle();
  }

  async #prepare(turn: AgentTurn): Promise<void> {
    const { sink } = this.#options;
    const { preparation } = sink;
    if (!preparation && sink.isAlone) return;
    turn.preparing = new AbortController();
    const { signal } = turn.preparing;
    try {
      if (!sink.isAlone) await sink.untilAlone(signal);
      await preparation?.prepare(turn.id, signal);
    } catch (error) {
      if (!turn.isCancelled) throw error;
    } finally {
      turn.preparing = undefined;
    }
    if (preparation) await this.#agent.closeUnless(preparation.key);
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
    const begin = { isCancelled: false, written: 0, preparing: undefined, modeRefusals: this.#settings.modeRefusals };
    return { id, mapper, gatherer, gate, settled, sent, ...begin };
  }

  #onEvent(event: AgentEvent): void {
    const turn = this.#current;
    if (event.type === 'commands' || event.type === 'approval') {
      if (event.type === 'commands') this.#options.sink.commandsChanged(event.commands);
      else this.#options.sink.approvalAdded(event.approval);
      return;
    }
    if (event.type === 'settings') {
      this.#settings.reported(event.settings);
      return;
    }
    if (event.type === 'mode' && !this.#settings.modeReported(event.mode?.id)) return;
    if (event.type === 'ownTurn') {
      if (!turn || (turn.mapper.ended && !turn.isCancelled)) this.#beginOwn();
      return;
    }
    if (!turn) {
      const mapped = mapSessionEvent(event);
      if (mapped) this.#tell(mapped);
      return;
    }
    if (event.type === 'error') void this.#agent.close();
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
    void this.#agent.close();
    turn.settled.resolve();
  }

  /** Reports a failure as the turn's error. The next turn opens the agent's session again. */
  #failed(turn: AgentTurn, error: unknown): void {
    const errorType = isLoginRequired(error) ? LOGIN_REQUIRED : 'agentFailed';
    turn.gatherer.push({ type: 'error', error: { errorType, message: errorMessage(error) } });
    void this.#agent.close();
    turn.settled.resolve();
  }

  async #abort(turn: AgentTurn): Promise<void> {
    const session = await this.#agent.session?.catch(() => undefined);
    const timer = setTimeout(() => {
      this.#options.log.warn(`the agent did not stop within ${this.#options.abortGraceMs} ms: ending it`);
      void this.#agent.close();
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
}
