import { stat } from 'node:fs/promises';
import { setImmediate as immediate } from 'node:timers/promises';
import type { Attachment, UserMessage } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import { type Disposable, Emitter } from '@agenthost/rpc';
import { warnOfListenerError } from '../../hostLog.js';
import { findProcesses } from '../../processes/processList.js';
import { DISPOSE_STAGES, stopProcesses } from '../../processes/stopProcesses.js';
import type { TempFiles } from '../../storage/stateRoot/tempFiles.js';
import type { AgentEvent, AgentSession, Decision, LeftTurn, Outliving, ToolInput, ToolInputProblem } from '../agent.js';
import { PendingAnswers } from '../events/pendingAnswers.js';
import type { ProgramInfo } from '../runner/runnerProtocol.js';
import { UnrunnableCommand } from './commandScript.js';
import type { Shell } from './findShell.js';
import { followOutliving, savedBy, startOutliving } from './outlivingCommand.js';
import { type CommandOutcome, type HeldOutput, runShellCommand, terminalMarker } from './shellCommand.js';
import { ALWAYS, announcement, HELP, invocationOf, resultOf, titleOf, unrunnable } from './shellDisplay.js';
import type { ShellMemory } from './shellMemory.js';
import { TerminalInput } from './terminalInput.js';

export interface ShellSessionOptions {
  readonly sessionId: string;
  readonly shell: Shell;
  readonly memory: ShellMemory;
  readonly tempFiles?: TempFiles | undefined;
  /** Where commands go on without the host. */
  readonly outliving?: Outliving | undefined;
  readonly resumed: boolean;
  onDispose(): void;
}

interface ShellTurn {
  readonly aborted: AbortController;
  readonly done: Promise<void>;
}

const NOT_RUN: AgentEvent = { type: 'text', text: 'Not run.' };

/** The call of a turn. All but the first four are of a turn that an earlier host has left. */
interface ShellCall {
  readonly toolCallId: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly signal: AbortSignal;
  /** Where it runs if it outlives the host. */
  readonly reserved?: ProgramInfo | undefined;
  /** It runs, or has ended: in `reserved`. */
  readonly isStarted?: boolean;
  readonly isAnnounced?: boolean;
  /** The command that was allowed. */
  readonly allowed?: string | undefined;
  /** How much of its output was reported, in bytes. */
  readonly printed?: number;
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
    const { signal } = aborted;
    this.#turn = {
      aborted,
      done: this.#run(signal, () => this.#take(text.replaceAll('\r\n', '\n'), attachments, signal)),
    };
  }

  async goOn(turn: LeftTurn): Promise<boolean> {
    const left = this.#options.outliving?.runner.left;
    const isOfTurn = left?.note['turnId'] === turn.id;
    // What has a call was reserved before it; without a call, nothing of the turn has begun.
    if (!isOfTurn && Object.keys(turn.calls).length > 0) return false;
    if (this.#turn || this.#disposing !== undefined) return false;
    const aborted = new AbortController();
    const { signal } = aborted;
    const { text, attachments = [] } = turn.message;
    const anew = () => this.#take(text.replaceAll('\r\n', '\n'), attachments, signal);
    const work = left && isOfTurn ? () => this.#takeUp(turn, left, signal) : anew;
    this.#turn = { aborted, done: this.#run(signal, work) };
    return true;
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
    if (this.#ran) await this.#options.outliving?.runner.end().catch(() => {});
    this.#options.onDispose();
  }

  async #run(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    // Waits so that `send` has resolved before the first event.
    await immediate();
    let last: AgentEvent = { type: 'idle' };
    try {
      if (!signal.aborted) await work();
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
    const reserved = await this.#reserve(toolCallId);
    await this.#call({ toolCallId, text, attachments, signal, reserved });
  }

  /** Goes on where an earlier host was killed. */
  async #takeUp({ message, calls, hasText, printed }: LeftTurn, left: ProgramInfo, signal: AbortSignal): Promise<void> {
    const { text: sent, attachments = [] } = message;
    const toolCallId = String(left.note['toolCallId']);
    const call = calls[toolCallId];
    this.#ran = true;
    if (call?.status === 'completed') return this.#remember({ saved: await savedBy(left) });
    if (call?.status === 'cancelled') return hasText ? undefined : this.#emit(NOT_RUN);
    const text = sent.replaceAll('\r\n', '\n');
    const isStarted = left.state !== 'reserved';
    const wasAllowed = call?.status === 'running' || (!call && left.note['isAllowed'] === true);
    const edited = call?.status === 'running' && call.confirmed.edited ? call.toolInput : undefined;
    const allowed = wasAllowed ? (edited ?? text) : undefined;
    if (edited !== undefined && call?.invocationMessage !== invocationOf(edited)) {
      this.#emit({ type: 'toolUpdate', toolCallId, invocationMessage: invocationOf(edited) });
    }
    if (!call && wasAllowed) this.#emit({ type: 'toolStart', toolCall: announcement(toolCallId, text, 'policy') });
    await this.#call({
      ...{ toolCallId, text, attachments, signal, isStarted, allowed },
      // Anew, so that its folder is empty.
      reserved: isStarted ? left : await this.#reserve(toolCallId),
      isAnnounced: call !== undefined,
      printed: isStarted ? await printed(toolCallId) : 0,
    });
  }

  /** Before anything says that the command runs: a host that comes later knows what was begun. */
  async #reserve(toolCallId: string): Promise<ProgramInfo | undefined> {
    const { outliving } = this.#options;
    try {
      return await outliving?.runner.reserve({ turnId: outliving.turnId(), toolCallId, isAllowed: this.#allowAll });
    } catch (error) {
      this.#emit({
        type: 'notice',
        severity: 'warning',
        text: `${errorMessage(error)} This command ends with the host.`,
      });
      return undefined;
    }
  }

  async #call(call: ShellCall): Promise<void> {
    const { toolCallId, signal } = call;
    // From the moment that the call is allowed: the terminal comes a little later.
    const terminal = new TerminalInput();
    this.#input = { toolCallId, terminal };
    const command = call.allowed ?? (await this.#confirm(call));
    if (command === undefined) {
      // An earlier host had the answer already, and nobody else.
      if (call.isStarted) await this.#options.outliving?.runner.end();
      return this.#emit(NOT_RUN);
    }
    try {
      const outcome = await this.#execute(call, command, terminal);
      this.#emit({ type: 'toolComplete', toolCallId, result: resultOf(command, outcome, signal.aborted) });
      await this.#remember(outcome);
    } catch (error) {
      if (!(error instanceof UnrunnableCommand)) throw error;
      this.#emit({ type: 'toolComplete', toolCallId, result: unrunnable(command, error.message) });
    }
  }

  /** The command to run, or its edited form. */
  async #confirm({ toolCallId, text: command, signal, isAnnounced }: ShellCall): Promise<string | undefined> {
    if (this.#allowAll) {
      this.#emit({ type: 'toolStart', toolCall: announcement(toolCallId, command, 'policy') });
      return command;
    }
    // Waits before it asks, so that an answer from within the event handler is received too.
    const answered = this.#answers.wait(toolCallId, signal);
    if (!isAnnounced) this.#emit({ type: 'toolStart', toolCall: announcement(toolCallId, command, 'ask') });
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

  async #execute(call: ShellCall, command: string, input: TerminalInput): Promise<CommandOutcome> {
    const { shell, memory, tempFiles, outliving } = this.#options;
    const { toolCallId, attachments, signal, reserved, isStarted, printed = 0 } = call;
    if (!isStarted) await this.#prepare();
    this.#ran = true;
    const options = {
      ...{ shell, attachments, tempFiles, input, command, signal },
      cwd: memory.cwd,
      env: memory.env(),
      terminalId: memory.terminalId,
      onOutput: (output: string) => this.#emit({ type: 'toolUpdate', toolCallId, output }),
      onStarted: (held: HeldOutput) => {
        this.#output = held;
        if (this.#isPaused) held.hold();
      },
    };
    try {
      if (!reserved || !outliving) return await runShellCommand(options);
      const program = isStarted ? reserved : await startOutliving(reserved, outliving, options);
      return await followOutliving(program, printed, outliving, options);
    } finally {
      this.#output = undefined;
    }
  }

  /** Looks for the folder of the next command. */
  async #prepare(): Promise<void> {
    const { memory } = this.#options;
    for (const notice of memory.takeNotices()) this.#emit({ type: 'notice', text: notice, severity: 'warning' });
    if (await isFolder(memory.cwd)) return;
    const lost = memory.cwd;
    memory.forgetCwd();
    if (!(await isFolder(memory.cwd))) throw new Error(`The session's folder ${memory.cwd} does not exist any more.`);
    const text = `${lost} does not exist any more; running in ${memory.cwd}.`;
    this.#emit({ type: 'notice', text, severity: 'warning' });
  }

  async #remember({ saved }: { readonly saved?: string | undefined }): Promise<void> {
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
