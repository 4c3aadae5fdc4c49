import type { UserMessage } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import type { Agent, AgentEvent, AgentSession } from '../../agents/agent.js';
import type { HostLog } from '../../hostLog.js';
import type { TurnSink } from './turnSink.js';

/** Events by which an agent shows that its model has had the message. */
const ANSWERS: ReadonlySet<AgentEvent['type']> = new Set(['text', 'reasoning', 'toolStart', 'idle']);

export interface OpenedAgentOptions {
  readonly agent: Agent;
  readonly sink: TurnSink;
  readonly idleMs: number;
  readonly log: HostLog;
  /** Aborted when the run is disposed of. */
  readonly signal: AbortSignal;
  readonly isBusy: () => boolean;
  /** Publishes what is gathered of the agent's reports. */
  readonly flush: () => void;
  /** Called once for each session that was opened, before its events. */
  readonly onOpened: (session: AgentSession) => void;
  readonly onEvent: (event: AgentEvent, session: AgentSession) => void;
}

/** The agent's own session: opened when a turn needs it, closed when it is not used, and resumed by the next turn. */
export class OpenedAgent {
  readonly #options: OpenedAgentOptions;
  #opened: Promise<AgentSession> | undefined;
  #openedWith: string | undefined;
  /** It is new and has had no message yet. */
  #isBlank = false;
  /** Open a new one next time: the agent may not have stored one without a message. */
  #beginsAnew = false;
  /** The native id that it was to be resumed with. */
  #resumed: string | undefined;
  #isUntold = false;
  /** It was started with credentials that have changed since. */
  #isStale = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: OpenedAgentOptions) {
    this.#options = options;
  }

  get session(): Promise<AgentSession> | undefined {
    return this.#opened;
  }

  /** It does not have the earlier turns before it has answered a message. */
  get isUntold(): boolean {
    return this.#isUntold;
  }

  open(): Promise<AgentSession> {
    if (this.#opened !== undefined) return this.#opened;
    const { sink, signal } = this.#options;
    this.#openedWith = sink.preparation?.key;
    const opening = this.#openSession().then(async (session) => {
      if (signal.aborted || this.#opened !== opening) {
        await session.dispose();
        throw new Error('the session was closed while its agent was starting');
      }
      session.onEvent((event) => {
        if (this.#opened !== opening) return;
        if (event.type === 'idle' || (this.#isUntold && ANSWERS.has(event.type))) {
          this.#isUntold = false;
          sink.agentOpened(session.nativeSessionId);
        }
        this.#options.onEvent(event, session);
      });
      // One that has yet to be told of earlier turns is not resumed: it would never hear of them.
      this.#isUntold = sink.hasHistory && session.nativeSessionId !== this.#resumed;
      if (!this.#isUntold) sink.agentOpened(session.nativeSessionId);
      this.#options.onOpened(session);
      return session;
    });
    this.#opened = opening;
    opening.catch(() => {
      if (this.#opened === opening) this.#opened = undefined;
    });
    return opening;
  }

  /** The agent gets a message now. */
  sends(): void {
    this.#isBlank = false;
  }

  /** The next turn starts the agent with its new credentials. */
  renew(): void {
    this.#isStale = true;
  }

  /** The newest turns were removed: the agent forgets them, or is opened anew and told what remains. */
  async rewind(messages: readonly UserMessage[] | undefined): Promise<void> {
    const session = await this.#opened?.catch(() => undefined);
    if (session?.rewind && messages && !this.#isUntold && !this.#isStale) {
      const isDone = await session.rewind(messages).catch((error: unknown) => {
        this.#options.log.debug(`the agent did not go back: ${errorMessage(error)}`);
        return false;
      });
      if (isDone) return;
    }
    this.#beginsAnew = true;
    await this.close();
    await this.#options.sink.agentForgotten();
  }

  /** As `AgentRun.fork`. */
  async fork(): Promise<string | undefined> {
    const { isBusy, log } = this.#options;
    if (isBusy() || this.#isUntold) return undefined;
    try {
      const session = await this.#opened;
      return isBusy() ? undefined : await session?.fork?.();
    } catch (error) {
      log.debug(`the agent did not copy its session: ${errorMessage(error)}`);
      return undefined;
    }
  }

  async closeStale(): Promise<void> {
    if (!this.#isStale) return;
    this.#isStale = false;
    this.#beginsAnew = this.#opened !== undefined && this.#isBlank;
    await this.close();
  }

  /** Closes it if it was opened with other customizations than those that count now. */
  async closeUnless(key: string | undefined): Promise<void> {
    if (this.#opened === undefined || key === this.#openedWith) return;
    this.#beginsAnew = this.#isBlank;
    await this.close();
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    // The agent that kept them is gone.
    this.#options.sink.approvalsEnded();
    const session = await opened?.catch(() => undefined);
    await session?.dispose().catch((error: unknown) => {
      this.#options.log.warn(`an agent did not end cleanly: ${errorMessage(error)}`);
    });
  }

  /** Closes it when no turn comes for some time. */
  closeWhenIdle(): void {
    this.staysOpen();
    if (this.#options.signal.aborted) return;
    this.#idleTimer = setTimeout(() => {
      if (!this.#options.isBusy()) void this.close();
    }, this.#options.idleMs);
    this.#idleTimer.unref();
  }

  staysOpen(): void {
    clearTimeout(this.#idleTimer);
  }

  async #openSession(): Promise<AgentSession> {
    const { agent, sink, signal } = this.#options;
    const { resume, mode, outliving, ...others } = await sink.openOptions();
    const stored = async () => {
      this.#options.flush();
      await outliving?.stored();
    };
    const options = { ...others, ...(outliving && { outliving: { ...outliving, stored } }) };
    const goesOn = resume !== undefined && !this.#beginsAnew;
    this.#beginsAnew = false;
    this.#isBlank = !goesOn;
    this.#resumed = goesOn ? resume : undefined;
    if (goesOn) return agent.openSession({ ...options, resume, ...(mode !== undefined && { mode }), signal });
    const wanted = options.config['mode'];
    if (wanted !== undefined && typeof wanted !== 'string') throw new Error('config.mode must be the id of a mode.');
    const session = await agent.openSession({ ...options, signal });
    if (wanted === undefined || session.mode) return session;
    await session.dispose();
    throw new Error(`${agent.descriptor.displayName} has no modes. Leave config.mode out.`);
  }
}
