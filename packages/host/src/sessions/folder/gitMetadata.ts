import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { readSmallFile } from '../../storage/fs/foreignFile.js';
import { type GitConfig, parseGitConfig, subsectionsWith } from './gitConfig.js';
import { parseRemoteAddress } from './remoteAddress.js';

/** Facts about a folder's git checkout, under the keys of the metadata contract. */
export interface GitMetadata {
  /** The checkout's top folder; for a worktree, that of its repository. */
  readonly repositoryPath?: string;
  /** The top folder of a worktree that was added to a repository. */
  readonly worktreePath?: string;
  /** Absent while HEAD is detached. */
  readonly branch?: string;
  /** The main branch of the remote. */
  readonly baseBranchName?: string;
  readonly repositoryUrl?: string;
  readonly owner?: string;
  readonly name?: string;
}

const MAX_DEPTH = 64;
const MAX_POINTER_BYTES = 8 * 1024;
const MAX_CONFIG_BYTES = 256 * 1024;

/**
 * Reads git's files instead of running `git`, which in an untrusted folder can run commands of that folder's configuration
 * (fsmonitor, hooks, aliases). Empty if there is no repository, or none that can be understood.
 */
export async function readGitMetadata(folder: string): Promise<GitMetadata> {
  const found = await findCheckout(await realpath(folder).catch(() => folder));
  if (!found) return {};
  const { top, gitDir } = found;
  const commonDir = await commonDirOf(gitDir);
  const isWorktree = commonDir !== gitDir;
  const [branch, config] = await Promise.all([
    branchOf(gitDir),
    readSmallFile(join(commonDir, 'config'), MAX_CONFIG_BYTES).then((text) => parseGitConfig(text ?? '')),
  ]);
  const remote = remoteOf(config, branch);
  const address = remote === undefined ? undefined : parseRemoteAddress(config.get(`remote.${remote}.url`) ?? '');
  const baseBranchName = remote === undefined ? undefined : await baseBranchOf(commonDir, remote);
  return {
    repositoryPath: isWorktree ? repositoryOf(commonDir) : top,
    ...(isWorktree && { worktreePath: top }),
    ...(branch !== undefined && { branch }),
    ...(baseBranchName !== undefined && { baseBranchName }),
    ...(address && { repositoryUrl: address.url }),
    ...(address?.owner !== undefined && { owner: address.owner }),
    ...(address?.name !== undefined && { name: address.name }),
  };
}

/** The top folder of the checkout, or the worktree, that a folder is in. */
export async function checkoutOf(folder: string): Promise<string | undefined> {
  return (await findCheckout(await realpath(folder).catch(() => folder)))?.top;
}

/** The folder that all worktrees of a project share: that of the repository, and in it the same subfolder. */
export async function projectFolderOf(folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => folder);
  const found = await findCheckout(real);
  if (!found) return real;
  return join(repositoryOf(await commonDirOf(found.gitDir)), relative(found.top, real));
}

/** Where the repository keeps its branches. */
export async function commonDirAt(folder: string): Promise<string | undefined> {
  const found = await findCheckout(await realpath(folder).catch(() => folder));
  return found && commonDirOf(found.gitDir);
}

async function findCheckout(folder: string): Promise<{ readonly top: string; readonly gitDir: string } | undefined> {
  let top = folder;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const gitDir = await gitDirIn(top);
    if (gitDir !== undefined) return { top, gitDir };
    const parent = dirname(top);
    if (parent === top) return undefined;
    top = parent;
  }
  return undefined;
}

/** `.git` is the repository itself, or, in worktrees and submodules, a file that names it. */
async function gitDirIn(top: string): Promise<string | undefined> {
  const path = join(top, '.git');
  const found = await lstat(path).catch(() => undefined);
  if (!found) return undefined;
  if (!found.isFile()) return (await readSmallFile(join(path, 'HEAD'), 1)) === undefined ? undefined : path;
  const pointer = /^gitdir: (.+)/.exec((await readSmallFile(path, MAX_POINTER_BYTES)) ?? '')?.[1];
  return pointer === undefined ? undefined : resolve(top, pointer.trim());
}

/** A worktree has its own HEAD and shares everything else with its repository. */
async function commonDirOf(gitDir: string): Promise<string> {
  const pointer = (await readSmallFile(join(gitDir, 'commondir'), MAX_POINTER_BYTES))?.trim();
  return pointer ? resolve(gitDir, pointer) : gitDir;
}

function repositoryOf(commonDir: string): string {
  return basename(commonDir) === '.git' ? dirname(commonDir) : commonDir;
}

async function branchOf(gitDir: string): Promise<string | undefined> {
  const head = await readSmallFile(join(gitDir, 'HEAD'), MAX_POINTER_BYTES);
  const branch = /^ref: refs\/heads\/(.+)/.exec(head ?? '')?.[1]?.trim();
  // With references in tables, HEAD names a branch that can't exist.
  return branch === '.invalid' ? undefined : branch;
}

async function baseBranchOf(commonDir: string, remote: string): Promise<string | undefined> {
  if (/(?:^|\/)\.\.?(?:\/|$)/.test(remote)) return undefined;
  const head = await readSmallFile(join(commonDir, 'refs/remotes', remote, 'HEAD'), MAX_POINTER_BYTES);
  const start = `ref: refs/remotes/${remote}/`;
  return head?.startsWith(start) ? head.slice(start.length).trim() : undefined;
}

/** The remote that the branch follows, else `origin`, else the only one. */
function remoteOf(config: GitConfig, branch: string | undefined): string | undefined {
  const remotes = subsectionsWith(config, 'remote', 'url');
  const followed = branch === undefined ? undefined : config.get(`branch.${branch}.remote`);
  if (followed !== undefined && remotes.includes(followed)) return followed;
  if (remotes.includes('origin')) return 'origin';
  return remotes.length === 1 ? remotes[0] : undefined;
}
