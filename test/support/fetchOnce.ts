import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface FetchPlan {
  /** Fetched again when it holds something else, or an unfinished fetch. */
  readonly folder: string;
  /** Exact packages: a run can be repeated, and another version is fetched again. */
  readonly packages: readonly string[];
  /** More for npm's command line, e.g. `--ignore-scripts`. */
  readonly flags?: readonly string[];
  /** What else belongs to it; it counts as fetched after this. */
  readonly after?: (folder: string) => Promise<void>;
}

/** For a `beforeAll`: files of such suites run one after the other, so that no two install at once. Answers the folder. */
export async function fetchOnce({ folder, packages, flags = [], after }: FetchPlan): Promise<string> {
  const stamp = join(folder, 'installed');
  const wanted = packages.join('\n');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return folder;
  const started = Date.now();
  process.stderr.write(`Fetching ${packages.join(', ')}; this happens once for each version.\n`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  await npmInstall([...flags, ...packages], folder);
  await after?.(folder);
  await writeFile(stamp, wanted);
  process.stderr.write(`Fetched ${packages.join(', ')} in ${Math.round((Date.now() - started) / 1_000)} s.\n`);
  return folder;
}

export async function npmInstall(args: readonly string[], cwd: string): Promise<void> {
  const all = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...args];
  const script = process.env['npm_execpath'];
  const [command, rest] = script ? [process.execPath, [script, ...all]] : ['npm', all];
  const child = spawn(command, rest, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (code !== 0) throw new Error(`npm ${all.join(' ')} failed in ${cwd}; check the network or the registry.`);
}
