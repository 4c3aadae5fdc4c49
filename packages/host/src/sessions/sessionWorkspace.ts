import type { SessionState } from '@agenthost/protocol';
import type { HostLog } from '../hostLog.js';
import type { SessionFs } from '../sessionFs/sessionFs.js';
import { readWorkspaceFile, type WorkspaceInfo, writeWorkspaceFile } from '../sessionFs/workspaceFile.js';

export interface SessionWorkspaceOptions {
  readonly sessionId: string;
  readonly cwd: string;
  readonly state: SessionState;
  readonly now: () => number;
  readonly log: HostLog;
}

/** The session's `workspace.yaml` and its plan, kept up to date behind the session's back: their loss costs no message. */
export class SessionWorkspace {
  readonly #fs: SessionFs;
  readonly #log: HostLog;
  readonly #now: () => number;
  #info: WorkspaceInfo;
  #saving: Promise<void> = Promise.resolve();
  #isDirty = false;

  static async open(fs: SessionFs, options: SessionWorkspaceOptions): Promise<SessionWorkspace> {
    const found = await readWorkspaceFile(fs).catch((error: unknown) => {
      options.log.warn(`${options.sessionId}: workspace.yaml can't be read and is written anew: ${String(error)}`);
      return undefined;
    });
    const { title, createdAt, modifiedAt } = options.state.summary;
    const fresh = { id: options.sessionId, name: title, cwd: options.cwd, createdAt, updatedAt: modifiedAt };
    const workspace = new SessionWorkspace(fs, found ?? fresh, options);
    if (!found) workspace.#save();
    return workspace;
  }

  private constructor(fs: SessionFs, info: WorkspaceInfo, { log, now }: SessionWorkspaceOptions) {
    this.#fs = fs;
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

  writePlan(markdown: string): void {
    const folder = this.#fs.sessionStatePath;
    if (folder === undefined) return;
    this.#saving = this.#saving
      .then(() => this.#fs.writeFile(this.#fs.join(folder, 'plan.md'), markdown))
      .catch((error: unknown) => this.#log.error('a plan could not be stored', error));
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
    if (this.#fs.sessionStatePath === undefined || this.#isDirty) return;
    this.#isDirty = true;
    this.#saving = this.#saving
      .then(() => {
        this.#isDirty = false;
        return writeWorkspaceFile(this.#fs, this.#info);
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
