// Packs what a user installs, as npm tarballs: every package, and the command with the page inside. Everything must be built.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const out = resolve(process.argv[2] ?? join(root, '.cache/packed'));
  for (const file of packAll(out)) console.log(file);
}

/** Returns the paths of the tarballs; those of an earlier run are gone. */
export function packAll(out: string): string[] {
  mkdirSync(out, { recursive: true });
  for (const name of readdirSync(out)) if (name.endsWith('.tgz')) rmSync(join(out, name));
  for (const name of readdirSync(join(root, 'packages'))) pack(join(root, 'packages', name), out);
  const staged = mkdtempSync(join(tmpdir(), 'agenthost-pack-'));
  try {
    stageCommand(staged);
    pack(staged, out);
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
  return readdirSync(out)
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => join(out, name));
}

/** In a folder of its own: a page inside the sources would hide the one that is built later. */
function stageCommand(folder: string): void {
  const command = join(root, 'apps/cli');
  for (const name of ['README.md', 'LICENSE', 'bin', 'dist']) {
    cpSync(join(command, name), join(folder, name), { recursive: true });
  }
  cpSync(join(root, 'apps/web/dist'), join(folder, 'dist/page'), { recursive: true });
  const { devDependencies: _, ...manifest } = JSON.parse(readFileSync(join(command, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

function pack(folder: string, out: string): void {
  const npm = process.env['npm_execpath'];
  const args = ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', out];
  const [program, all] = npm ? [process.execPath, [npm, ...args]] : ['npm', args];
  execFileSync(program, all, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}
