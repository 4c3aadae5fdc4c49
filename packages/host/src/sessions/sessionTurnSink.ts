import type { ContentRef, SessionCommand, ToolCallResult, UserMessage } from '@agenthost/protocol';
import { sameValue } from '@agenthost/protocol/internal';
import type { AgentContent, AgentToolResult, OpenSessionOptions } from '../agents/agent.js';
import type { AgentAction, AgentArtifact, KeptContent } from '../agents/events/agentEventMapper.js';
import { boundedCommands } from '../agents/events/boundedCommands.js';
import { sessionDirectory } from './folder/sessionCustomizations.js';
import type { Session } from './session.js';
import type { SessionParts } from './sessionParts.js';
import type { SessionServices } from './sessionServices.js';
import type { TurnPreparation, TurnSink } from './turn/turnSink.js';

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

  get preparation(): TurnPreparation | undefined {
    return this.#parts.customizations;
  }

  async openOptions(): Promise<Omit<OpenSessionOptions, 'signal'>> {
    const { store, stored, start, reported, editedFiles, workspaceYaml, tempFiles, customizations } = this.#parts;
    // They only count what is stored already: a failure to count is no reason not to start the agent.
    await Promise.all([reported.load(), editedFiles.load()]).catch((error: unknown) =>
      this.#services.log.warn(`${store.uri}: what it keeps could not be counted: ${String(error)}`),
    );
    const databasePath = stored.fs.realPath && this.#parts.artifactStore?.databasePath();
    return {
      sessionId: start.sessionId,
      cwd: sessionDirectory(store.state, start),
      sessionFs: stored.fs,
      ...(databasePath !== undefined && { databasePath }),
      customizations: (await customizations?.forAgent()) ?? [],
      config: start.config ?? {},
      env: this.#services.agentEnv,
      tempFiles,
      ...(store.state.summary.model !== undefined && { model: store.state.summary.model }),
      ...(workspaceYaml.nativeSessionId !== undefined && { resume: workspaceYaml.nativeSessionId }),
      ...(store.state.summary.mode && { mode: store.state.summary.mode.id }),
    };
  }

  agentOpened(nativeSessionId: string | undefined): void {
    this.#parts.workspaceYaml.setNativeSessionId(nativeSessionId);
  }

  wholeMessage(message: UserMessage): Promise<UserMessage> {
    return this.#parts.pasted.whole(message);
  }

  beginOwnTurn(turnId: string): boolean {
    const { store } = this.#parts;
    const { lifecycle, activeTurn } = store.state;
    if (this.#session.isClosed || lifecycle !== 'ready' || activeTurn) return false;
    store.dispatch({ type: 'session/turnStarted', turnId, userMessage: { text: '' }, origin: 'agent' });
    return store.state.activeTurn?.id === turnId;
  }

  dispatch(action: AgentAction): void {
    for (const passed of this.#parts.outputs.pass(action)) this.#session.dispatchFromAgent(passed);
  }

  /** Most agents report their commands each time they are started. */
  commandsChanged(all: readonly SessionCommand[]): void {
    const { store } = this.#parts;
    const { customizations = [], commands: before = [] } = store.state;
    const commands = boundedCommands(all);
    if (this.#session.isClosed || sameValue(commands, before)) return;
    store.dispatch({ type: 'session/customizationsChanged', customizations, commands });
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
