// Runs one task of package.json's scripts on the pinned Node, after whatever set-up it needs.
// Plain JavaScript, because on a fresh clone it is whatever Node started npm that runs this.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const installStamp = join(root, 'node_modules', '.agenthost-installed');
const require = createRequire(join(root, 'package.json'));

const tasks = {
  build: (args) => runNode(bin('typescript', 'tsc'), ['-b', ...args]),
  test: (args) => build() || runNode(bin('vitest', 'vitest'), ['run', ...reporters(args), ...args]),
  lint: () =>
    build() ||
    runNode(bin('@biomejs/biome', 'biome'), ['check', '--error-on-warnings', '.']) ||
    runNode(bin('knip', 'knip'), []),
  check: () => tasks.lint() || tasks.test([]),
  format: () => runNode(bin('@biomejs/biome', 'biome'), ['check', '--write', '.']),
  schemas: () => build() || runNode(join(root, 'scripts/writeSchemas.ts'), []),
  start: (args) => build() || runNode(join(root, 'apps/cli/dist/main.js'), ['serve', ...args]),
  bench: (args) => build() || runNode(join(root, 'bench', `${args[0] ?? 'fanout'}.ts`), args.slice(1)),
};

const [name = '', ...args] = process.argv.slice(2);
const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
if (!task) {
  console.error(`Unknown task '${name}'. Tasks: ${Object.keys(tasks).join(', ')}.`);
  process.exit(2);
}
install();
process.exit(task(args));

/** Installs when node_modules is missing, unfinished, or not what the lock file says. */
function install() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const have = existsSync(installStamp) ? readFileSync(installStamp, 'utf8') : undefined;
  if (have === wanted) return;
  const command = existsSync(join(root, 'node_modules')) ? 'install' : 'ci';
  console.error(`Installing dependencies (npm ${command}); this happens once for each change of package-lock.json.`);
  const npm = process.env.npm_execpath;
  const flags = [command, '--no-audit', '--no-fund', '--loglevel=error'];
  const done = npm
    ? spawnSync(process.execPath, [npm, ...flags], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', flags, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (done.status !== 0) {
    console.error(
      'Installing failed. Check the network or the registry that npm is set to, then run the same command again.',
    );
    process.exit(done.status ?? 1);
  }
  writeFileSync(installStamp, wanted);
}

function build() {
  return tasks.build([]);
}

function reporters(args) {
  if (args.some((arg) => arg.startsWith('--reporter'))) return [];
  mkdirSync(join(root, '.cache'), { recursive: true });
  return ['--reporter=default', '--reporter=json', `--outputFile.json=${join(root, '.cache', 'test-results.json')}`];
}

function bin(packageName, command) {
  const manifest = require.resolve(`${packageName}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  return join(dirname(manifest), typeof bin === 'string' ? bin : bin[command]);
}

function runNode(script, args) {
  const node = bin('node', 'node');
  const done = spawnSync(node, [script, ...args], { cwd: root, stdio: 'inherit' });
  if (done.error) console.error(`Could not run ${node}: ${done.error.message}. Delete node_modules and try again.`);
  return done.status ?? 1;
}
