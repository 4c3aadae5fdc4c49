import type { SessionAction, SessionState, URI } from '@agenthost/protocol';
import type { AgentRegistry } from '../agents/agentRegistry.js';
import type { AgentRunner } from '../agents/runner/agentRunner.js';
import type { WorkspaceTrust } from '../customizations/workspaceTrust.js';
import type { HostLog } from '../hostLog.js';
import type { SessionIndex } from '../sessionIndex/sessionIndex.js';
import type { Broadcast } from '../state/broadcast.js';
import type { Delivery } from '../state/delivery.js';
import type { Lookers, Publisher, SequenceSource } from '../state/publisher.js';
import type { SessionStorage } from '../storage/sessionStorage.js';
import type { ProjectChecks } from '../work/checks/projectChecks.js';
import type { SnapshotMode } from '../work/openWork.js';
import type { Worktrees } from '../work/worktrees/worktrees.js';
import type { LoadedSessions } from './loadedSessions.js';
import type { AnswerRecord } from './turn/answerRecord.js';

/** A change of a session's state, at the host that owns the session. */
export interface SessionChange {
  readonly before: SessionState;
  readonly after: SessionState;
  /** Of the session: nobody else may hear of it. */
  readonly space: string;
  /** Who sees the session at the time of the call. */
  readonly lookers: () => Lookers;
}

/** An answer that a person gave to a question of a session. */
export interface SessionAnswer extends AnswerRecord {
  readonly session: URI;
  readonly space: string;
}

/** The host's services and settings for its sessions: one object for the hub and for each of its sessions. */
export interface SessionServices {
  readonly storage: SessionStorage;
  readonly index: SessionIndex;
  readonly agents: AgentRegistry;
  readonly delivery: Delivery;
  readonly publisher: Publisher;
  readonly sequence: SequenceSource;
  readonly broadcast: Broadcast;
  /** Told of each change that may ask something or end a turn: for push notifications and webhooks. */
  readonly onChange?: (change: SessionChange) => void;
  /** Told of each action after it has changed a state, while telemetry is on. */
  readonly onAction?: ((action: SessionAction, before: SessionState, after: SessionState) => void) | undefined;
  /** Told of the sessions that are in memory, for those who watch the host. */
  readonly onLoaded?: (loaded: LoadedSessions) => void;
  /** Told of what only begins a turn. */
  readonly onTurnStarted?: (change: SessionChange) => void;
  /** Told of each answer, for the audit trail. */
  readonly onAnswer?: (answer: SessionAnswer) => void;
  /** How many clients it reaches, of all hosts. None by default. */
  readonly listeners?: () => number;
  /** The environment of agents' processes; it has none of the host's secrets. */
  readonly agentEnv: Readonly<Record<string, string>>;
  /** The folder with the user's customizations for all sessions. */
  readonly stateDir: string;
  readonly trust: WorkspaceTrust;
  readonly worktrees: Worktrees;
  readonly tests: ProjectChecks;
  /** Where programs of agents outlive the host. */
  readonly runner?: Pick<AgentRunner, 'of'> | undefined;
  readonly defaultDirectory: string;
  /** Snapshot files and turn indexes are only used by the version that wrote them. */
  readonly hostVersion: string;
  /** Whether no other host can have taken a session of this one. If not, all is stored before it is told. Always by default. */
  readonly isSure?: () => boolean;
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: HostLog;
  /** A session that was not used for this long is unloaded, and its agent ends. */
  readonly idleMs: number;
  /** An agent that had no turn for this long ends; the next turn resumes it. */
  readonly agentIdleMs: number;
  readonly abortGraceMs: number;
  /** Whether stored content is synced to the disk itself. */
  readonly syncContent?: boolean;
  readonly keepTempFiles?: boolean;
  /** Where snapshots are made before and after each turn. None by default. */
  readonly snapshots?: SnapshotMode;
  readonly maxPastedBytes?: number;
  /** Memory for all loaded sessions, in bytes. */
  readonly maxSessionBytes?: number;
}
