import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A real repository in a temporary folder, with a user's configuration of its own. */
export class TestRepository {
  readonly root: string;
  readonly folder: string;
  /** For the host's runs: the tester's own configuration does not count. */
  readonly env: Record<string, string>;

  private constructor(root: string) {
    this.root = root;
    this.folder = join(root, 'repo');
    this.env = {
      PATH: process.env['PATH'] ?? '',
      HOME: join(root, 'home'),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: join(root, 'home/.gitconfig'),
    };
  }

  static async make(): Promise<TestRepository> {
    const made = new TestRepository(await realpath(await mkdtemp(join(tmpdir(), 'agenthost-git-'))));
    await mkdir(join(made.root, 'home'), { recursive: true });
    await mkdir(made.folder);
    await writeFile(join(made.root, 'home/.gitconfig'), '[user]\n\tname = Test\n\temail = test@example.com\n');
    await made.git('init', '-q', '-b', 'main');
    return made;
  }

  /** Plain git, as the user runs it. */
  async git(...args: readonly string[]): Promise<string> {
    return this.gitIn(this.folder, ...args);
  }

  async gitIn(cwd: string, ...args: readonly string[]): Promise<string> {
    const { stdout } = await run('git', args, { cwd, env: this.env, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  }

  async write(path: string, text: string | Uint8Array): Promise<void> {
    const file = join(this.folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  async commit(message = 'change'): Promise<string> {
    await this.git('add', '-A');
    await this.git('commit', '-q', '--allow-empty', '-m', message);
    return (await this.git('rev-parse', 'HEAD')).trim();
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}
