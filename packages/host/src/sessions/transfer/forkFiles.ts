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
  /** The last checkpoint that stays; those after it summarise what the fork does not have. */
  readonly lastCheckpoint: string | undefined;
  /** Whether the fork is cut: without a cut every checkpoint stays. */
  readonly isCut: boolean;
}

/** What a session keeps beside its log, for its fork: by operations of SessionFs alone, so that every backend is one path. */
export async function forkFiles(source: SessionFs, target: SessionFs, options: ForkFilesOptions): Promise<void> {
  const [from, to] = [source.sessionStatePath, target.sessionStatePath];
  if (from === undefined || to === undefined) return;
  // What an earlier try left there that was cut short.
  for (const name of ['plan.md', ...COPIED]) await target.rm(target.join(to, name), { recursive: true, force: true });
  await copyPlan(source, target);
  for (const name of COPIED) await new ArtifactFolder(source, name).copyTo(new ArtifactFolder(target, name));
  if (options.isCut) await new CompactionSummaries(target).removeAfter(options.lastCheckpoint);
  await forkWorkspaceYaml(source, target, options);
}

/** Leaves out what belongs to the source alone: the copy of its first record, and the id of its agent's own session. */
async function forkWorkspaceYaml(source: SessionFs, target: SessionFs, options: ForkFilesOptions): Promise<void> {
  const found = await readWorkspaceYaml(source);
  if (!found) return;
  const { nativeSessionId: _, start: __, ...kept } = found;
  const { sessionId: id, name, now } = options;
  await writeWorkspaceYaml(target, { ...kept, id, name, createdAt: now, updatedAt: now });
}

async function copyPlan(source: SessionFs, target: SessionFs): Promise<void> {
  try {
    const plan = await source.readFileBytes(await new ArtifactStore(source).locatePlan());
    await target.writeFile(await new ArtifactStore(target).locatePlan(), plan);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && !leadsOutside(error)) throw error;
  }
}
