import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises';
import type { UserMessage } from '@agenthost/protocol';
import type { TempFiles } from '../../storage/stateRoot/tempFiles.js';
import type { AgentEvent, Decision } from '../agent.js';
import type { AgentCustomization } from '../agentCustomization.js';
import type { ClientTools } from '../clientTools.js';
import type { PendingAnswers } from '../events/pendingAnswers.js';
import type { MockSettings } from './mockSettings.js';

export interface MockTurnOptions {
  readonly message: UserMessage;
  readonly cwd: string;
  readonly model: string;
  readonly resumed: string | undefined;
  readonly tempFiles: TempFiles | undefined;
  readonly customizations: readonly AgentCustomization[];
  readonly answers: PendingAnswers;
  readonly settings: MockSettings;
  readonly clientTools: ClientTools | undefined;
  emit(event: AgentEvent): void;
}

/** What a behaviour works with. Every wait rejects when the turn is aborted or disposed. */
export class MockTurn {
  readonly message: UserMessage;
  readonly cwd: string;
  readonly model: string;
  readonly resumed: string | undefined;
  readonly tempFiles: TempFiles | undefined;
  readonly customizations: readonly AgentCustomization[];
  readonly settings: MockSettings;
  readonly clientTools: ClientTools | undefined;
  readonly emit: (event: AgentEvent) => void;
  readonly #answers: PendingAnswers;
  readonly #aborted = new AbortController();
  readonly #disposed = new AbortController();
  #held: PromiseWithResolvers<void> | undefined;
  #onSteering: ((message: UserMessage) => void) | undefined;

  constructor(options: MockTurnOptions) {
    this.message = options.message;
    this.cwd = options.cwd;
    this.model = options.model;
    this.resumed = options.resumed;
    this.tempFiles = options.tempFiles;
    this.customizations = options.customizations;
    this.settings = options.settings;
    this.clientTools = options.clientTools;
    this.emit = options.emit;
    this.#answers = options.answers;
  }

  get aborted(): boolean {
    return this.#aborted.signal.aborted;
  }

  get signal(): AbortSignal {
    return this.#aborted.signal;
  }

  abort(): void {
    this.#aborted.abort();
    this.letGo();
  }

  dispose(): void {
    this.abort();
    this.#disposed.abort();
  }

  text(text: string): void {
    this.emit({ type: 'text', text });
  }

  /** Without a time it only yields; while the agent is paused, it waits for the resume. */
  async pause(ms?: number): Promise<void> {
    const { signal } = this.#aborted;
    await (ms === undefined ? immediate(undefined, { signal }) : delay(ms, undefined, { signal }));
    await this.#held?.promise;
    signal.throwIfAborted();
  }

  hold(): void {
    this.#held ??= Promise.withResolvers();
  }

  letGo(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  answer(requestId: string): Promise<Decision> {
    return this.#answers.wait(requestId, this.#aborted.signal);
  }

  steering(): Promise<UserMessage> {
    return new Promise((resolve, reject) => {
      this.#aborted.signal.throwIfAborted();
      this.#onSteering = resolve;
      this.#aborted.signal.addEventListener('abort', () => reject(this.#aborted.signal.reason), { once: true });
    });
  }

  /** Returns whether the turn waited for a steering message. */
  takeSteering(message: UserMessage): boolean {
    const take = this.#onSteering;
    this.#onSteering = undefined;
    take?.(message);
    return take !== undefined;
  }

  /** Rejects only when the session is disposed, not on an abort. */
  hang(): Promise<never> {
    return new Promise((_, reject) => {
      this.#disposed.signal.throwIfAborted();
      this.#disposed.signal.addEventListener('abort', () => reject(this.#disposed.signal.reason), { once: true });
    });
  }
}
