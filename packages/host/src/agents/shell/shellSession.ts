import { stat } from 'node:fs/promises';
import { setImmediate as immediate } from 'node:timers/promises';
import type { Attachment, UserMessage } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import { type Disposable, Emitter } from '@agenthost/rpc';
import { warnOfListenerError } from '../../hostLog.js';
import { findProcesses } from '../../processes/processList.js';
import { DISPOSE_STAGES, stopProcesses } from '../../processes/stopProcesses.js';
import type { TempFiles } from '../../storage/stateRoot/tempFiles.js';
import type { AgentEvent, AgentSession, Decision, ToolInput, ToolInputProblem } from '../agent.js';
import { PendingAnswers } from '../events/pendingAnswers.js';
import { UnrunnableCommand } from './commandScript.js';
import type { Shell } from './findShell.js';
import { type CommandOutcome, type HeldOutput, runShellCommand, terminalMarker } from './shellCommand.js';
import { ALWAYS, announcement, HELP, invocationOf, resultOf, titleOf, unrunnable } from './shellDisplay.js';
import type { ShellMemory } from './shellMemory.js';
import { TerminalInput } from './terminalInput.js';

export interface ShellSessionOptions {
  readonly sessionId: string;
  readonly shell: Shell;
  readonly memory: ShellMemory;
  readonly tempFiles?: TempFiles | undefined;
  readonly resumed: boolean;
  onDispose(): void;
}

interface ShellTurn {
  readonly aborted: AbortController;
  readonly done: Promise<void>;
}

/** Runs each message as a command, in its own terminal, after asking. */
export class ShellSession implements AgentSession {
  readonly nativeSessionId: string;
  readonly #options: ShellSessionOptions;
  readonly #events = new Emitter<AgentEvent>(warnOfListenerError);
  readonly #answers = new PendingAnswers();
  #titled: boolean;
  /** Whether there may be processes to look for. */
  #ran: boolean;
  #allowAll = false;
  #output: HeldOutput | undefined;
  #input: { readonly toolCallId: string; readonly terminal: TerminalInput } | undefined;
  #isPaused = false;
  #turn: ShellTurn | undefined;
  #disposing: Promise<void> | undefined;

  constructor(options: ShellSessionOptions) {
    this.#options = options;
    this.#titled = options.resumed;
    this.#ran = options.resumed;
    this.nativeSessionId = options.sessionId;
  }

  onEvent(listener: (event: AgentEvent) => void): Disposable {
    return this.#events.event(listener);
  }

  async send({ text, attachments = [] }: UserMessage): Promise<void> {
    if (this.#disposing !== undefined) throw new Error('the session is disposed of');
    if (this.#turn) throw new Error('a turn is running already');
    const aborted = new AbortController();
    this.#turn = { aborted, done: this.#run(text.replaceAll('\r\n', '\n'), attachments, aborted.signal) };
  }

  pause(): void {
    this.#isPaused = true;
    this.#output?.hold();
  }

  resume(): void {
    this.#isPaused = false;
    this.#output?.release();
  }

  answer(requestId: string, decision: Decision): void {
    this.#answers.answer(requestId, decision);
  }

  input(toolCallId: string, input: ToolInput): ToolInputProblem | undefined {
    return this.#input?.toolCallId === toolCallId ? this.#input.terminal.give(input) : 'callNotRunning';
  }

  revokeApproval(id: string): void {
    if (id === ALWAYS.id) this.#allowAll = false;
  }

  /** Resolves when the turn has ended and no process of its command is left. */
  async abort(): Promise<void> {
    this.#turn?.aborted.abort();
    await this.#turn?.done;
  }

  dispose(): Promise<void> {
    this.#disposing ??= this.#end();
    return this.#disposing;
  }

  async #end(): Promise<void> {
    this.#events.clear();
    const turn = this.#turn;
    turn?.aborted.abort();
    // Includes background jobs of earlier turns, without the grace time of an abort.
    const marker = terminalMarker(this.#options.memory.terminalId);
    if (this.#ran) await stopProcesses(() => findProcesses({ marker }), DISPOSE_STAGES);
    await turn?.done;
    this.#options.onDispose();
  }

  async #run(text: string, attachments: readonly Attachment[], signal: AbortSignal): Promise<void> {
    // Waits so that `send` has resolved before the first event.
    await immediate();
    let last: AgentEvent = { type: 'idle' };
    try {
      if (!signal.aborted) await this.#take(text, attachments, signal);
    } catch (error) {
      const message = errorMessage(error);
      if (!signal.aborted) last = { type: 'error', error: { errorType: 'ShellFailed', message } };
    }
    // The turn ends before its event is emitted, because a listener may send the next message at once.
    this.#turn = undefined;
    this.#emit(last);
  }

  async #take(text: string, attachments: readonly Attachment[], signal: AbortSignal): Promise<void> {
    if (text.trim() === '') return this.#emit({ type: 'text', text: HELP });
    if (!this.#titled) this.#emit({ type: 'title', title: titleOf(text) });
    this.#titled = true;
    const toolCallId = crypto.randomUUID();
    // From the moment that the call is allowed: the terminal comes a little later.
    const terminal = new TerminalInput();
    this.#input = { toolCallId, terminal };
    const command = await this.#confirm(toolCallId, text, signal);
    if (command === undefined) return this.#emit({ type: 'text', text: 'Not run.' });
    try {
      const outcome = await this.#execute(toolCallId, command, attachments, terminal, signal);
      this.#emit({ type: 'toolComplete', toolCallId, result: resultOf(command, outcome, signal.aborted) });
      await this.#remember(outcome);
    } catch (error) {
      if (!(error instanceof UnrunnableCommand)) throw error;
      this.#emit({ type: 'toolComplete', toolCallId, result: unrunnable(command, error.message) });
    }
  }

  /** The command to run, or its edited form. */
  async #confirm(toolCallId: string, command: string, signal: AbortSignal): Promise<string | undefined> {
    if (this.#allowAll) {
      this.#emit({ type: 'toolStart', toolCall: announcement(toolCallId, command, 'policy') });
      return command;
    }
    // Waits before it asks, so that an answer from within the event handler is received too.
    const answered = this.#answers.wait(toolCallId, signal);
    this.#emit({ type: 'toolStart', toolCall: announcement(toolCallId, command, 'ask') });
    const { approved, optionId, editedToolInput = command } = await answered;
    if (!approved || optionId === 'deny') return undefined;
    if (optionId === ALWAYS.id) {
      this.#allowAll = true;
      this.#emit({ type: 'approval', approval: ALWAYS });
    }
    if (editedToolInput !== command) {
      this.#emit({ type: 'toolUpdate', toolCallId, invocationMessage: invocationOf(editedToolInput) });
    }
    return editedToolInput;
  }

  async #execute(
    toolCallId: string,
    command: string,
    attachments: readonly Attachment[],
    input: TerminalInput,
    signal: AbortSignal,
  ): Promise<CommandOutcome> {
    const { shell, memory, tempFiles } = this.#options;
    for (const notice of memory.takeNotices()) this.#emit({ type: 'notice', text: notice, severity: 'warning' });
    if (!(await isFolder(memory.cwd))) {
      const lost = memory.cwd;
      memory.forgetCwd();
      if (!(await isFolder(memory.cwd))) throw new Error(`The session's folder ${memory.cwd} does not exist any more.`);
      const text = `${lost} does not exist any more; running in ${memory.cwd}.`;
      this.#emit({ type: 'notice', text, severity: 'warning' });
    }
    this.#ran = true;
    const running = runShellCommand({
      shell,
      attachments,
      tempFiles,
      input,
      command,
      cwd: memory.cwd,
      env: memory.env(),
      terminalId: memory.terminalId,
      signal,
      onOutput: (output) => this.#emit({ type: 'toolUpdate', toolCallId, output }),
      onStarted: (held) => {
        this.#output = held;
        if (this.#isPaused) held.hold();
      },
    });
    return running.finally(() => {
      this.#output = undefined;
    });
  }

  async #remember({ saved }: CommandOutcome): Promise<void> {
    const { memory } = this.#options;
    if (saved !== undefined) await memory.remember(saved);
    for (const notice of memory.takeNotices()) this.#emit({ type: 'notice', text: notice, severity: 'warning' });
  }

  #emit(event: AgentEvent): void {
    if (this.#disposing === undefined) this.#events.fire(event);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
