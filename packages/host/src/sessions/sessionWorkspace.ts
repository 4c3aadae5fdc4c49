import type { SessionState } from '@agenthost/protocol';
import type { HostLog } from '../hostLog.js';
import type { Workspace } from '../sessionFs/workspace.js';
import type { WorkspaceInfo } from '../sessionFs/workspaceFile.js';
import { readGitMetadata } from './gitMetadata.js';

export interface SessionWorkspaceOptions {
  readonly sessionId: string;
  readonly cwd: string;
  readonly state: SessionState;
  readonly now: () => number;
  readonly log: HostLog;
}

/** The session's `workspace.yaml`, kept up to date behind the session's back: its loss costs no message. */
export class SessionWorkspace {
  readonly #files: Workspace | undefined;
  readonly #log: HostLog;
  readonly #now: () => number;
  #info: WorkspaceInfo;
  #saving: Promise<void> = Promise.resolve();
  #isDirty = false;

  /** Without files nothing is kept. */
  static async open(files: Workspace | undefined, options: SessionWorkspaceOptions): Promise<SessionWorkspace> {
    const found = await files?.readInfo().catch((error: unknown) => {
      options.log.warn(`${options.sessionId}: workspace.yaml can't be read and is written anew: ${String(error)}`);
      return undefined;
    });
    const { title, createdAt, modifiedAt } = options.state.summary;
    const { cwd, sessionId: id } = options;
    const git = files && !found ? await checkoutOf(cwd) : {};
    const fresh = { id, name: title, cwd, ...git, createdAt, updatedAt: modifiedAt };
    const workspace = new SessionWorkspace(files, found ?? fresh, options);
    if (!found) workspace.#save();
    return workspace;
  }

  private constructor(files: Workspace | undefined, info: WorkspaceInfo, { log, now }: SessionWorkspaceOptions) {
    this.#files = files;
    this.#info = info;
    this.#log = log;
    this.#now = now;
  }

  get nativeSessionId(): string | undefined {
    return this.#info.nativeSessionId;
  }

  setNativeSessionId(nativeSessionId: string | undefined): void {
    if (nativeSessionId === undefined || nativeSessionId === this.#info.nativeSessionId) return;
    this.#change({ nativeSessionId });
  }

  summaryChanged({ summary }: SessionState): void {
    const { title: name, metadata } = summary;
    if (name === this.#info.name && metadata === this.#info.metadata) return;
    const { gitRoot: _, repository: __, branch: ___, metadata: ____, ...rest } = this.#info;
    this.#info = { ...rest, ...(metadata && { metadata, ...gitFields(metadata) }) };
    this.#change({ name });
  }

  /** Resolves when everything is written, or has failed to be. */
  settled(): Promise<void> {
    return this.#saving;
  }

  #change(change: Partial<WorkspaceInfo>): void {
    this.#info = { ...this.#info, ...change, updatedAt: this.#now() };
    this.#save();
  }

  /** One write at a time; what changes meanwhile goes with the next. */
  #save(): void {
    const files = this.#files;
    if (!files || this.#isDirty) return;
    this.#isDirty = true;
    this.#saving = this.#saving
      .then(() => {
        this.#isDirty = false;
        return files.writeInfo(this.#info);
      })
      .catch((error: unknown) => this.#log.error('workspace.yaml could not be stored', error));
  }
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

/** What checkout the folder is in, as `workspace.yaml` names it. */
async function checkoutOf(cwd: string): Promise<Pick<WorkspaceInfo, 'gitRoot' | 'repository' | 'branch'>> {
  const { repositoryPath, worktreePath, repositoryUrl, branch } = await readGitMetadata(cwd);
  const gitRoot = worktreePath ?? repositoryPath;
  return {
    ...(gitRoot !== undefined && { gitRoot }),
    ...(repositoryUrl !== undefined && { repository: repositoryUrl }),
    ...(branch !== undefined && { branch }),
  };
}
