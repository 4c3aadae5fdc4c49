import type { SessionState } from '@agenthost/protocol';
import { sameValue } from '@agenthost/protocol/internal';
import type { HostLog } from '../../hostLog.js';
import type { ArtifactStore } from '../../storage/artifacts/artifactStore.js';
import type { WorkspaceInfo } from '../../storage/artifacts/workspaceYaml.js';
import type { SessionStartRecord } from '../../storage/log/eventLog.js';
import { readGitMetadata } from './gitMetadata.js';

export interface WorkspaceYamlSyncOptions {
  readonly start: SessionStartRecord;
  readonly state: SessionState;
  readonly now: () => number;
  readonly log: HostLog;
}

/** A client may change a title many times a second: the file is written at most this often, unless a caller waits for it. */
const PAUSE_MS = 500;

/** Keeps the session's `workspace.yaml` up to date in the background. Its loss costs no message. */
export class WorkspaceYamlSync {
  readonly #files: ArtifactStore | undefined;
  readonly #log: HostLog;
  readonly #now: () => number;
  #info: WorkspaceInfo;
  /** The current values of the summary. They become part of the info with the next write. */
  #told: Told;
  #saving: Promise<void> = Promise.resolve();
  #isDirty = false;
  #isUrgent = false;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #endPause: (() => void) | undefined;

  /** Without `files` nothing is written. */
  static async open(files: ArtifactStore | undefined, options: WorkspaceYamlSyncOptions): Promise<WorkspaceYamlSync> {
    const found = await files?.readInfo().catch((error: unknown) => {
      options.log.warn(`${options.start.sessionId}: workspace.yaml can't be read and is rewritten: ${String(error)}`);
      return undefined;
    });
    const { title, createdAt, modifiedAt } = options.state.summary;
    const { v: _, n: __, type: ___, ...start } = options.start;
    const { sessionId: id, cwd } = start;
    const git = files && !found ? await gitFieldsOf(cwd) : {};
    const fresh = { id, name: title, cwd, ...git, createdAt, updatedAt: modifiedAt };
    const workspace = new WorkspaceYamlSync(files, { ...(found ?? fresh), start }, options);
    if (!sameValue(found?.start, start)) workspace.#save();
    return workspace;
  }

  private constructor(files: ArtifactStore | undefined, info: WorkspaceInfo, { log, now }: WorkspaceYamlSyncOptions) {
    this.#files = files;
    this.#info = info;
    this.#told = { name: info.name, metadata: info.metadata, updatedAt: info.updatedAt };
    this.#log = log;
    this.#now = now;
  }

  get nativeSessionId(): string | undefined {
    return this.#info.nativeSessionId;
  }

  setNativeSessionId(nativeSessionId: string | undefined): void {
    if (nativeSessionId === undefined || nativeSessionId === this.#info.nativeSessionId) return;
    this.#keepNativeSessionId(nativeSessionId);
  }

  /** The agent's session has turns that the conversation does not have any more. */
  forgetNativeSessionId(): void {
    if (this.#info.nativeSessionId !== undefined) this.#keepNativeSessionId(undefined);
  }

  #keepNativeSessionId(nativeSessionId: string | undefined): void {
    const { nativeSessionId: _, ...rest } = this.#info;
    this.#info = { ...rest, ...(nativeSessionId !== undefined && { nativeSessionId }) };
    this.#told = { ...this.#told, updatedAt: this.#now() };
    this.#hurry();
    this.#save();
  }

  summaryChanged({ summary }: SessionState): void {
    const { title: name, metadata } = summary;
    if (name === this.#told.name && metadata === this.#told.metadata) return;
    this.#told = { name, metadata, updatedAt: this.#now() };
    this.#save();
  }

  /** Resolves when everything is written or has failed. */
  settled(): Promise<void> {
    if (this.#isDirty) this.#hurry();
    return this.#saving;
  }

  /** One write at a time. Changes meanwhile go with the next one. */
  #save(): void {
    const files = this.#files;
    if (!files || this.#isDirty) return;
    this.#isDirty = true;
    this.#saving = this.#saving
      .then(() => this.#pause())
      .then(() => {
        this.#isDirty = false;
        this.#isUrgent = false;
        this.#info = withTold(this.#info, this.#told);
        return files.writeInfo(this.#info);
      })
      .catch((error: unknown) => this.#log.error('workspace.yaml could not be stored', error))
      .finally(() => {
        this.#writtenAt = performance.now();
      });
  }

  async #pause(): Promise<void> {
    const ms = this.#writtenAt + PAUSE_MS - performance.now();
    if (this.#isUrgent || ms <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms).unref();
    this.#endPause = resolve;
    await promise;
    clearTimeout(timer);
    this.#endPause = undefined;
  }

  #hurry(): void {
    this.#isUrgent = true;
    this.#endPause?.();
  }
}

interface Told {
  readonly name: string;
  readonly metadata: SessionState['summary']['metadata'];
  readonly updatedAt: number;
}

function withTold(info: WorkspaceInfo, { name, metadata, updatedAt }: Told): WorkspaceInfo {
  if (metadata === info.metadata) return { ...info, name, updatedAt };
  const { gitRoot: _, repository: __, branch: ___, metadata: ____, ...rest } = info;
  return { ...rest, name, updatedAt, ...(metadata && { metadata, ...gitFields(metadata) }) };
}

/** The keys of the metadata contract, under the names that they have in the file. */
function gitFields(
  metadata: Readonly<Record<string, unknown>>,
): Pick<WorkspaceInfo, 'gitRoot' | 'repository' | 'branch'> {
  const { worktreePath, repositoryPath, repositoryUrl, branch } = metadata;
  const gitRoot = worktreePath ?? repositoryPath;
  return {
    ...(typeof gitRoot === 'string' && { gitRoot }),
    ...(typeof repositoryUrl === 'string' && { repository: repositoryUrl }),
    ...(typeof branch === 'string' && { branch }),
  };
}

/** The checkout of the folder, under the names of `workspace.yaml`. */
async function gitFieldsOf(cwd: string): Promise<Pick<WorkspaceInfo, 'gitRoot' | 'repository' | 'branch'>> {
  const { repositoryPath, worktreePath, repositoryUrl, branch } = await readGitMetadata(cwd);
  const gitRoot = worktreePath ?? repositoryPath;
  return {
    ...(gitRoot !== undefined && { gitRoot }),
    ...(repositoryUrl !== undefined && { repository: repositoryUrl }),
    ...(branch !== undefined && { branch }),
  };
}
