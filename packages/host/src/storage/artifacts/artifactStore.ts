import { errorCode } from '../fs/errnoFailure.js';
import { replaceFile } from '../fs/replaceFile.js';
import type { SessionFs } from '../fs/sessionFs.js';
import { ArtifactFolder, checkSize, locateWithin } from './artifactFolder.js';
import { CompactionSummaries } from './compactionSummaries.js';
import { requireStatePath, StorageFailure } from './storageFailure.js';
import { readWorkspaceYaml, type WorkspaceInfo, writeWorkspaceYaml } from './workspaceYaml.js';

export const MAX_PLAN_BYTES = 1024 * 1024;
export const PLAN_NAME = 'plan.md';

/** Everything that a session keeps beside its log. Without a session folder the constructor throws and says what to do. */
export class ArtifactStore {
  readonly path: string;
  readonly compactionSummaries: CompactionSummaries;
  /** Persistent artifacts, large pasted content, large tool output. */
  readonly files: ArtifactFolder;
  /** Research notes of an agent. */
  readonly research: ArtifactFolder;
  readonly #fs: SessionFs;

  constructor(fs: SessionFs) {
    this.#fs = fs;
    this.path = requireStatePath(fs);
    this.compactionSummaries = new CompactionSummaries(fs);
    this.files = new ArtifactFolder(fs, 'files');
    this.research = new ArtifactFolder(fs, 'research');
  }

  readInfo(): Promise<WorkspaceInfo | undefined> {
    return readWorkspaceYaml(this.#fs);
  }

  writeInfo(info: WorkspaceInfo): Promise<void> {
    return writeWorkspaceYaml(this.#fs, info);
  }

  locatePlan(): Promise<string> {
    const path = this.#fs.join(this.path, PLAN_NAME);
    return locateWithin(this.#fs, path, path);
  }

  async readPlan(): Promise<string | undefined> {
    try {
      return await this.#fs.readFile(await this.locatePlan());
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async writePlan(markdown: string): Promise<void> {
    checkSize(PLAN_NAME, markdown, MAX_PLAN_BYTES);
    await replaceFile(this.#fs, await this.locatePlan(), markdown);
  }

  async removePlan(): Promise<void> {
    await this.#fs.rm(await this.locatePlan(), { force: true });
  }

  /** The path of a database, which SQLite creates when it is opened. */
  databasePath(): string {
    if (this.#fs.realPath) return this.#fs.join(this.path, 'session.db');
    throw new StorageFailure(
      'NOT_LOCAL',
      'the files of this session are not on this machine, so no program here can open a database among them',
    );
  }
}
