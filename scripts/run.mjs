// Runs one task of package.json's scripts on the pinned Node, after the set-up that it needs.
// Plain JavaScript, because on a fresh clone any Node that started npm runs this.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const installStamp = join(root, 'node_modules', '.agenthost-installed');

const tasks = {
  build: (args) => inTurn(removeStale, () => runNode(bin('typescript', 'tsc'), ['-b', ...args]), bundle),
  pack: (args) => inTurn(buildPublished, buildPage, () => runNode(join(root, 'scripts/pack.ts'), args)),
  page: () => inTurn(() => tasks.build(['apps/web']), buildPage),
  test: (args) => (args[0] === '--changed' ? testChanged(args.slice(1)) : testAll(args)),
  'test:sweeps': (args) => inTurn(build, buildPage, () => runTests('test/sweeps.config.ts', args)),
  'test:agents': (args) => inTurn(build, () => runTests('test/agents/vitest.config.ts', args)),
  'test:vscode': (args) => inTurn(build, buildPage, () => runTests('test/vscode/vitest.config.ts', args)),
  'test:faults': (args) => longRun('test/faults', 'AGENTHOST_FAULT_', args),
  'test:convergence': (args) =>
    longRun('test/convergence', 'AGENTHOST_CONVERGENCE_', ['--runs', '10000', '--cluster', '10000', ...args]),
  'test:security': (args) =>
    longRun('test/security', 'AGENTHOST_SECURITY_', ['--frames', '100000', '--rounds', '2000', ...args]),
  soak: (args) => longRun('test/soak', 'AGENTHOST_SOAK_', args),
  lint: () =>
    inTurn(
      build,
      () => runNode(bin('@biomejs/biome', 'biome'), ['check', '--error-on-warnings', '.']),
      () => runNode(bin('knip', 'knip'), []),
    ),
  check: () => inTurn(tasks.lint, () => tasks.test([])),
  format: () => runNode(bin('@biomejs/biome', 'biome'), ['check', '--write', '.']),
  schemas: () =>
    inTurn(
      // Unchecked: until the types are written, the sources may use some that don't exist yet.
      () => runNode(bin('typescript', 'tsc'), ['-p', 'packages/protocol', '--noCheck']),
      () => runNode(join(root, 'scripts/writeTypes.ts'), []),
      () => runNode(bin('typescript', 'tsc'), ['-b', 'packages/host']),
      () => runNode(join(root, 'scripts/writeSchemas.ts'), []),
      () => runNode(bin('@biomejs/biome', 'biome'), ['format', '--write', 'packages/host/schema']),
    ),
  api: () =>
    inTurn(
      () => runNode(bin('typescript', 'tsc'), ['-b']),
      () => runNode(join(root, 'scripts/writeApiReports.ts'), []),
    ),
  docs: () => inTurn(build, () => runNode(join(root, 'scripts/writeCliDocs.ts'), [])),
  start: (args) => inTurn(buildProgram, () => runNode(join(root, 'apps/cli/dist/main.js'), ['serve', ...args])),
  dev: (args) => inTurn(buildProgram, () => runNode(join(root, 'scripts/dev.ts'), args)),
  cluster: (args) => inTurn(buildProgram, () => runNode(join(root, 'scripts/cluster.ts'), args)),
  screenshots: (args) => inTurn(buildProgram, () => runNode(join(root, 'scripts/screenshots.ts'), args)),
  'screenshots:vscode': (args) => {
    process.env.AGENTHOST_PICTURES = '1';
    return tasks['test:vscode'](['test/vscode/pictures.test.ts', ...args]);
  },
  'agent-locks': (args) => inTurn(build, () => runNode(join(root, 'scripts/writeAgentLocks.ts'), args)),
  'agent-table': () => runNode(join(root, 'scripts/writeAgentTable.ts'), []),
  'previous-build': (args) => inTurn(build, () => runNode(join(root, 'scripts/writePreviousBuild.ts'), args)),
  'message-path': (args) => inTurn(build, () => runNode(join(root, 'scripts/messagePath.ts'), args)),
  bench: (args) => inTurn(buildProgram, () => runNode(join(root, 'bench/run.ts'), args)),
};

const [name = '', ...args] = process.argv.slice(2);
const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
if (!task) {
  console.error(`Unknown task '${name}'. Tasks: ${Object.keys(tasks).join(', ')}.`);
  process.exit(2);
}
install();
process.exit(await task(args));

/** Installs when node_modules is missing, incomplete, or differs from the lock file. */
function install() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const have = existsSync(installStamp) ? readFileSync(installStamp, 'utf8') : undefined;
  if (have === wanted) return;
  console.error('Installing dependencies; this happens once for each change of package-lock.json.');
  const npm = process.env.npm_execpath;
  // Not `npm ci`: it refuses a lock file that lacks the binaries of other platforms, which a mirror may not have.
  const flags = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
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

/** Without the tests, which may not be there. */
function buildPublished() {
  const contracts = ['rpc', 'sessions', 'host'].map((name) => `packages/${name}/contract`);
  return tasks.build([...contracts, 'packages/ahp', 'apps/cli', 'apps/web']);
}

function testAll(args) {
  return inTurn(build, buildPage, () => runNode(bin('vitest', 'vitest'), ['run', ...reporters(args), ...args]));
}

/** Without the build: these tests import the sources. */
async function testChanged([base]) {
  const { changedTests } = await import('./changedTests.mjs');
  const args = changedTests(root, base);
  if (args) return runNode(bin('vitest', 'vitest'), ['run', ...reporters([]), ...args]);
  console.log(`No package and no test differs from ${base ?? 'HEAD'}.`);
  return 0;
}

/** Files of dist whose source is gone: the compiler leaves them, and they would be published. */
function removeStale() {
  for (const name of readdirSync(join(root, 'packages'))) {
    const folder = join(root, 'packages', name);
    if (!existsSync(join(folder, 'dist'))) continue;
    for (const path of readdirSync(join(folder, 'dist'), { recursive: true })) {
      const [, base] = /^(.*)\.(?:js|d\.ts)(?:\.map)?$/.exec(path.replaceAll('\\', '/')) ?? [];
      if (base === undefined || base.startsWith('bundled/')) continue;
      const isThere = ['src', '.'].some((sources) => existsSync(join(folder, sources, `${base}.ts`)));
      if (!isThere) rmSync(join(folder, 'dist', path));
    }
  }
  return 0;
}

/** The command and the page. Without a changed source the compilers are not even started: that takes a second or two. */
async function buildProgram() {
  const stamp = join(root, '.cache', 'program-built');
  const began = new Date();
  const made = ['apps/cli/dist/main.js', 'apps/web/dist/index.html', '.cache/program-built'];
  if (made.every((file) => existsSync(join(root, file))) && statSync(stamp).mtimeMs > newestSource()) return 0;
  const code = await inTurn(() => tasks.build(['apps/cli', 'apps/web']), buildPage);
  if (code === 0) {
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, '');
    // A change during the build is newer.
    utimesSync(stamp, began, began);
  }
  return code;
}

/** Includes folders: a removed file leaves no other trace. */
function newestSource() {
  const folders = ['packages', 'apps'].flatMap((kind) =>
    readdirSync(join(root, kind)).map((name) => join(root, kind, name)),
  );
  const files = ['package-lock.json', 'tsconfig.base.json', 'scripts/bundleCli.ts'].map((name) => join(root, name));
  const named = folders.flatMap((folder) =>
    ['src', 'index.html', 'public', 'package.json', 'tsconfig.json', 'vite.config.ts'].map((name) =>
      join(folder, name),
    ),
  );
  return Math.max(...[...files, ...named].filter((path) => existsSync(path)).map(newestBelow));
}

function newestBelow(path) {
  const found = statSync(path);
  const inside = found.isDirectory() ? readdirSync(path).map((name) => newestBelow(join(path, name))) : [];
  return Math.max(found.mtimeMs, ...inside);
}

/** Only when one of its sources is newer. */
function buildPage() {
  const made = join(root, 'apps/web/dist/index.html');
  const sources = [
    'apps/web',
    'packages/protocol/dist',
    'packages/rpc/dist',
    'packages/client/dist',
    'packages/sessions/dist',
  ];
  const newest = Math.max(
    ...sources.map((folder) => newestIn(join(root, folder))),
    statSync(join(root, 'package-lock.json')).mtimeMs,
  );
  if (existsSync(made) && statSync(made).mtimeMs > newest) return 0;
  return runNode(bin('vite', 'vite'), ['build', '--logLevel', 'error', '-c', join(root, 'apps/web/vite.config.ts')]);
}

function newestIn(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const own = files.filter(({ parentPath }) => !parentPath.startsWith(join(root, 'apps/web/dist')));
  return Math.max(0, ...own.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs));
}

function bundle() {
  return runNode(join(root, 'scripts/bundleCli.ts'), []);
}

/**
 * All of a suite of which `npm test` runs a part: the named files, or its whole folder. Options such as `--kills 1000` are
 * for the suite; other flags are vitest's.
 */
function longRun(folder, prefix, args) {
  const [files, flags] = [[], []];
  for (let at = 0; at < args.length; at++) {
    const option = /^--(\w+)$/.exec(args[at])?.[1];
    const isNumber = /^\d+(\.\d+)?$/.test(args[at + 1] ?? '');
    if (option && isNumber) process.env[`${prefix}${option.toUpperCase()}`] = args[++at];
    else if (args[at].startsWith('-')) flags.push(args[at]);
    else files.push(`${folder}/${args[at]}`);
  }
  process.env.AGENTHOST_FAULTS = 'all';
  const config = ['--config', 'test/faults/vitest.config.ts'];
  const filter = files.length > 0 ? files : [`${folder}/`];
  return inTurn(build, () =>
    runNode(bin('vitest', 'vitest'), ['run', ...config, ...reporters(flags), ...filter, ...flags]),
  );
}

function runTests(config, args) {
  return runNode(bin('vitest', 'vitest'), ['run', '--config', config, ...reporters(args), ...args]);
}

function reporters(args) {
  if (args.some((arg) => arg.startsWith('--reporter'))) return [];
  mkdirSync(join(root, '.cache'), { recursive: true });
  const results = process.env.AGENTHOST_TEST_RESULTS ?? join(root, '.cache', 'test-results.json');
  return ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
}

function bin(packageName, command) {
  const folder = join(root, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[command]);
}

/** Runs until one fails; returns its exit code. */
async function inTurn(...steps) {
  for (const step of steps) {
    const code = await step();
    if (code !== 0) return code;
  }
  return 0;
}

/** Passes signals on, so that stopping this script stops what it runs, and waits for it. */
async function runNode(script, args) {
  const node = bin('node', 'node');
  const child = spawn(node, [script, ...args], { cwd: root, stdio: 'inherit' });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const forward = (signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  // npm does not pass on a signal that it gets itself: then only its end is visible here.
  const parent = process.ppid;
  const watch = setInterval(() => process.ppid !== parent && forward('SIGTERM'), 500);
  const code = await new Promise((resolve) => {
    child.on('exit', (exitCode, signal) => resolve(exitCode ?? (signal ? 1 : 0)));
    child.on('error', (error) => {
      console.error(`Could not run ${node}: ${error.message}. Delete node_modules and try again.`);
      resolve(1);
    });
  });
  clearInterval(watch);
  for (const signal of signals) process.off(signal, forward);
  return code;
}
