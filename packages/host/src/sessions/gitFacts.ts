import { lstat, open } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { WorkspaceInfo } from '../sessionFs/workspaceFile.js';

export type GitFacts = Pick<WorkspaceInfo, 'gitRoot' | 'repository' | 'branch'>;

const MAX_LEVELS = 64;
const MAX_FILE_BYTES = 64 * 1024;

/** What checkout a folder is in, read from git's own files: no process, and never a failure. */
export async function gitFacts(cwd: string): Promise<GitFacts> {
  const found = await findCheckout(cwd);
  return found ? { gitRoot: found.root, ...(await factsOf(found.git, found.head)) } : {};
}

/** The root of the checkout that a folder is in. */
export async function gitRootOf(cwd: string): Promise<string | undefined> {
  return (await findCheckout(cwd))?.root;
}

interface Checkout {
  readonly root: string;
  /** Where its files are, and what its HEAD says. */
  readonly git: string;
  readonly head: string;
}

async function findCheckout(cwd: string): Promise<Checkout | undefined> {
  let folder = resolve(cwd);
  for (let level = 0; level < MAX_LEVELS; level++) {
    const exists = await lstat(join(folder, '.git')).then(
      () => true,
      () => false,
    );
    const git = exists ? await gitFolder(folder) : undefined;
    const head = git === undefined ? undefined : await text(join(git, 'HEAD'));
    if (git !== undefined && head !== undefined) return { root: folder, git, head };
    if (dirname(folder) === folder) return undefined;
    folder = dirname(folder);
  }
  return undefined;
}

/** `.git` is a folder, or in a worktree or a submodule a file that says where it is. */
async function gitFolder(folder: string): Promise<string | undefined> {
  const path = join(folder, '.git');
  const link = /^gitdir: (.+)$/m.exec((await text(path)) ?? '')?.[1];
  if (link === undefined) return path;
  return isAbsolute(link) ? link : join(folder, link);
}

async function factsOf(git: string, head: string): Promise<Omit<GitFacts, 'gitRoot'>> {
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
  const common = (await text(join(git, 'commondir')))?.trim();
  const config = (await text(join(common === undefined ? git : resolve(git, common), 'config'))) ?? '';
  const origin = /^\[remote "origin"\]\s*\n(?:(?!\[).*\n)*?\s*url\s*=\s*(.+)$/m.exec(config)?.[1]?.trim();
  return {
    ...(branch !== undefined && { branch }),
    ...(origin !== undefined && { repository: withoutSecrets(origin) }),
  };
}

/** A password or token in the address is for git alone. */
function withoutSecrets(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1').replace(/[?#].*$/, '');
}

async function text(path: string): Promise<string | undefined> {
  const file = await open(path).catch(() => undefined);
  if (!file) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_FILE_BYTES), 0, MAX_FILE_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}
