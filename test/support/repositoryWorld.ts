import { execFileSync } from 'node:child_process';
import { mkdir, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { HostClient, SessionHandle } from '@agenthost/client';
import type { DisposeSessionParams } from '@agenthost/protocol';
import { startTestHost, type TestHost, temporaryFolder } from './testHost.js';

const IDENTITY = ['-c', 'user.name=Mira', '-c', 'user.email=mira@example.org', '-c', 'protocol.file.allow=always'];

type HostOptions = Parameters<typeof startTestHost>[0];

/** A host, a client, and a real repository with one commit in a folder of their own. */
export class RepositoryWorld {
  readonly host: TestHost;
  readonly client: HostClient;
  /** The folder that everything is in. */
  readonly root: string;
  readonly repository: string;

  private constructor(host: TestHost, client: HostClient, root: string) {
    [this.host, this.client, this.root] = [host, client, root];
    this.repository = join(root, 'app');
  }

  static async make(options?: HostOptions): Promise<RepositoryWorld> {
    const host = await startTestHost(options);
    const world = new RepositoryWorld(host, await host.connect(), await realpath(await temporaryFolder()));
    await world.init(world.repository, { 'a.txt': 'one\n', 'b.txt': 'two\n', '.gitignore': '.env\nbuild/\n' });
    return world;
  }

  async dispose(): Promise<void> {
    await this.host.dispose();
    await rm(this.root, { recursive: true, force: true });
  }

  git(folder: string, ...args: string[]): string {
    const env = { PATH: process.env['PATH'], HOME: this.root, GIT_CONFIG_NOSYSTEM: '1' };
    return execFileSync('git', [...IDENTITY, ...args], { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' }).trimEnd();
  }

  /** A repository with these files as its first commit. */
  async init(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
    await mkdir(folder, { recursive: true });
    this.git(folder, 'init', '-q', '-b', 'main');
    await this.commit(folder, files);
  }

  async commit(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    this.git(folder, 'add', '-A');
    this.git(folder, 'commit', '-q', '--allow-empty', '-m', 'files');
  }

  async session(isolation: unknown = 'worktree', folder = this.repository): Promise<SessionHandle> {
    const session = await this.client.createSession({
      provider: 'mock',
      workingDirectory: pathToFileURL(folder).href,
      config: { isolation },
    });
    await session.ready();
    return session;
  }

  async remove(session: SessionHandle, worktree?: DisposeSessionParams['worktree']): Promise<void> {
    await this.client.disposeSession(session.uri, worktree && { worktree });
  }

  folderOf(session: SessionHandle): string {
    return fileURLToPath(session.confirmed.value.summary.workingDirectory ?? '');
  }

  branches(folder = this.repository): string[] {
    return this.git(folder, 'branch', '--format=%(refname:short)').split('\n');
  }

  /** What is left in the folder of worktrees. */
  async left(): Promise<string[]> {
    return readdir(join(this.host.stateDir, 'worktrees')).catch(() => []);
  }
}
