import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { fileURLToPath } from 'node:url';
import { errorMessage, grantsTrust, TRUST_REQUEST } from '@agenthost/protocol/internal';
import { z } from 'zod';
import type { Decision } from '../../agents/agent.js';
import type { AgentAction } from '../../agents/events/agentEventMapper.js';
import { inlineCode } from '../../agents/events/markdownCode.js';
import { PendingAnswers } from '../../agents/events/pendingAnswers.js';
import { trustQuestion } from '../../customizations/trustQuestion.js';
import type { WorkspaceTrust } from '../../customizations/workspaceTrust.js';
import { readSmallFile } from '../../storage/fs/foreignFile.js';
import { runProcess } from '../../work/gitProcess.js';
import type { SessionWork } from '../../work/sessionWork.js';
import type { Worktrees } from '../../work/worktrees/worktrees.js';
import type { ToolOutputs } from '../content/toolOutputs.js';
import type { SessionStore } from '../sessionStore.js';

/** In the top folder of a project: what the host needs to know of it. */
export const PROJECT_FILE = '.agenthost/project.json';

const MAX_FILE_BYTES = 64 * 1024;
const MAX_COMMAND = 4_000;
/** Dependencies of a large project, over a slow network. */
const SETUP_MS = 30 * 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

const project = z.object({ setup: z.string().trim().min(1).max(MAX_COMMAND).optional() });

export interface WorktreeSetupOptions {
  readonly store: Pick<SessionStore, 'uri' | 'state' | 'dispatch'>;
  readonly worktrees: Pick<Worktrees, 'find'>;
  readonly trust: WorkspaceTrust;
  readonly work: Pick<SessionWork, 'ownTurns'>;
  readonly outputs: Pick<ToolOutputs, 'pass'>;
  readonly env: Readonly<Record<string, string>>;
  readonly newId: () => string;
}

interface Setup {
  readonly command: string;
  readonly folder: string;
  /** The repository whose trust counts. */
  readonly repository: string;
}

/**
 * The set-up command of a project, which runs once in a new worktree: as a turn of the host, so that everyone sees it and messages
 * wait for its end. It is a command of the repository, so that it asks for trust first.
 */
export class WorktreeSetup {
  readonly #options: WorktreeSetupOptions;
  readonly #answers = new PendingAnswers();
  #found: Setup | undefined;
  #running: { readonly turnId: string; readonly ending: AbortController } | undefined;

  constructor(options: WorktreeSetupOptions) {
    this.#options = options;
  }

  /** Called for a new session. Never rejects: a file that can't be read sets nothing up. */
  async find(): Promise<void> {
    const { store, worktrees } = this.#options;
    const { metadata, workingDirectory } = store.state.summary;
    if (metadata?.['isolation'] !== 'worktree' || workingDirectory === undefined) return;
    const worktree = await worktrees.find(fileURLToPath(workingDirectory)).catch(() => undefined);
    if (!worktree) return;
    try {
      const text = await readSmallFile(join(worktree.path, PROJECT_FILE), MAX_FILE_BYTES);
      const { setup } = text === undefined ? {} : project.parse(JSON.parse(text));
      if (setup === undefined) return;
      this.#found = { command: setup, folder: worktree.path, repository: worktree.repository };
    } catch {
      // What is wrong in a file of the repository is not the session's failure.
    }
  }

  /** Begins the turn of the set-up, if there is one to run. */
  begin(): boolean {
    const setup = this.#found;
    const { store, work, newId } = this.#options;
    if (!setup || store.state.activeTurn || store.state.lifecycle !== 'ready') return false;
    this.#found = undefined;
    const turnId = newId();
    const ending = new AbortController();
    work.ownTurns.add(turnId);
    store.dispatch({ type: 'session/turnStarted', turnId, userMessage: { text: '' }, origin: 'agent' });
    this.#running = { turnId, ending };
    void this.#run(setup, turnId, ending.signal);
    return true;
  }

  answer(requestId: string, decision: Decision): void {
    this.#answers.answer(requestId, decision);
  }

  cancel(turnId: string): void {
    if (this.#running?.turnId === turnId) this.close();
  }

  close(): void {
    this.#running?.ending.abort(new Error('the set-up was stopped'));
  }

  async #run(setup: Setup, turnId: string, signal: AbortSignal): Promise<void> {
    try {
      if (await this.#isAllowed(setup, turnId, signal)) await this.#runCommand(setup, turnId, signal);
      else this.#say(turnId, `The set-up command ${inlineCode(setup.command, 200)} was not run.`);
    } catch (error) {
      this.#say(turnId, `The set-up command could not be run: ${errorMessage(error)}`);
    }
    this.#running = undefined;
    this.#dispatch({ type: 'session/turnComplete', turnId });
  }

  async #isAllowed({ command, repository }: Setup, turnId: string, signal: AbortSignal): Promise<boolean> {
    const { store, trust } = this.#options;
    if (await trust.isTrusted(repository)) return true;
    const requestId = `${TRUST_REQUEST}${randomUUID()}`;
    const answered = this.#answers.wait(requestId, signal);
    const runs = [`${inlineCode(command, MAX_COMMAND)}, the set-up command in ${inlineCode(PROJECT_FILE, 100)}`];
    const request = trustQuestion({ requestId, folder: repository, runs, agentName: '', isNeeded: false });
    store.dispatch({ type: 'session/permissionRequest', turnId, request });
    const { approved, optionId } = await answered;
    if (!grantsTrust(requestId, approved, optionId)) return false;
    await trust.trust(repository);
    return true;
  }

  async #runCommand({ command, folder }: Setup, turnId: string, signal: AbortSignal): Promise<void> {
    const toolCallId = this.#options.newId();
    this.#dispatch({
      type: 'session/toolStart',
      turnId,
      toolCall: {
        toolCallId,
        toolName: 'setup',
        displayName: 'Set-up',
        invocationMessage: `Setting up the worktree: ${command.split('\n', 1)[0]?.slice(0, 200)}`,
        toolKind: 'terminal',
        language: 'shellscript',
        toolInput: command,
        status: 'running',
        confirmed: { how: 'notNeeded' },
      },
    });
    const [out, err] = [new StringDecoder('utf8'), new StringDecoder('utf8')];
    const tell = (decoder: StringDecoder) => (piece: Buffer) => {
      const output = decoder.write(piece);
      if (output !== '') this.#dispatch({ type: 'session/toolUpdate', turnId, toolCallId, output });
    };
    const result = await runProcess(['-c', command], {
      program: 'sh',
      cwd: folder,
      env: this.#options.env,
      stdin: undefined,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      onOutput: tell(out),
      onStderr: tell(err),
      timeoutMs: SETUP_MS,
      signal,
    }).catch((error: unknown) => errorMessage(error));
    const [exitCode, problem] = typeof result === 'string' ? [undefined, result] : [result.exitCode, undefined];
    const success = exitCode === 0;
    const pastTenseMessage = success ? 'Set the worktree up' : 'The set-up of the worktree failed';
    this.#dispatch({
      type: 'session/toolComplete',
      turnId,
      toolCallId,
      result: {
        success,
        pastTenseMessage,
        ...(exitCode !== undefined && { exitCode }),
        ...(problem !== undefined && { toolOutput: problem }),
      },
    });
    if (!success) {
      const how = exitCode === undefined ? problem : `it ended with ${exitCode}`;
      this.#say(
        turnId,
        `The set-up command failed: ${how}. The session goes on without it; a terminal can run it again.`,
      );
    }
  }

  #say(turnId: string, text: string): void {
    const part = { kind: 'notice', id: `setup-${randomUUID()}`, text, severity: 'warning' } as const;
    this.#dispatch({ type: 'session/responsePart', turnId, part });
  }

  #dispatch(action: AgentAction): void {
    for (const passed of this.#options.outputs.pass(action)) this.#options.store.dispatch(passed);
  }
}
