import { setTimeout as delay } from 'node:timers/promises';
import type {
  ContentRef,
  SessionCommand,
  SessionSetting,
  SessionState,
  StandingApproval,
  ToolCallResult,
  UserMessage,
} from '@agenthost/protocol';
import {
  isSafeKey,
  MAX_APPROVALS,
  MAX_ID_LENGTH,
  MAX_TITLE_LENGTH,
  SESSION_VARIABLE,
  sameValue,
} from '@agenthost/protocol/internal';
import type { AgentContent, AgentToolResult, LeftTurn, OpenSessionOptions, Transcript } from '../agents/agent.js';
import type { AgentAction, AgentArtifact, KeptContent } from '../agents/events/agentEventMapper.js';
import { boundedCommands } from '../agents/events/boundedCommands.js';
import { oneLine } from '../agents/events/boundedText.js';
import { settleWithin } from '../agents/settleWithin.js';
import { sessionDirectory } from './folder/sessionCustomizations.js';
import { printedOutput } from './history/printedOutput.js';
import { readTurnsPage } from './history/readTurnsPage.js';
import type { Session } from './session.js';
import type { SessionParts } from './sessionParts.js';
import type { SessionServices } from './sessionServices.js';
import { writeTranscript } from './turn/transcript.js';
import type { TurnPreparation, TurnSink } from './turn/turnSink.js';

const TRANSCRIPT_PAGE = 50;
/** How long a turn waits for the snapshot before it. A later one may have some of its changes. */
const SNAPSHOT_MS = 1_000;

/** Takes what the agent of a session reports to the session and to the session's stores. */
export class SessionTurnSink implements TurnSink {
  readonly #session: Session;
  readonly #parts: SessionParts;
  readonly #services: SessionServices;

  constructor(session: Session, parts: SessionParts, services: SessionServices) {
    this.#session = session;
    this.#parts = parts;
    this.#services = services;
  }

  get isAlone(): boolean {
    return this.#session.isAlone;
  }

  async untilAlone(signal: AbortSignal): Promise<void> {
    const ms = (this.#parts.stored.freeAt ?? 0) - performance.now();
    const why = `Waiting up to ${Math.ceil(ms / 1_000)} s: the agent of the host that had this session may still run`;
    this.#tellActivity(why);
    await delay(ms, undefined, { signal });
    this.#tellActivity();
  }

  #tellActivity(activity?: string): void {
    if (!this.#parts.store.state.activeTurn) return;
    this.#session.dispatchFromAgent({ type: 'session/activityChanged', ...(activity && { activity }) });
  }

  get preparation(): TurnPreparation | undefined {
    const { customizations, tools } = this.#parts;
    if (!customizations || tools.version === 0) return customizations;
    const prepare: TurnPreparation['prepare'] = (turnId, signal) => customizations.prepare(turnId, signal);
    return { key: `${customizations.key} ${tools.version}`, prepare };
  }

  async openOptions(): Promise<Omit<OpenSessionOptions, 'signal'>> {
    const { store, stored, start, reported, editedFiles, workspaceYaml, tempFiles, customizations, runner } =
      this.#parts;
    // They only count what is stored already: a failure to count is no reason not to start the agent.
    await Promise.all([reported.load(), editedFiles.load()]).catch((error: unknown) =>
      this.#services.log.warn(`${store.uri}: what it keeps could not be counted: ${String(error)}`),
    );
    const clientTools = this.#parts.tools.forAgent();
    const databasePath = stored.fs.realPath && this.#parts.artifactStore?.databasePath();
    return {
      sessionId: start.sessionId,
      cwd: sessionDirectory(store.state, start),
      sessionFs: stored.fs,
      ...(databasePath !== undefined && { databasePath }),
      customizations: (await customizations?.forAgent()) ?? [],
      config: start.config ?? {},
      env: { ...this.#services.agentEnv, [SESSION_VARIABLE]: store.uri },
      tempFiles,
      ...(store.state.summary.model !== undefined && { model: store.state.summary.model }),
      ...(workspaceYaml.nativeSessionId !== undefined && { resume: workspaceYaml.nativeSessionId }),
      transcript: () => this.#transcript(),
      ...(store.state.summary.mode && { mode: store.state.summary.mode.id }),
      settings: chosenSettings(store.state),
      ...(clientTools && { clientTools }),
      ...(runner && { outliving: { runner, turnId: () => store.state.activeTurn?.id, stored: () => this.relieved() } }),
    };
  }

  get hasHistory(): boolean {
    return this.#parts.store.state.turns.length > 0;
  }

  async #transcript(): Promise<Transcript | undefined> {
    const { store, history, artifactStore } = this.#parts;
    const pages = async (before: string | undefined) =>
      (await readTurnsPage(store.state, history, {
        limit: TRANSCRIPT_PAGE,
        ...(before !== undefined && { before }),
      })) ?? {
        turns: [],
        hasMore: false,
      };
    const plan = await artifactStore?.readPlan().catch(() => undefined);
    return writeTranscript({ pages, plan });
  }

  agentOpened(nativeSessionId: string | undefined): void {
    this.#parts.workspaceYaml.setNativeSessionId(nativeSessionId);
  }

  async agentForgotten(): Promise<void> {
    const { workspaceYaml } = this.#parts;
    workspaceYaml.forgetNativeSessionId();
    await workspaceYaml.settled();
  }

  async leftTurn(): Promise<LeftTurn | undefined> {
    const { store, stored, outputs } = this.#parts;
    const { activeTurn } = store.state;
    if (!activeTurn) return undefined;
    const { id, userMessage, toolCalls: calls, responseParts } = activeTurn;
    return {
      id,
      message: await this.wholeMessage(userMessage),
      calls,
      hasText: responseParts.some(({ kind }) => kind === 'markdown'),
      printed: (toolCallId) => outputs.restore(id, toolCallId, printedOutput(stored.log, id, toolCallId)),
    };
  }

  wholeMessage(message: UserMessage): Promise<UserMessage> {
    return this.#parts.pasted.whole(message);
  }

  keepFolder(turnId: string): Promise<void> | undefined {
    const { snapshots } = this.#parts;
    return snapshots && settleWithin(SNAPSHOT_MS, snapshots.beforeTurn(turnId));
  }

  beginOwnTurn(turnId: string): boolean {
    const { store } = this.#parts;
    const { lifecycle, activeTurn } = store.state;
    if (this.#session.isClosed || lifecycle !== 'ready' || activeTurn) return false;
    store.dispatch({ type: 'session/turnStarted', turnId, userMessage: { text: '' }, origin: 'agent' });
    void this.keepFolder(turnId);
    return store.state.activeTurn?.id === turnId;
  }

  dispatch(action: AgentAction): void {
    for (const passed of this.#parts.outputs.pass(this.#named(action))) this.#session.dispatchFromAgent(passed);
  }

  #named(action: AgentAction): AgentAction {
    if (action.type !== 'session/toolStart') return action;
    return { ...action, toolCall: this.#parts.tools.named(action.toolCall) };
  }

  /** Most agents report their commands each time they are started. */
  commandsChanged(all: readonly SessionCommand[]): void {
    const { store } = this.#parts;
    const { customizations = [], commands: before = [] } = store.state;
    const commands = boundedCommands(all);
    if (this.#session.isClosed || sameValue(commands, before)) return;
    store.dispatch({ type: 'session/customizationsChanged', customizations, commands });
  }

  settingsChanged(settings: readonly SessionSetting[]): void {
    if (!this.#session.isClosed) this.#parts.store.dispatch({ type: 'session/settingsChanged', settings });
  }

  settingsAnswered(): void {
    this.settingsChanged((this.#parts.store.state.settings ?? []).map(({ pending: _, ...setting }) => setting));
  }

  approvalAdded({ id, covers: said, isRevocable }: StandingApproval): void {
    const { store } = this.#parts;
    const covers = oneLine(said, MAX_TITLE_LENGTH);
    if (this.#session.isClosed || covers === '' || id.length > MAX_ID_LENGTH || !isSafeKey(id)) return;
    const before = store.state.approvals ?? [];
    // The same words again say nothing new.
    const others = before.filter((one) => one.id !== id && one.covers !== covers);
    const approvals = [...others, { id, covers, ...(isRevocable && { isRevocable }) }].slice(-MAX_APPROVALS);
    if (!sameValue(approvals, before)) store.dispatch({ type: 'session/approvalsChanged', approvals });
  }

  approvalsEnded(): void {
    const { store } = this.#parts;
    if (this.#session.isClosed || !store.state.approvals) return;
    store.dispatch({ type: 'session/approvalsChanged', approvals: [] });
  }

  storeArtifact(artifact: AgentArtifact): void {
    this.#parts.artifacts.take(artifact);
  }

  keepFiles(result: AgentToolResult): ToolCallResult {
    return this.#parts.editedFiles.keep(result);
  }

  keepText(text: string): ContentRef | undefined {
    return this.#parts.outputs.keepText(text);
  }

  contentKeeper(): (content: AgentContent) => KeptContent {
    return this.#parts.reported.forTurn();
  }

  get waitingBytes(): number {
    const { content, stored } = this.#parts;
    return content.waitingBytes + stored.log.bufferedBytes + this.#services.delivery.waitingLength;
  }

  async relieved(): Promise<void> {
    const { content, stored } = this.#parts;
    await Promise.all([content.settled(), stored.log.flush(), this.#services.delivery.left()]);
  }

  storageFailed(error: unknown): void {
    this.#session.storageFailed(error);
  }
}

function chosenSettings({ settings = [] }: SessionState): Record<string, string> {
  return Object.fromEntries(settings.flatMap(({ id, value, chosen }) => (chosen ? [[id, value]] : [])));
}
