import { ArtifactFolder, leadsOutside } from '../../storage/artifacts/artifactFolder.js';
import { ArtifactStore } from '../../storage/artifacts/artifactStore.js';
import { CompactionSummaries } from '../../storage/artifacts/compactionSummaries.js';
import { readWorkspaceYaml, writeWorkspaceYaml } from '../../storage/artifacts/workspaceYaml.js';
import { errorCode } from '../../storage/fs/errnoFailure.js';
import type { SessionFs } from '../../storage/fs/sessionFs.js';

const COPIED = ['checkpoints', 'files', 'research'];

export interface ForkFilesOptions {
  readonly sessionId: string;
  readonly name: string;
  readonly now: number;
  /** The last compaction summary that stays. Later ones summarize turns that the fork does not have. */
  readonly lastCheckpoint: string | undefined;
  /** Whether the fork leaves out turns. Otherwise every compaction summary stays. */
  readonly isCut: boolean;
  /** The agent's session that the fork resumes. */
  readonly nativeSessionId?: string;
}

/** Copies the files beside a session's log for its fork, with operations of SessionFs only, so that all backends use the same code. */
export async function forkFiles(source: SessionFs, target: SessionFs, options: ForkFilesOptions): Promise<void> {
  const [from, to] = [source.sessionStatePath, target.sessionStatePath];
  if (from === undefined || to === undefined) return;
  // Files of an earlier try that was interrupted.
  for (const name of ['plan.md', ...COPIED]) await target.rm(target.join(to, name), { recursive: true, force: true });
  await copyPlan(source, target);
  for (const name of COPIED) await new ArtifactFolder(source, name).copyTo(new ArtifactFolder(target, name));
  if (options.isCut) await new CompactionSummaries(target).removeAfter(options.lastCheckpoint);
  await forkWorkspaceYaml(source, target, options);
}

/** Leaves out fields that belong to the source only: the copy of its first record, and the id of its agent's session. */
async function forkWorkspaceYaml(source: SessionFs, target: SessionFs, options: ForkFilesOptions): Promise<void> {
  const found = await readWorkspaceYaml(source);
  if (!found) return;
  const { nativeSessionId: _, start: __, ...kept } = found;
  const { sessionId: id, name, now, nativeSessionId } = options;
  const about = { ...kept, id, name, createdAt: now, updatedAt: now };
  await writeWorkspaceYaml(target, { ...about, ...(nativeSessionId !== undefined && { nativeSessionId }) });
}

async function copyPlan(source: SessionFs, target: SessionFs): Promise<void> {
  try {
    const plan = await source.readFileBytes(await new ArtifactStore(source).locatePlan());
    await target.writeFile(await new ArtifactStore(target).locatePlan(), plan);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && !leadsOutside(error)) throw error;
  }
}
