import type { SessionState, URI } from '@agenthost/protocol';
import { SessionTools } from '../clientTools/sessionTools.js';
import { unnamedCall } from '../clientTools/unnamedCall.js';
import { CustomizationFinder } from '../customizations/customizationFinder.js';
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
import { folderMetadata, placeMetadata } from './folder/folderMetadata.js';
import { MetadataRefresh } from './folder/metadataRefresh.js';
import { SessionCustomizations } from './folder/sessionCustomizations.js';
import { sessionWork } from './folder/sessionWork.js';
import { WorkspaceYamlSync } from './folder/workspaceYamlSync.js';
import { WorktreeSetup } from './folder/worktreeSetup.js';
import { SessionEvents } from './history/sessionEvents.js';
import type { SessionHistory } from './history/sessionHistory.js';
import { Session } from './session.js';
import { SessionEffects } from './sessionEffects.js';
import { CUSTOMIZATIONS_MS, MAX_PASTED_BYTES, REPORTED_CONTENT_LIMITS } from './sessionLimits.js';
import type { SessionParts } from './sessionParts.js';
import type { SessionServices } from './sessionServices.js';
import { SessionStore } from './sessionStore.js';
import type { SummaryNotifier } from './summaryNotifier.js';
import type { AcceptedSequences } from './turn/acceptedSequences.js';

/** A session as its log has it. */
export interface LoadedSession {
  readonly uri: URI;
  readonly stored: StoredSession;
  readonly start: SessionStartRecord;
  readonly state: SessionState;
  readonly accepted?: AcceptedSequences;
  readonly lastServerSeq?: number;
  readonly history: SessionHistory;
}

/** Puts the parts of one session together. */
export async function assembleSession(
  loaded: LoadedSession,
  services: SessionServices,
  notifier: SummaryNotifier,
): Promise<Session> {
  const { uri, stored, start, state, accepted, lastServerSeq, history } = loaded;
  const { provider, sessionId } = start;
  const { delivery, publisher, sequence, now, newId, log } = services;
  const artifactStore = stored.fs.sessionStatePath === undefined ? undefined : new ArtifactStore(stored.fs);
  const workspaceYaml = await WorkspaceYamlSync.open(artifactStore, { start, state, now, log });
  const content: SessionContent = new SessionContent({
    fs: stored.fs,
    provider,
    sessionId,
    sync: services.syncContent ?? false,
    onError: (error) => {
      log.error(`${uri}: what a tool printed could not be stored`, error);
      if (!store.state.activeTurn) return false;
      session.storageFailed(error);
      return true;
    },
  });
  const store: SessionStore = new SessionStore({
    uri,
    incarnation: start.id,
    state,
    ...(accepted && { accepted }),
    ...(lastServerSeq !== undefined && { lastServerSeq }),
    log: stored.log,
    content,
    delivery,
    publisher,
    sequence,
    now,
    ...(services.isSure && { isSure: services.isSure }),
  });
  const tempFiles = new TempFiles({
    fs: stored.fs,
    keep: services.keepTempFiles ?? false,
    onError: (error) => log.warn(`${uri}: a temporary file could not be removed: ${String(error)}`),
  });
  // A local session has a new folder each time; those that remained from before are removed when the host starts.
  if (!tempFiles.isLocal) {
    await tempFiles
      .removeLeftovers()
      .catch((error: unknown) => log.warn(`${uri}: left temporary files could not be removed: ${String(error)}`));
  }
  const artifacts = await SessionArtifacts.open({
    fs: stored.fs,
    artifactStore,
    provider,
    sessionId,
    store,
    records: stored.log,
    now,
    log,
  });
  // A host of another place has the session only to show it.
  const isAway = stored.place?.isHere === false;
  const agent = isAway ? undefined : services.agents.get(provider);
  const support = agent?.customizations;
  const customizations =
    agent &&
    support &&
    new SessionCustomizations({
      agent: { descriptor: agent.descriptor, customizations: support },
      finder: new CustomizationFinder({ stateRoot: services.stateDir, env: services.agentEnv }),
      trust: services.trust,
      worktrees: services.worktrees,
      start,
      store,
      maxMs: CUSTOMIZATIONS_MS,
      log,
    });
  const given = new Set(Object.keys(start.metadata ?? {}));
  const metadata = new MetadataRefresh({
    read: async () => {
      const { metadata: current } = store.state.summary;
      const placed = stored.place && placeMetadata(current, stored.place, given);
      const ofFolder = isAway ? {} : await folderMetadata(current, { cwd: start.cwd, given });
      return ofFolder && { ...ofFolder, ...placed };
    },
    apply: (change) => store.dispatch({ type: 'session/metadataChanged', metadata: change }),
    onError: (error) => log.error(`${uri}: where it works could not be told`, error),
  });
  const work = sessionWork({ uri, start, store, services, isAway });
  const outputs = new ToolOutputs(content, newId);
  const parts: SessionParts = {
    start,
    store,
    stored,
    history,
    events: new SessionEvents({
      log: stored.log,
      lastServerSeq: () => store.lastServerSeq,
      told: () => delivery.left(),
    }),
    content,
    pasted: new PastedContent({ content, session: uri, maxBytes: services.maxPastedBytes ?? MAX_PASTED_BYTES }),
    outputs,
    reported: new ReportedContent(content, REPORTED_CONTENT_LIMITS),
    editedFiles: new EditedFiles(content, newId),
    artifacts,
    artifactStore,
    workspaceYaml,
    tools: new SessionTools({
      session: uri,
      newId,
      tell: (clientTools) => store.dispatch({ type: 'session/clientToolsChanged', clientTools }),
      onCall: (input, clientName) => {
        const call = unnamedCall(store.state, input);
        if (call) store.dispatch({ type: 'session/toolUpdate', ...call, clientName });
      },
    }),
    tempFiles,
    metadata,
    work,
    snapshots: (services.snapshots ?? 'none') === 'none' || isAway ? undefined : work,
    agent,
    setup: new WorktreeSetup({ ...services, store, work, outputs, env: services.agentEnv }),
    runner: isAway ? undefined : services.runner?.of(uri),
    customizations,
  };
  const session = new Session(parts, services);
  store.effects = new SessionEffects(session, parts, services, notifier);
  return session;
}
