import { setImmediate as immediate } from 'node:timers/promises';
import type { SessionSetting, UserMessage } from '@agenthost/protocol';
import { type Disposable, Emitter } from '@agenthost/rpc';
import { warnOfListenerError } from '../../hostLog.js';
import type { TempFiles } from '../../storage/stateRoot/tempFiles.js';
import type { AgentEvent, AgentSession, Decision } from '../agent.js';
import type { AgentCustomization } from '../agentCustomization.js';
import type { ClientTools } from '../clientTools.js';
import { PendingAnswers } from '../events/pendingAnswers.js';
import { behaviourOf } from './mockBehaviours.js';
import { MockSettings } from './mockSettings.js';
import { MockTurn } from './mockTurn.js';

export interface MockSessionOptions {
  readonly sessionId: string;
  readonly cwd: string;
  readonly model: string;
  readonly models: readonly string[];
  /** The native id of the resumed session. */
  readonly resumed: string | undefined;
  readonly tempFiles?: TempFiles | undefined;
  readonly customizations: readonly AgentCustomization[];
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly clientTools?: ClientTools | undefined;
  onDispose(): void;
}

export class MockSession implements AgentSession {
  readonly nativeSessionId: string;
  readonly #options: MockSessionOptions;
  readonly #events = new Emitter<AgentEvent>(warnOfListenerError);
  readonly #answers = new PendingAnswers();
  readonly #settings: MockSettings;
  #model: string;
  #turn: MockTurn | undefined;
  #begun: Promise<void> | undefined;
  #disposed = false;

  constructor(options: MockSessionOptions) {
    this.#options = options;
    this.#model = options.model;
    this.#settings = new MockSettings(options.settings);
    this.nativeSessionId = `mock-${options.sessionId}`;
  }

  get settings(): readonly SessionSetting[] | undefined {
    return this.#settings.all;
  }

  onEvent(listener: (event: AgentEvent) => void): Disposable {
    return this.#events.event(listener);
  }

  async send(message: UserMessage): Promise<void> {
    if (this.#disposed) throw new Error('the session is disposed of');
    if (this.#turn) throw new Error('a turn is running already');
    const turn = new MockTurn({
      message,
      cwd: this.#options.cwd,
      model: this.#model,
      resumed: this.#options.resumed,
      tempFiles: this.#options.tempFiles,
      customizations: this.#options.customizations,
      answers: this.#answers,
      settings: this.#settings,
      clientTools: this.#options.clientTools,
      emit: (event) => {
        if (this.#turn === turn) this.#events.fire(event);
      },
    });
    this.#turn = turn;
    this.#begun = immediate();
    void this.#run(turn, this.#begun);
  }

  /** A message right after the turn's own message waits for the turn to begin. */
  async steer(message: UserMessage): Promise<void> {
    await this.#begun;
    if (!this.#turn?.takeSteering(message)) throw new Error('this turn takes no steering messages');
  }

  answer(requestId: string, decision: Decision): void {
    this.#answers.answer(requestId, decision);
  }

  async abort(): Promise<void> {
    this.#turn?.abort();
  }

  pause(): void {
    this.#turn?.hold();
  }

  resume(): void {
    this.#turn?.letGo();
  }

  async setModel(id: string): Promise<void> {
    if (!this.#options.models.includes(id)) throw new Error(`There is no model ${JSON.stringify(id)}.`);
    this.#model = id;
  }

  async setSetting(id: string, value: string): Promise<void> {
    await immediate();
    this.#events.fire({ type: 'settings', settings: this.#settings.set(id, value) });
  }

  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    const turn = this.#turn;
    this.#turn = undefined;
    this.#events.clear();
    turn?.dispose();
    this.#options.onDispose();
  }

  async #run(turn: MockTurn, begun: Promise<void>): Promise<void> {
    let last: AgentEvent = { type: 'idle' };
    try {
      // Waits so that `send` has resolved before the first event, and `hang` hangs even when it is aborted at once.
      await begun;
      await behaviourOf(turn.message.text)(turn);
    } catch (error) {
      if (!turn.aborted) last = { type: 'error', error: describe(error) };
    }
    if (this.#turn !== turn) return;
    // The turn ends before its event is emitted, because a listener may send the next message at once.
    this.#turn = undefined;
    this.#events.fire(last);
  }
}

function describe(error: unknown): { errorType: string; message: string } {
  return error instanceof Error
    ? { errorType: error.name, message: error.message }
    : { errorType: 'Error', message: String(error) };
}
