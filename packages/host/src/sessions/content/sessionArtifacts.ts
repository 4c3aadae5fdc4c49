import { randomUUID } from 'node:crypto';
import {
  type ArtifactKind,
  type ContentRange,
  ERROR_CODE,
  type ListArtifactsParams,
  type ListArtifactsResult,
  MAX_CONTENT_RANGE,
} from '@agenthost/protocol';
import {
  type ArtifactUriParts,
  artifactTimes,
  artifactUri,
  errorMessage,
  type FetchContentResult,
  withArtifactTime,
} from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { AgentArtifact } from '../../agents/events/agentEventMapper.js';
import type { HostLog } from '../../hostLog.js';
import { checkSize, MAX_ARTIFACT_BYTES } from '../../storage/artifacts/artifactFolder.js';
import { artifactSegments } from '../../storage/artifacts/artifactName.js';
import { type ArtifactStore, MAX_PLAN_BYTES, PLAN_NAME } from '../../storage/artifacts/artifactStore.js';
import { MAX_SUMMARY_BYTES } from '../../storage/artifacts/compactionSummaries.js';
import { requireStatePath, StorageFailure } from '../../storage/artifacts/storageFailure.js';
import { errorCode } from '../../storage/fs/errnoFailure.js';
import type { SessionFs } from '../../storage/fs/sessionFs.js';
import type { EventLog } from '../../storage/log/eventLog.js';
import type { SessionStore } from '../sessionStore.js';
import { listArtifacts, locateArtifact } from './artifactList.js';
import { readPiece } from './contentPiece.js';
import { mimeTypeOf } from './mimeType.js';

export interface SessionArtifactsOptions {
  readonly fs: SessionFs;
  /** Absent if the session has no folder: then every operation fails with that reason. */
  readonly artifactStore: ArtifactStore | undefined;
  readonly provider: string;
  readonly sessionId: string;
  /** Publishes the times of changes. */
  readonly store: Pick<SessionStore, 'uri' | 'state' | 'dispatch'>;
  readonly records: Pick<EventLog, 'append'>;
  readonly now: () => number;
  readonly log: HostLog;
}

/** Waiting writes. An agent that makes more gets an error. */
const MAX_WAITING = 1_000;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** The session's plan, compaction summaries, files and research: stored in the order in which the agent makes them, read by clients. */
export class SessionArtifacts {
  readonly #options: SessionArtifactsOptions;
  #writing: Promise<void> = Promise.resolve();
  #waiting = 0;
  #waitingBytes = 0;
  /** The newest plan while it waits to be written. Older ones are skipped. */
  #plan: string | undefined;

  static async open(options: SessionArtifactsOptions): Promise<SessionArtifacts> {
    const artifacts = new SessionArtifacts(options);
    const { artifactStore } = options;
    await artifactStore?.compactionSummaries
      .load()
      .catch((error: unknown) => artifacts.#failed('the list of checkpoints', error));
    return artifacts;
  }

  private constructor(options: SessionArtifactsOptions) {
    this.#options = options;
  }

  /** Stores an artifact of the agent. Never throws: a failure becomes a notice, and the session continues. */
  take(artifact: AgentArtifact): void {
    const what = 'name' in artifact ? artifact.name.slice(0, 100) : `the ${artifact.kind}`;
    try {
      this.#take(artifact, what);
    } catch (error) {
      this.#failed(what, error);
    }
  }

  /** Rejects with the error to answer. */
  async list(params: ListArtifactsParams): Promise<ListArtifactsResult> {
    await this.#writing;
    const { fs, provider, sessionId } = this.#options;
    const uriOf = (kind: ArtifactKind, name: string) => artifactUri({ provider, sessionId, kind, name });
    try {
      return await listArtifacts(params, { fs, artifactStore: this.#artifactStore(), uriOf });
    } catch (error) {
      throw answerFor(error, 'params');
    }
  }

  async read(
    artifact: ArtifactUriParts,
    range: ContentRange = { offset: 0, length: MAX_CONTENT_RANGE },
  ): Promise<FetchContentResult> {
    await this.#writing;
    try {
      const path = await locateArtifact(this.#artifactStore(), artifact);
      const piece = await readPiece(this.#options.fs, path, range);
      const mimeType = mimeTypeOf(artifact.name);
      return { ...piece, ...(mimeType !== undefined && { mimeType }) };
    } catch (error) {
      throw answerFor(error, 'params.uri');
    }
  }

  /** Resolves when all artifacts are written or have failed. */
  settled(): Promise<void> {
    return this.#writing;
  }

  #take(artifact: AgentArtifact, what: string): void {
    const artifactStore = this.#artifactStore();
    switch (artifact.kind) {
      case 'plan':
        this.#takePlan(artifactStore, artifact.markdown, what);
        return;
      case 'checkpoint': {
        const { title, markdown } = artifact;
        checkSize(what, `${title}${markdown}`, MAX_SUMMARY_BYTES);
        this.#checkRoom();
        const checkpoint = artifactStore.compactionSummaries.next(title);
        // Logged before its file exists: a fork at the end of this turn must include it.
        this.#options.records.append({
          type: 'session.checkpoint',
          path: artifactStore.compactionSummaries.pathOf(checkpoint),
        });
        this.#write('checkpoint', what, markdown, () => artifactStore.compactionSummaries.write(checkpoint, markdown));
        return;
      }
      default: {
        const { kind, name, content } = artifact;
        artifactSegments(name, this.#options.fs.conventions);
        checkSize(what, content, MAX_ARTIFACT_BYTES);
        this.#checkRoom();
        const folder = kind === 'file' ? artifactStore.files : artifactStore.research;
        this.#write(kind, what, content, () => folder.write(name, content));
      }
    }
  }

  #takePlan(artifactStore: ArtifactStore, markdown: string, what: string): void {
    checkSize(PLAN_NAME, markdown, MAX_PLAN_BYTES);
    const isWaiting = this.#plan !== undefined;
    this.#plan = markdown;
    if (isWaiting) return;
    this.#write('plan', what, markdown, async () => {
      const newest = this.#plan ?? '';
      this.#plan = undefined;
      const isThere = newest.trim() !== '';
      await (isThere ? artifactStore.writePlan(newest) : artifactStore.removePlan());
      return isThere;
    });
  }

  /** `work` resolves with `false` when nothing of the kind is left. */
  #write(kind: ArtifactKind, what: string, content: string | Uint8Array, work: () => Promise<unknown>): void {
    const bytes = content.length;
    this.#waiting++;
    this.#waitingBytes += bytes;
    this.#writing = this.#writing
      .then(work)
      .then((isThere) => this.#changed(kind, isThere !== false))
      .catch((error: unknown) => this.#failed(what, error))
      .finally(() => {
        this.#waiting--;
        this.#waitingBytes -= bytes;
      });
  }

  /** In the state, so that clients that were away learn of it. Never the same time twice, so that each change is visible. */
  #changed(kind: ArtifactKind, isThere: boolean): void {
    const { store, now } = this.#options;
    const times = artifactTimes(store.state.summary);
    const time = isThere ? Math.max(now(), (times[kind] ?? 0) + 1) : undefined;
    const metadata = withArtifactTime(times, kind, time);
    // This also stores the record of a compaction summary, which is before it in the log.
    store.dispatch({ type: 'session/metadataChanged', metadata }, { mustBeStored: true });
  }

  #failed(what: string, error: unknown): void {
    const { store, log } = this.#options;
    log.error(`${store.uri}: ${what} could not be kept`, error);
    const turn = store.state.activeTurn;
    const text = `Not kept: ${what}. ${errorMessage(error)}`;
    // Once per turn: an agent may keep changing a plan that can't be stored.
    if (!turn || turn.responseParts.some((part) => part.kind === 'notice' && part.text === text)) return;
    const part = { kind: 'notice', id: randomUUID(), text, severity: 'warning' } as const;
    store.dispatch({ type: 'session/responsePart', turnId: turn.id, part });
  }

  #checkRoom(): void {
    if (this.#waiting < MAX_WAITING && this.#waitingBytes < MAX_WAITING_BYTES) return;
    throw new StorageFailure('TOO_MANY', 'too many artifacts wait to be stored; make fewer of them at once');
  }

  #artifactStore(): ArtifactStore {
    const { artifactStore, fs } = this.#options;
    if (artifactStore) return artifactStore;
    requireStatePath(fs);
    throw new Error('a session with a folder has an artifact store');
  }
}

function answerFor(error: unknown, where: string): unknown {
  if (!(error instanceof Error)) return error;
  const { message } = error;
  switch (errorCode(error)) {
    case 'NO_STATE_PATH':
      return new RpcError(ERROR_CODE.notFound, message, { cause: error });
    case 'INVALID_NAME':
    case 'INVALID_CURSOR':
      return new RpcError(ERROR_CODE.invalidParams, `${where}: ${message}`, { cause: error });
    case 'OUTSIDE':
    case 'EACCES':
      return new RpcError(ERROR_CODE.permissionDenied, `${where}: it leads outside of its folder`, { cause: error });
    case 'ENOENT':
    case 'ENOTDIR':
      return new RpcError(ERROR_CODE.contentNotFound, 'no such artifact in this session', { cause: error });
    default:
      return error;
  }
}
