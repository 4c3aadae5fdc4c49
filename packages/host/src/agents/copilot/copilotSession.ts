import { fileURLToPath } from 'node:url';
import type { Attachment, SessionMode, SessionSetting, UserMessage } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import { type Disposable, Emitter } from '@agenthost/rpc';
import { warnOfListenerError } from '../../hostLog.js';
import type { Confinement } from '../../storage/fs/confinement.js';
import type { AgentEvent, AgentSession, Decision, Transcript } from '../agent.js';
import { type EarlierTurns, earlierTurns } from '../events/earlierTurns.js';
import { settleWithin } from '../settleWithin.js';
import { checkpointOf } from './compaction.js';
import type { CopilotProcess } from './copilotProcess.js';
import type { CopilotSettings } from './copilotSettings.js';
import { CopilotTurn } from './copilotTurn.js';
import type {
  ElicitationRequest,
  ElicitationResult,
  ExitPlanModeRequest,
  ExitPlanModeResult,
  KnownSdkEvent,
  SdkAttachment,
  SdkEvent,
  SdkEventData,
  SdkMessage,
  SdkSession,
  UserInputRequest,
  UserInputResponse,
} from './sdk.js';
import type { SessionMemory } from './sessionMemory.js';
import type { StateFiles } from './stateFiles.js';

interface CopilotSessionOptions {
  readonly process: CopilotProcess;
  readonly memory: SessionMemory;
  readonly readable: Confinement;
  readonly files: StateFiles;
  onDispose(): void;
}

/** Copilot's SDK doesn't report that its process died, so the host pings it this often during a turn. */
const PING_MS = 1_000;
const STORE_MS = 1_000;
/** Events within this time after a stop belong to the stopped turn. */
const STOPPED_MS = 2_000;
/** Events that begin a turn when none runs. */
const OPENING: ReadonlySet<string> = new Set([
  'assistant.turn_start',
  'assistant.message_delta',
  'tool.execution_start',
  'permission.requested',
] satisfies KnownSdkEvent['type'][]);

const STARTS_ANEW = 'Copilot starts a new conversation: it had stored nothing of the earlier one.';

interface Beginning {
  /** Copilot does not have the session that was to be resumed. */
  readonly isNew: boolean;
  readonly transcript: Transcript | undefined;
  /** Why a setting could not be restored. */
  readonly problem: string | undefined;
}

/** One conversation with Copilot, in its own process. */
export class CopilotSession implements AgentSession {
  readonly #options: CopilotSessionOptions;
  readonly #events = new Emitter<AgentEvent>(warnOfListenerError);
  #sdk: SdkSession | undefined;
  #settings: CopilotSettings | undefined;
  /** What the next turn says first. */
  #notices: string[] = [];
  #turn: CopilotTurn | undefined;
  #watch: NodeJS.Timeout | undefined;
  #disposing: Promise<void> | undefined;
  #hasSent = false;
  /** If Copilot does not have the earlier turns, until its next message. */
  #earlier: EarlierTurns | undefined;
  #stoppedUntil = 0;

  constructor(options: CopilotSessionOptions) {
    this.#options = options;
  }

  /** Set after the constructor, because Copilot's session is opened with callbacks of this object. `isNew`: not the wanted one. */
  attach(sdk: SdkSession, settings: CopilotSettings, { isNew, transcript, problem }: Beginning): void {
    this.#sdk = sdk;
    this.#settings = settings;
    this.#earlier = earlierTurns('Copilot', transcript, isNew ? STARTS_ANEW : undefined);
    this.#notices = problem === undefined ? [] : [problem];
  }

  get mode(): SessionMode | undefined {
    return this.#settings?.mode;
  }

  get settings(): readonly SessionSetting[] | undefined {
    return this.#settings?.all;
  }

  get nativeSessionId(): string | undefined {
    return this.#sdk?.sessionId;
  }

  onEvent(listener: (event: AgentEvent) => void): Disposable {
    return this.#events.event(listener);
  }

  async send(message: UserMessage): Promise<void> {
    const sdk = this.#alive();
    if (this.#turn && !this.#turn.isOwn) throw new Error('a turn is running already');
    const { memory } = this.#options;
    const turn = this.#turn ?? this.#newTurn(sdk);
    turn.isOwn = false;
    this.#hasSent = true;
    const record = this.#earlier?.texts ?? [];
    if (this.#earlier) this.#events.fire(this.#earlier.notice);
    this.#earlier = undefined;
    for (const text of this.#notices.splice(0)) this.#events.fire({ type: 'notice', severity: 'warning', text });
    try {
      const prompt = [memory.begin(message.text), ...record].join('\n\n');
      await turn.handIn(() => sdk.send(sdkMessage(message, prompt)));
    } catch (error) {
      if (this.#turn === turn) this.#closeTurn();
      const why = `Copilot did not take the message (${errorMessage(error)}).`;
      throw new Error(`${why} Send it again to restart Copilot.`, { cause: error });
    }
    this.#watchProcess(turn);
  }

  async steer(message: UserMessage): Promise<void> {
    const sdk = this.#alive();
    if (!this.#turn) throw new Error('no turn is running');
    await this.#turn.handIn(() => sdk.send({ ...sdkMessage(message, message.text), mode: 'immediate' }));
  }

  answer(requestId: string, decision: Decision): void {
    this.#turn?.answer(requestId, decision);
  }

  /** Copilot reports that it is idle when it has stopped. */
  async abort(): Promise<void> {
    if (!this.#turn || this.#disposing !== undefined) return;
    const turn = this.#turn;
    this.#stoppedUntil = performance.now() + STOPPED_MS;
    turn.forgetWaiting();
    await this.#alive().abort();
    // A turn that Copilot began may belong to a sub-agent; then nothing reports its end.
    if (turn.isOwn) turn.stop();
  }

  async setModel(id: string): Promise<void> {
    await this.#alive().setModel(id);
  }

  async setSetting(id: string, value: string): Promise<void> {
    this.#alive();
    await this.#settings?.set(id, value);
    this.#tellSettings();
  }

  #tellSettings(): void {
    if (this.#settings) this.#events.fire({ type: 'settings', settings: this.#settings.all });
  }

  dispose(): Promise<void> {
    this.#disposing ??= this.#dispose();
    return this.#disposing;
  }

  /** Receives everything that Copilot reports. */
  handle(sdkEvent: SdkEvent): void {
    if (this.#disposing !== undefined) return;
    const event = sdkEvent as KnownSdkEvent;
    if (event.type === 'session.title_changed') this.#events.fire({ type: 'title', title: event.data.title });
    else if (event.type === 'session.mode_changed' && event.agentId === undefined) this.#modeChanged(event.data);
    else if (event.type === 'session.model_change' && event.agentId === undefined) {
      this.#settings?.effortChanged(event.data.reasoningEffort);
      this.#tellSettings();
    } else (this.#turn ?? (OPENING.has(event.type) ? this.#beginOwn() : undefined))?.handle(sdkEvent);
    // Runs in the background: it mostly ends in the next turn, or between turns.
    if (event.type !== 'session.compaction_complete' || event.agentId !== undefined) return;
    const checkpoint = checkpointOf(event.data);
    if (checkpoint) this.#events.fire(checkpoint);
  }

  #modeChanged({ newMode }: SdkEventData['session.mode_changed']): void {
    if (typeof newMode !== 'string' || !this.#settings) return;
    this.#events.fire({ type: 'mode', mode: this.#settings.modeChanged(newMode) });
    this.#tellSettings();
  }

  askUser(request: UserInputRequest): Promise<UserInputResponse> {
    return (this.#turn ?? this.#beginOwn())?.askUser(request) ?? Promise.reject(new Error('no turn is running'));
  }

  askForm(request: ElicitationRequest): Promise<ElicitationResult> {
    return (this.#turn ?? this.#beginOwn())?.askForm(request) ?? Promise.resolve({ action: 'cancel' });
  }

  askAboutPlan(request: ExitPlanModeRequest): Promise<ExitPlanModeResult> {
    return (this.#turn ?? this.#beginOwn())?.askAboutPlan(request) ?? Promise.reject(new Error('no turn is running'));
  }

  #newTurn(sdk: SdkSession): CopilotTurn {
    const { memory, readable, files } = this.#options;
    const turn = new CopilotTurn({
      sdk,
      memory,
      readable,
      files,
      emit: (event) => this.#events.fire(event),
      onEnd: (event) => {
        if (event.type === 'idle') memory.end();
        // The turn ends before its event is emitted, because a listener may send the next message at once.
        this.#closeTurn();
        this.#events.fire(event);
      },
    });
    this.#turn = turn;
    return turn;
  }

  /** A background task has ended, or asks: Copilot continues by itself. */
  #beginOwn(): CopilotTurn | undefined {
    const isLate = performance.now() < this.#stoppedUntil;
    if (!this.#sdk || !this.#hasSent || isLate || this.#disposing !== undefined) return undefined;
    const turn = this.#newTurn(this.#sdk);
    turn.isOwn = true;
    this.#events.fire({ type: 'ownTurn' });
    this.#watchProcess(turn);
    return turn;
  }

  #watchProcess(turn: CopilotTurn): void {
    clearInterval(this.#watch);
    if (this.#turn === turn) this.#watch = setInterval(() => void this.#ping(turn), PING_MS);
  }

  async #dispose(): Promise<void> {
    this.#events.clear();
    this.#closeTurn();
    await settleWithin(STORE_MS, this.#options.memory.stored());
    await this.#options.process.dispose();
    this.#options.onDispose();
  }

  async #ping(turn: CopilotTurn): Promise<void> {
    try {
      await this.#options.process.client.ping();
    } catch (error) {
      if (this.#turn !== turn) return;
      turn.fail(`Copilot's process has ended (${errorMessage(error)}). Send a message to restart it and continue.`);
    }
  }

  #closeTurn(): void {
    clearInterval(this.#watch);
    this.#turn?.dispose();
    this.#turn = undefined;
  }

  #alive(): SdkSession {
    if (this.#disposing || !this.#sdk) throw new Error('the session is disposed of');
    return this.#sdk;
  }
}

/** A message in Copilot's form. Content without a matching kind of attachment goes into the text. */
function sdkMessage({ text, attachments = [] }: UserMessage, prompt: string): SdkMessage {
  const given = attachments.map(sdkAttachment);
  const files = given.filter((one) => typeof one !== 'string');
  const texts = given.filter((one) => typeof one === 'string');
  return {
    prompt: [prompt, ...texts].join('\n\n'),
    ...(prompt !== text && { displayPrompt: text }),
    ...(files.length > 0 && { attachments: files }),
  };
}

function sdkAttachment({ kind, label, uri, data, mimeType }: Attachment): SdkAttachment | string {
  const path = uri?.startsWith('file:') ? fileURLToPath(uri) : undefined;
  if (kind === 'image' && data !== undefined) {
    return { type: 'blob', data, mimeType: mimeType ?? 'image/png', displayName: label };
  }
  if (data === undefined && path !== undefined) {
    return { type: kind === 'directory' ? 'directory' : 'file', path, displayName: label };
  }
  const where = path ?? uri ?? label;
  return data === undefined ? `Attached: ${where}` : `Attached: ${where}\n\`\`\`\n${data}\n\`\`\``;
}
