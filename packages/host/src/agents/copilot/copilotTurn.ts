import { fileURLToPath } from 'node:url';
import { LOGIN_REQUIRED, type PermissionRequest } from '@agenthost/protocol';
import { type Confinement, isWithin } from '../../storage/fs/confinement.js';
import type { AgentEvent, Decision } from '../agent.js';
import { loginRequiredText } from '../agentLogin.js';
import { formQuestion } from '../events/formQuestion.js';
import { changesWith, EventTranslator, editsOf } from './eventTranslator.js';
import { sdkDecision, sessionCovers } from './permissionDisplay.js';
import type {
  ElicitationRequest,
  ElicitationResult,
  ExitPlanModeRequest,
  ExitPlanModeResult,
  KnownSdkEvent,
  SdkEvent,
  SdkEventData,
  SdkSession,
  UserInputRequest,
  UserInputResponse,
} from './sdk.js';
import type { SessionMemory } from './sessionMemory.js';
import type { StateFiles } from './stateFiles.js';

export interface CopilotTurnOptions {
  readonly sdk: SdkSession;
  readonly memory: SessionMemory;
  /** The folder that Copilot may read without asking: the project folder. */
  readonly readable: Confinement;
  /** Copilot's own files. */
  readonly files: StateFiles;
  readonly emit: (event: AgentEvent) => void;
  /** Called once with the turn's last event; the owner emits it. */
  readonly onEnd: (event: Extract<AgentEvent, { type: 'idle' | 'error' }>) => void;
}

/** How long after its start a call is announced as running; the question whether it may run comes within milliseconds. */
const RELEASE_MS = 250;
/** How long an idle Copilot may take to show that it accepted an earlier message. */
const STEERING_MS = 2_000;
/** A background process (such as a server) may call Copilot again soon; a turn waits no longer than this. */
const BACKGROUND_MS = 2_000;
/** A turn that Copilot began ends after this much silence, when nothing runs and no question is open. */
const QUIET_MS = 5_000;

/** One turn of Copilot, from a message until it is idle. */
export class CopilotTurn {
  readonly #options: CopilotTurnOptions;
  readonly #translator: EventTranslator;
  /** Open questions, by the id of their answer. */
  readonly #waiting = new Map<string, (decision: Decision) => void>();
  /** Messages that Copilot accepted before their sender knew their ids. */
  readonly #early = new Set<string>();
  /** Messages that were sent and that Copilot hasn't accepted yet. */
  readonly #handedIn = new Set<string>();
  /** Copilot began the turn itself, without a message. */
  isOwn = false;
  #handing = 0;
  #isIdle = false;
  #hasEnded = false;
  #error: SdkEventData['session.error'] | undefined;
  #releaseTimer: NodeJS.Timeout | undefined;
  #steeringTimer: NodeJS.Timeout | undefined;
  #backgroundTimer: NodeJS.Timeout | undefined;
  #quietTimer: NodeJS.Timeout | undefined;

  constructor(options: CopilotTurnOptions) {
    this.#options = options;
    this.#translator = new EventTranslator((event) => this.#tell(event));
  }

  /** Ends a turn that Copilot began. */
  stop(): void {
    this.#end({ type: 'idle' });
  }

  handle(sdkEvent: SdkEvent): void {
    this.#quietSoon();
    const event = sdkEvent as KnownSdkEvent;
    switch (event.type) {
      case 'permission.requested':
        void this.#requested(event.data);
        return;
      case 'user.message':
        this.#taken(event.data.messageId ?? '');
        return;
      case 'session.error':
        this.#error ??= event.data;
        return;
      case 'assistant.turn_start':
        if (event.agentId === undefined) this.#worksAgain();
        return;
      case 'assistant.idle':
        this.#idleSoon(event.data.aborted ? 0 : BACKGROUND_MS);
        return;
      case 'session.idle':
        this.#becameIdle();
        return;
      default:
        this.#translator.translate(event);
        if (event.type === 'tool.execution_start') this.#releaseSoon();
    }
  }

  /** Sends a message to the turn. The turn doesn't end before Copilot accepted it, although it may be idle before. */
  async handIn(send: () => Promise<string>): Promise<void> {
    this.#handing++;
    try {
      const id = await send();
      if (!this.#early.delete(id)) this.#handedIn.add(id);
    } finally {
      this.#handing--;
      this.#endIfIdle();
    }
  }

  answer(id: string, decision: Decision): void {
    this.#waiting.get(id)?.(decision);
  }

  /** The turn is being aborted: open questions are dropped without events. */
  forgetWaiting(): void {
    for (const id of this.#waiting.keys()) this.#translator.deny(id);
    this.#waiting.clear();
    this.#handedIn.clear();
  }

  askUser({ question, choices = [], allowFreeform = true }: UserInputRequest): Promise<UserInputResponse> {
    const options = choices.map((label, index) => ({ id: `choice-${index}`, label }));
    const request = { kind: 'question', title: 'Copilot asks', message: question, allowText: allowFreeform } as const;
    return this.#question({ ...request, ...(options.length > 0 && { options }) }, ({ optionId, text }) => {
      const chosen = options.find(({ id }) => id === optionId)?.label;
      const answer = chosen ?? text ?? 'The user did not answer.';
      return { answer, wasFreeform: chosen === undefined };
    });
  }

  /** A form of Copilot or of an MCP server. It has no word for a skipped one: what it proposed is the answer. */
  async askForm({ message = '', mode, requestedSchema }: ElicitationRequest): Promise<ElicitationResult> {
    const schema = mode === 'url' ? undefined : requestedSchema;
    const question = formQuestion({ agentName: 'Copilot', message, schema });
    if (!('refused' in question)) return this.#question(question.request, question.result);
    this.#tell({ type: 'notice', text: question.refused, severity: 'warning' });
    return { action: 'decline' };
  }

  askAboutPlan({ summary, planContent, actions }: ExitPlanModeRequest): Promise<ExitPlanModeResult> {
    const approvals = actions.map((action) => ({ id: action, label: planLabel(action), kind: 'approve' as const }));
    const request = {
      kind: 'permission',
      title: 'The plan is ready: continue with it?',
      message: planContent ? `${summary}\n\n${planContent}` : summary,
      options: [...approvals, { id: 'deny', label: 'Not yet', kind: 'deny' as const }],
    } as const;
    return this.#question(request, ({ approved, optionId, reason, text }) => {
      const feedback = reason ?? text;
      return {
        approved: approved && optionId !== 'deny',
        ...(optionId !== undefined && actions.includes(optionId) && { selectedAction: optionId }),
        ...(feedback !== undefined && { feedback }),
      };
    });
  }

  fail(message: string): void {
    this.#end({ type: 'error', error: { errorType: 'agentDied', message } });
  }

  dispose(): void {
    this.#hasEnded = true;
    clearTimeout(this.#releaseTimer);
    clearTimeout(this.#steeringTimer);
    clearTimeout(this.#backgroundTimer);
    clearTimeout(this.#quietTimer);
    this.#waiting.clear();
  }

  async #requested(data: SdkEventData['permission.requested']): Promise<void> {
    const request = data.permissionRequest;
    if (request.kind === 'read' && !request.managedApprovalRequired && (await this.#isReadable(request.path))) {
      this.#translator.allow(request.toolCallId);
      return this.#reply(data, { approved: true });
    }
    if (this.#hasEnded) return;
    const id = this.#translator.idOf(data);
    const subject = request.fullCommandText ?? request.fileName ?? request.path ?? request.url ?? request.intention;
    this.#options.memory.asksFor(subject ?? request.kind);
    // Waits before it asks, so that an answer from within the event handler is received too.
    this.#wait(id, (answer) => {
      const decision = withoutEdit(answer, subject);
      if (!decision.approved || decision.optionId === 'deny') this.#translator.deny(id);
      void this.#reply(data, decision);
    });
    this.#translator.ask(data);
  }

  async #reply(data: SdkEventData['permission.requested'], decision: Decision): Promise<void> {
    const result = sdkDecision(data.permissionRequest, decision);
    if (result.kind === 'approve-for-session') {
      const approval = { id: `copilot-${data.requestId}`, covers: sessionCovers(data.permissionRequest) };
      this.#options.emit({ type: 'approval', approval });
    }
    try {
      await this.#options.sdk.rpc.permissions.handlePendingPermissionRequest({ requestId: data.requestId, result });
    } catch {
      // The process has died; its watcher reports that.
    }
  }

  #question<T>(request: Omit<PermissionRequest, 'requestId'>, toResult: (decision: Decision) => T): Promise<T> {
    if (this.#hasEnded) return Promise.reject(new Error('the turn has ended'));
    const requestId = crypto.randomUUID();
    this.#options.memory.asksFor(request.message);
    const { promise, resolve } = Promise.withResolvers<T>();
    this.#wait(requestId, (decision) => resolve(toResult(decision)));
    this.#tell({ type: 'permissionRequest', request: { ...request, requestId } });
    return promise;
  }

  #wait(id: string, decide: (decision: Decision) => void): void {
    this.#waiting.set(id, (decision) => {
      this.#waiting.delete(id);
      decide(decision);
    });
  }

  #isReadable(path: string | undefined): Promise<boolean> {
    if (path === undefined) return Promise.resolve(false);
    return this.#options.readable.real(path).then(
      () => true,
      () => false,
    );
  }

  #taken(messageId: string): void {
    if (this.#handedIn.delete(messageId)) this.#worksAgain();
    else if (this.#handing > 0) {
      this.#early.add(messageId);
      this.#worksAgain();
    }
  }

  #worksAgain(): void {
    clearTimeout(this.#backgroundTimer);
    this.#isIdle = false;
  }

  /** The turn stays open while a background task asks; otherwise the question would end with the turn. */
  #idleSoon(ms: number): void {
    clearTimeout(this.#backgroundTimer);
    this.#backgroundTimer = setTimeout(() => {
      if (this.#waiting.size > 0) this.#idleSoon(ms);
      else this.#becameIdle();
    }, ms);
  }

  #becameIdle(): void {
    clearTimeout(this.#backgroundTimer);
    this.#isIdle = true;
    this.#endIfIdle();
  }

  /** Background work of a sub-agent ends without an event. */
  #quietSoon(): void {
    clearTimeout(this.#quietTimer);
    if (!this.isOwn || this.#hasEnded) return;
    this.#quietTimer = setTimeout(() => {
      if (!this.isOwn) return;
      if (this.#waiting.size > 0 || this.#translator.isRunning) this.#quietSoon();
      else this.stop();
    }, QUIET_MS);
  }

  #releaseSoon(): void {
    clearTimeout(this.#releaseTimer);
    this.#releaseTimer = setTimeout(() => this.#translator.release(), RELEASE_MS);
  }

  #tell(event: AgentEvent): void {
    if (this.#hasEnded) return;
    const { memory, files, emit } = this.#options;
    emit(event);
    if (event.type !== 'toolComplete') return;
    const edited = editsOf(event.result);
    const inProject = edited.filter(({ uri }) => !isWithin(files.path, fileURLToPath(uri)));
    if (inProject.length > 0) {
      memory.setChanges(changesWith(memory.changes, inProject));
      emit({ type: 'changes', changes: memory.changes });
    }
    // Copilot's own files are not work on the project; only the plan is shown.
    if (inProject.length < edited.length) void this.#readPlan();
  }

  async #readPlan(): Promise<void> {
    const markdown = await this.#options.files.readPlan().catch(() => '');
    if (markdown !== '') this.#tell({ type: 'plan', markdown });
  }

  #endIfIdle(): void {
    if (!this.#isIdle || this.#handing > 0) return;
    if (this.#handedIn.size > 0) {
      this.#steeringTimer ??= setTimeout(() => {
        this.#handedIn.clear();
        this.#endIfIdle();
      }, STEERING_MS);
      return;
    }
    const { errorType = 'copilot', message = '' } = this.#error ?? {};
    if (!this.#error) this.#end({ type: 'idle' });
    else if (errorType === 'authentication') {
      const text = loginRequiredText({ displayName: 'GitHub Copilot', provider: 'copilot' }, message);
      this.#end({ type: 'error', error: { errorType: LOGIN_REQUIRED, message: text } });
    } else this.#end({ type: 'error', error: { errorType, message } });
  }

  #end(event: Extract<AgentEvent, { type: 'idle' | 'error' }>): void {
    if (this.#hasEnded) return;
    this.dispose();
    this.#options.onEnd(event);
  }
}

function planLabel(action: string): string {
  const labels: Readonly<Record<string, string>> = {
    autopilot: 'Yes, without asking further',
    interactive: 'Yes, asking before each step',
    exit_only: 'Leave the plan as it is',
  };
  return Object.hasOwn(labels, action) ? (labels[action] ?? action) : action.replaceAll('_', ' ');
}

/** Copilot runs only what it showed: approving something else is a denial with the wanted input as feedback. */
function withoutEdit(decision: Decision, shown: string | undefined): Decision {
  const { approved, editedToolInput } = decision;
  if (!approved || editedToolInput === undefined || editedToolInput === shown) return decision;
  return { approved: false, reason: `Not this. Use this instead: ${editedToolInput}` };
}
