// Runs every suite, continues after a failure, and prints only the sum on the last line.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * One after the other. A suite counts its tests if it leaves results, else it counts as one. `beside` runs at the same time with the
 * rest of the processors.
 */
const suites = [
  { command: ['test'], counts: true },
  { command: ['run', 'test:sweeps'], counts: true },
  // Alone: real agents have time limits of their own.
  { command: ['run', 'test:agents'], counts: true },
  { command: ['run', 'test:security'], counts: true },
  // `npm run test:faults` alone has many more of each, and takes an hour.
  {
    command: [
      ...['run', 'test:faults', '--', '--log_mib', '512', '--index_rounds', '20', '--agents', '50', '--jumps', '150'],
      ...['--kills', '100', '--cluster', '12', '--mutants', '1'],
      ...['--database_every', '40', '--database_kills', '6', '--database_restarts', '6'],
    ],
    counts: true,
  },
  {
    command: ['run', 'test:convergence', '--', '--runs', '4000', '--unseen', '1000', '--cluster', '60'],
    counts: true,
    beside: { command: ['run', 'soak', '--', '--minutes', '1'], counts: true },
  },
  { command: ['run', 'test:vscode', '--', '-t', '1.139.1'], counts: true },
  { command: ['run', 'lint'], counts: false },
  { command: ['run', 'audit'], counts: false },
];

/** A check that could not be made: neither passed nor failed, and reported again at the end. */
const NOT_CHECKED = 75;
const notChecked = [];

let passed = 0;
let failed = 0;
const failures = [];
for (const { beside, ...suite } of suites) {
  const other = beside && runBeside(beside);
  take(suite, await run(suite, { stdio: 'inherit' }));
  if (!other) continue;
  const outcome = await other;
  console.log(`\n$ npm ${beside.command.join(' ')} (ran beside the suite above)`);
  console.log(readFileSync(outcome.output, 'utf8'));
  take(beside, outcome);
}
if (notChecked.length > 0) console.log(`\nWARNING: not checked: ${notChecked.join(', ')} (see above for why).`);
// Repeated at the end: of a long log only the end may be kept.
if (failures.length > 0) console.log(`\nWhat failed:\n${failures.join('\n')}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);

/** Runs a suite to its end. */
async function run({ command }, options, name = 'test-results') {
  if (options.stdio === 'inherit') console.log(`\n$ npm ${command.join(' ')}`);
  const results = join(root, '.cache', `${name}.json`);
  rmSync(results, { force: true });
  const env = { ...process.env, AGENTHOST_TEST_RESULTS: results };
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
function take({ command, counts }, { status, results }) {
  if (status === NOT_CHECKED) {
    notChecked.push(command.join(' '));
    return;
  }
  const counted = counts && existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : undefined;
  passed += counted ? counted.numPassedTests : Number(status === 0);
  // A runner can fail without a failed test (a file that does not load, an unhandled rejection): that is a failure too.
  failed += Math.max(counted ? counted.numFailedTests : 0, Number(status !== 0));
  if (status !== 0)
    failures.push(`npm ${command.join(' ')}: exit code ${status}`, ...(counted ? failuresIn(counted) : []));
}

/** A line for each failed test, with the first lines of its reason. */
function failuresIn({ testResults }) {
  const reason = (text) =>
    text
      .split('\n')
      .slice(0, 12)
      .map((line) => `      ${line}`)
      .join('\n');
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (status === 'failed' && tests.length === 0) return [`  ${file}\n${reason(message ?? '')}`];
    return tests.map(
      ({ fullName, failureMessages }) => `  ${file}: ${fullName}\n${reason(failureMessages.join('\n'))}`,
    );
  });
}
