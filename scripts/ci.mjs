// Runs every suite, continues after a failure, and prints only the sum on the last line.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { failedNames, failuresIn, filesToRepeat } from './ciResults.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * One after the other. A suite counts its tests if it leaves results, else it counts as one. `beside` runs at the same time with the
 * rest of the processors. A few failed files of a suite that `repeats` run once more, alone: browsers and agents on two busy cores
 * miss a moment now and then. Suites of random histories and faults never repeat: what they find once is a defect (ADR 156).
 */
const suites = [
  { command: ['test'], counts: true, repeats: true },
  { command: ['run', 'test:sweeps'], counts: true, repeats: true },
  // Alone: real agents have time limits of their own.
  {
    command: ['run', 'test:agents'],
    // All versions of each agent's own command: `npm run test:agents`.
    env: { AGENTHOST_NATIVE_VERSIONS: 'earliest' },
    counts: true,
    repeats: true,
  },
  { command: ['run', 'test:security'], counts: true, repeats: true },
  // `npm run test:faults` alone has many more of each, and takes an hour.
  {
    command: [
      ...['run', 'test:faults', '--', '--log_mib', '256', '--index_rounds', '12', '--agents', '30', '--jumps', '50'],
      ...['--kills', '40', '--cluster', '12', '--mutants', '1'],
      ...['--events', '1000', '--webhookkills', '4', '--outliving', '20', '--land', '20', '--worktrees', '20'],
      ...['--cuts', '30', '--writes', '60'],
      ...['--database_every', '40', '--database_kills', '6', '--database_restarts', '6'],
    ],
    counts: true,
  },
  {
    command: ['run', 'test:convergence', '--', '--runs', '2000', '--unseen', '600', '--cluster', '40'],
    counts: true,
    beside: { command: ['run', 'soak', '--', '--minutes', '1'], counts: true },
  },
  { command: ['run', 'test:vscode', '--', '-t', '1.139.1'], counts: true, repeats: true },
  { command: ['run', 'lint'], counts: false },
  { command: ['run', 'audit'], counts: false },
];

/** A check that could not be made: neither passed nor failed, and reported again at the end. */
const NOT_CHECKED = 75;
const notChecked = [];

let passed = 0;
let failed = 0;
const failures = [];
const flaky = [];
const began = Date.now();
const durations = [];
for (const { beside, ...suite } of suites) {
  const other = beside && runBeside(beside);
  const suiteBegan = Date.now();
  await take(suite, await run(suite, { stdio: 'inherit' }));
  durations.push(`  ${minutes(Date.now() - suiteBegan)}  npm ${suite.command.join(' ')}`);
  if (!other) continue;
  const outcome = await other;
  console.log(`\n$ npm ${beside.command.join(' ')} (ran beside the suite above)`);
  console.log(readFileSync(outcome.output, 'utf8'));
  await take(beside, outcome);
}
if (notChecked.length > 0) console.log(`\nWARNING: not checked: ${notChecked.join(', ')} (see above for why).`);
if (flaky.length > 0) console.log(`\nWARNING: failed, and passed when run again alone:\n${flaky.join('\n')}`);
console.log(`\nHow long each suite took, with its set-up and what was run again (limits: npm test 7:00, all 45:00):`);
console.log([...durations, `  ${minutes(Date.now() - began)}  all`].join('\n'));
// Repeated at the end: of a long log only the end may be kept.
if (failures.length > 0) console.log(`\nWhat failed:\n${failures.join('\n')}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);

/** As minutes and seconds. */
function minutes(milliseconds) {
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`.padStart(5);
}

/** Runs a suite to its end. */
async function run({ command, env: more }, options, name = 'test-results') {
  if (options.stdio === 'inherit') console.log(`\n$ npm ${command.join(' ')}`);
  const results = join(root, '.cache', `${name}.json`);
  rmSync(results, { force: true });
  const env = { ...process.env, ...more, AGENTHOST_TEST_RESULTS: results };
  const child = spawn('npm', command, { cwd: root, env, shell: process.platform === 'win32', ...options });
  if (options.stdio !== 'inherit') setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const [status] = await once(child, 'exit');
  return { status, results };
}

/** The same with a low priority, and with its output in a file. */
async function runBeside(suite) {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const output = join(root, '.cache', 'beside.log');
  const file = openSync(output, 'w');
  return { ...(await run(suite, { stdio: ['ignore', file, file] }, 'beside-results')), output };
}

/** Adds the outcome of a suite to the sums. */
async function take({ command, env, counts, repeats }, { status, results }) {
  if (status === NOT_CHECKED) {
    notChecked.push(command.join(' '));
    return;
  }
  const counted = counts && existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : undefined;
  passed += counted ? counted.numPassedTests : Number(status === 0);
  if (status === 0) return;
  const lines = counted ? failuresIn(counted, root) : [];
  const again = repeats && counted ? filesToRepeat(counted, root) : [];
  if (again.length > 0 && (await passesAgain({ command, env }, again, counted))) {
    passed += counted.numFailedTests;
    flaky.push(...lines);
    return;
  }
  // A runner can fail without a failed test (a file that does not load, an unhandled rejection): that is a failure too.
  failed += Math.max(counted ? counted.numFailedTests : 0, 1);
  failures.push(`npm ${command.join(' ')}: exit code ${status}`, ...lines);
}

/** Runs the failed tests of these files by themselves. All of them have to run: a name that matches none is no success. */
async function passesAgain({ command, env }, files, counted) {
  const words = command.includes('--') ? command : [...command, '--'];
  // The long suites name files from their own folder on.
  const names = command.includes('test:security') ? files.map((file) => file.replace('test/security/', '')) : files;
  const only = command.includes('-t') ? [] : [`--testNamePattern=${failedNames(counted)}`];
  const repeated = await run({ command: [...words, ...names, ...only], env }, { stdio: 'inherit' }, 'repeated-results');
  if (repeated.status !== 0 || !existsSync(repeated.results)) return false;
  return JSON.parse(readFileSync(repeated.results, 'utf8')).numPassedTests >= counted.numFailedTests;
}
