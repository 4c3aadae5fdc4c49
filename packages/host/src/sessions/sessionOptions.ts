import type { StoredSession } from '../storage/sessionStorage.js';
import type { SessionArtifacts } from './content/sessionArtifacts.js';
import type { SessionContent } from './content/sessionContent.js';
import type { MetadataRefresh } from './folder/metadataRefresh.js';
import type { SessionCustomizations } from './folder/sessionCustomizations.js';
import type { SessionHistory } from './history/sessionHistory.js';
import type { SessionStore } from './sessionStore.js';
import type { MessageIntake } from './turn/actionIntake.js';
import type { AgentRun } from './turn/agentRun.js';
import type { UsedTurnIds } from './turn/usedTurnIds.js';

export interface SessionOptions {
  readonly store: SessionStore;
  readonly stored: StoredSession;
  readonly content: SessionContent;
  readonly artifacts: SessionArtifacts;
  readonly intake: MessageIntake;
  /** Absent where the agent takes none. */
  readonly customizations: SessionCustomizations | undefined;
  /** Absent when the host has no agent for the provider any more: the session can still be read. */
  readonly run: AgentRun | undefined;
  readonly models: () => ReadonlySet<string> | undefined;
  readonly history: SessionHistory;
  readonly turnIds: UsedTurnIds;
  /** Keeps the metadata saying where the session works. */
  readonly metadata: MetadataRefresh;
  /** Resolves when what it keeps beside its log is written. */
  readonly filesWritten: () => Promise<void>;
  readonly close: () => Promise<void>;
}
