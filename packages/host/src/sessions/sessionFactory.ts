import { fileURLToPath } from 'node:url';
import {
  type ActiveTurn,
  isSafeKey,
  type SessionAction,
  type SessionState,
  type Turn,
  type URI,
} from '@agenthost/protocol';
import type { AgentRegistry } from '../agents/agentRegistry.js';
import { CustomizationFinder } from '../customizations/customizationFinder.js';
import type { WorkspaceTrust } from '../customizations/workspaceTrust.js';
import type { HostLog } from '../hostLog.js';
import { DroppedText } from '../sessionIndex/searchText.js';
import type { Delivery } from '../state/delivery.js';
import type { Publisher, SequenceSource } from '../state/publisher.js';
import { ArtifactStore } from '../storage/artifacts/artifactStore.js';
import type { SessionStartRecord } from '../storage/log/eventLog.js';
import type { StoredSession } from '../storage/sessionStorage.js';
import { TempFiles } from '../storage/stateRoot/tempFiles.js';
import { EditedFiles } from './content/editedFiles.js';
import { PastedContent } from './content/pastedContent.js';
import { ReportedContent } from './content/reportedContent.js';
import { SessionArtifacts } from './content/sessionArtifacts.js';
import { SessionContent } from './content/sessionContent.js';
import { ToolOutputs } from './content/toolOutputs.js';
import { folderMetadata } from './folder/folderMetadata.js';
import { MetadataRefresh } from './folder/metadataRefresh.js';
import { SessionCustomizations } from './folder/sessionCustomizations.js';
import { WorkspaceYamlSync } from './folder/workspaceYamlSync.js';
import { newTurns } from './history/readTurns.js';
import type { SessionHistory } from './history/sessionHistory.js';
import { Session } from './session.js';
import { CUSTOMIZATIONS_MS, MAX_PASTED_BYTES, REPORTED_CONTENT_LIMITS } from './sessionLimits.js';
import { SessionStore } from './sessionStore.js';
import type { AcceptedSequences } from './turn/acceptedSequences.js';
import { MessageIntake } from './turn/actionIntake.js';
import { AgentRun } from './turn/agentRun.js';
import { UsedTurnIds } from './turn/usedTurnIds.js';

export interface SessionFactoryOptions {
  readonly agents: AgentRegistry;
  readonly delivery: Delivery;
  readonly publisher: Publisher;
  readonly sequence: SequenceSource;
  /** What agents' processes see; none of the host's secrets. */
  readonly agentEnv: Readonly<Record<string, string>>;
  /** Where the user keeps customizations for all sessions. */
  readonly stateDir: string;
  readonly trust: WorkspaceTrust;
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: HostLog;
  readonly agentIdleMs: number;
  readonly abortGraceMs: number;
  /** What is stored has to be on the disk itself. */
  readonly syncContent?: boolean;
  readonly maxPastedBytes?: number;
  readonly keepTempFiles?: boolean;
  readonly onSummaryChanged: (state: SessionState) => void;
  /** When a turn starts, and when it has ended. */
  readonly onTurn: (uri: URI, turn: Turn | ActiveTurn, dropped: DroppedText) => void;
  /** Whether a session has had that turn; `undefined` where the index doesn't know. */
  readonly isTurnIndexed: (uri: URI, turnId: string) => boolean | undefined;
  /** A turn that could not be stored never was. */
  readonly onTurnTakenBack: (uri: URI, turnId: string) => void;
}

export interface SessionContents {
  readonly uri: URI;
  readonly start: SessionStartRecord;
  readonly state: SessionState;
  readonly accepted?: AcceptedSequences;
  readonly lastServerSeq?: number;
  readonly history: SessionHistory;
}

/** Puts the parts of one session together. */
export async function createSession(
  stored: StoredSession,
  contents: SessionContents,
  options: SessionFactoryOptions,
): Promise<Session> {
  const { uri, start, state, accepted, lastServerSeq, history } = contents;
  const { agents, delivery, publisher, sequence, now, log } = options;
  const files = stored.fs.sessionStatePath === undefined ? undefined : new ArtifactStore(stored.fs);
  const workspace = await WorkspaceYamlSync.open(files, {
    start,
    state,
    now,
    log,
  });
  const store: SessionStore = new SessionStore({
    uri,
    incarnation: start.id,
    state,
    ...(accepted && { accepted }),
    ...(lastServerSeq !== undefined && { lastServerSeq }),
    log: stored.log,
    contentStored: () => content.stored(),
    delivery,
    publisher,
    sequence,
    now,
    onChanged: (action, before) => changed(action, before),
    onTakenBack: (error, undone) => {
      summaryChanged();
      const kept = turnIds(store.state);
      for (const turnId of turnIds(undone)) if (!kept.has(turnId)) options.onTurnTakenBack(uri, turnId);
      session.storageFailed(error);
    },
  });
  const dropped = new DroppedText();
  const { provider, sessionId } = start;
  const given = new Set(Object.keys(start.metadata ?? {}));
  const content = new SessionContent({
    fs: stored.fs,
    provider,
    sessionId,
    sync: options.syncContent ?? false,
    onError: (error) => {
      log.error(`${uri}: what a tool printed could not be stored`, error);
      if (!store.state.activeTurn) return false;
      session.storageFailed(error);
      return true;
    },
  });
  const outputs = new ToolOutputs(content, options.newId);
  const reported = new ReportedContent(content, REPORTED_CONTENT_LIMITS);
  const editedFiles = new EditedFiles(content, options.newId);
  const pasted = new PastedContent({ content, session: uri, maxBytes: options.maxPastedBytes ?? MAX_PASTED_BYTES });
  const tempFiles = new TempFiles({
    fs: stored.fs,
    keep: options.keepTempFiles ?? false,
    onError: (error) => log.warn(`${uri}: a temporary file could not be removed: ${String(error)}`),
  });
  // A local session has a new folder each time, and what is left in an old one the host's start has removed.
  if (!tempFiles.isLocal) {
    await tempFiles
      .removeLeftovers()
      .catch((error: unknown) => log.warn(`${uri}: left temporary files could not be removed: ${String(error)}`));
  }
  const artifacts = await SessionArtifacts.open({
    fs: stored.fs,
    artifactStore: files,
    provider,
    sessionId,
    store,
    records: stored.log,
    now,
    log,
  });
  const databasePath = stored.fs.realPath && files?.databasePath();
  const agent = agents.get(provider);
  const cwd = () => directoryOf(store.state) ?? start.cwd;
  const support = agent?.customizations;
  const customizations =
    agent &&
    support &&
    new SessionCustomizations({
      agent: { descriptor: agent.descriptor, customizations: support },
      finder: new CustomizationFinder({ stateRoot: options.stateDir, env: options.agentEnv }),
      trust: options.trust,
      cwd,
      store,
      maxMs: CUSTOMIZATIONS_MS,
      log,
    });
  const run =
    agent &&
    new AgentRun({
      agent,
      openOptions: async () => {
        // They only count what is there already: that it can't be counted now is no reason not to start the agent.
        await Promise.all([reported.load(), editedFiles.load()]).catch((error: unknown) =>
          log.warn(`${uri}: what it keeps could not be counted: ${String(error)}`),
        );
        return {
          sessionId: start.sessionId,
          cwd: cwd(),
          sessionFs: stored.fs,
          ...(databasePath !== undefined && { databasePath }),
          customizations: (await customizations?.forAgent()) ?? [],
          config: start.config ?? {},
          env: options.agentEnv,
          tempFiles,
          ...(store.state.summary.model !== undefined && { model: store.state.summary.model }),
          ...(workspace.nativeSessionId !== undefined && { resume: workspace.nativeSessionId }),
          ...(store.state.summary.mode && { mode: store.state.summary.mode.id }),
        };
      },
      ...(customizations && {
        prepare: (turnId, signal) => customizations.prepare(turnId, signal),
        openKey: () => customizations.key,
      }),
      onOwnTurn: (turnId) => session.startAgentTurn(turnId),
      onAction: (action) => {
        for (const passed of outputs.pass(action)) session.dispatchFromAgent(passed);
      },
      keepFiles: (result) => editedFiles.keep(result),
      keepText: (text) => outputs.keepText(text),
      contentKeeper: () => reported.forTurn(),
      wholeMessage: (message) => pasted.whole(message),
      waitingBytes: () => content.waitingBytes + stored.log.bufferedBytes + delivery.waitingLength,
      relieved: async () => {
        await Promise.all([content.settled(), stored.log.flush(), delivery.left()]);
      },
      onStorageFailed: (error) => session.storageFailed(error),
      onArtifact: (artifact) => artifacts.take(artifact),
      onCommands: (commands) => session.dispatchCommands(commands),
      onOpened: (nativeSessionId) => workspace.setNativeSessionId(nativeSessionId),
      abortGraceMs: options.abortGraceMs,
      idleMs: options.agentIdleMs,
      newId: options.newId,
      log,
    });
  const session = new Session({
    store,
    stored,
    content,
    artifacts,
    intake: new MessageIntake(
      (message) => pasted.keep(message),
      (error) => log.error(`${uri}: a client's action failed`, error),
    ),
    customizations,
    run,
    models: () => modelsOf(agents, start.provider),
    history,
    turnIds: new UsedTurnIds({
      state: () => store.state,
      isIndexed: (turnId) => options.isTurnIndexed(uri, turnId),
      isStored: (turnId, earlierTurns) => history.hasTurn(turnId, earlierTurns),
    }),
    metadata: new MetadataRefresh({
      read: () => folderMetadata(store.state.summary.metadata, { cwd: start.cwd, given }),
      apply: (metadata) => store.dispatch({ type: 'session/metadataChanged', metadata }),
      onError: (error) => log.error(`${uri}: where it works could not be told`, error),
    }),
    filesWritten,
    close: async () => {
      await filesWritten();
      await tempFiles.dispose();
      try {
        await stored.log.close();
      } finally {
        await history.settled();
        await stored.fs.dispose();
      }
    },
  });
  return session;

  async function filesWritten(): Promise<void> {
    await artifacts.settled();
    await workspace.settled();
    await content.settled();
  }

  function changed(action: SessionAction, before: SessionState): void {
    const { summary, turns, activeTurn } = store.state;
    dropped.follow(store.state);
    // A message that waits makes a provisional session known.
    if (summary !== before.summary || action.type === 'session/pendingMessageSet') summaryChanged();
    for (const turn of turns === before.turns ? [] : newTurns(turns, before.turns.at(-1))) {
      // One that was interrupted by the end of the host was indexed when it was loaded.
      if (dropped.hasAll(turn)) options.onTurn(uri, turn, dropped);
    }
    if (activeTurn && activeTurn.id !== before.activeTurn?.id) options.onTurn(uri, activeTurn, dropped);
    // Before anything is set off: the state is that of the last record now.
    history.changed(store.state, store);
    session.react(action);
  }

  function summaryChanged(): void {
    options.onSummaryChanged(store.state);
    workspace.summaryChanged(store.state);
  }
}

function turnIds({ turns, activeTurn }: SessionState): Set<string> {
  return new Set([...turns, ...(activeTurn ? [activeTurn] : [])].map(({ id }) => id));
}

function directoryOf(state: SessionState): string | undefined {
  const uri = state.summary.workingDirectory;
  return uri === undefined ? undefined : fileURLToPath(uri);
}

/** `undefined` where the agent names none: then any name is tried. */
function modelsOf(agents: AgentRegistry, provider: string): ReadonlySet<string> | undefined {
  const models = agents.infos().find((info) => info.provider === provider)?.models ?? [];
  return models.length > 0 ? new Set(models.map((model) => model.id).filter(isSafeKey)) : undefined;
}
