import type { Agent } from '../agents/agent.js';
import type { SessionRunner } from '../agents/runner/sessionRunner.js';
import type { SessionTools } from '../clientTools/sessionTools.js';
import type { ArtifactStore } from '../storage/artifacts/artifactStore.js';
import type { SessionStartRecord } from '../storage/log/eventLog.js';
import type { StoredSession } from '../storage/sessionStorage.js';
import type { TempFiles } from '../storage/stateRoot/tempFiles.js';
import type { SessionWork } from '../work/sessionWork.js';
import type { EditedFiles } from './content/editedFiles.js';
import type { PastedContent } from './content/pastedContent.js';
import type { ReportedContent } from './content/reportedContent.js';
import type { SessionArtifacts } from './content/sessionArtifacts.js';
import type { SessionContent } from './content/sessionContent.js';
import type { ToolOutputs } from './content/toolOutputs.js';
import type { MetadataRefresh } from './folder/metadataRefresh.js';
import type { SessionCustomizations } from './folder/sessionCustomizations.js';
import type { WorkspaceYamlSync } from './folder/workspaceYamlSync.js';
import type { WorktreeSetup } from './folder/worktreeSetup.js';
import type { SessionEvents } from './history/sessionEvents.js';
import type { SessionHistory } from './history/sessionHistory.js';
import type { SessionStore } from './sessionStore.js';

/** The parts of one session, as `assembleSession` makes them. */
export interface SessionParts {
  readonly start: SessionStartRecord;
  readonly store: SessionStore;
  readonly stored: StoredSession;
  readonly history: SessionHistory;
  readonly events: SessionEvents;
  readonly content: SessionContent;
  readonly pasted: PastedContent;
  readonly outputs: ToolOutputs;
  readonly reported: ReportedContent;
  readonly editedFiles: EditedFiles;
  readonly artifacts: SessionArtifacts;
  /** Absent for a session without a folder. */
  readonly artifactStore: ArtifactStore | undefined;
  readonly workspaceYaml: WorkspaceYamlSync;
  /** What clients carry out for the agent. */
  readonly tools: SessionTools;
  readonly tempFiles: TempFiles;
  /** Updates the metadata about the folder that the session works in. */
  readonly metadata: MetadataRefresh;
  /** The files of the folder, as git sees them. */
  readonly work: SessionWork;
  /** The same, where it makes snapshots. */
  readonly snapshots: SessionWork | undefined;
  /** Absent when the host has no agent for the provider any more: the session can still be read. */
  readonly agent: Agent | undefined;
  /** The project's command for new worktrees. */
  readonly setup: WorktreeSetup;
  /** Absent when agents end with the host. */
  readonly runner: SessionRunner | undefined;
  /** Absent when the agent takes none. */
  readonly customizations: SessionCustomizations | undefined;
}
