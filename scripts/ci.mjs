// Runs every suite in turn, continues after a failure, and prints only the sum on the last line.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const results = join(root, '.cache', 'test-results.json');

/** A suite counts its tests if it leaves results, else it counts as one. */
const suites = [
  { command: ['test'], counts: true },
  { command: ['run', 'test:sweeps'], counts: true },
  { command: ['run', 'test:agents'], counts: true },
  { command: ['run', 'test:security'], counts: true },
  // A log of 1 GiB and fifty rounds, as `npm run test:faults` has them alone, take two minutes more.
  { command: ['run', 'test:faults', '--', '--log_mib', '512', '--index_rounds', '20'], counts: true },
  { command: ['run', 'test:convergence', '--', '--runs', '10000', '--unseen', '2500'], counts: true },
  { command: ['run', 'soak', '--', '--minutes', '1'], counts: true },
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
for (const { command, counts } of suites) {
  console.log(`\n$ npm ${command.join(' ')}`);
  rmSync(results, { force: true });
  const { status } = spawnSync('npm', command, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status === NOT_CHECKED) {
    notChecked.push(command.join(' '));
    continue;
  }
  const counted = counts && existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : undefined;
  passed += counted ? counted.numPassedTests : Number(status === 0);
  // A runner can fail without a failed test (a file that does not load, an unhandled rejection): that is a failure too.
  failed += Math.max(counted ? counted.numFailedTests : 0, Number(status !== 0));
  if (status !== 0)
    failures.push(`npm ${command.join(' ')}: exit code ${status}`, ...(counted ? failuresIn(counted) : []));
}
if (notChecked.length > 0) console.log(`\nWARNING: not checked: ${notChecked.join(', ')} (see above for why).`);
// Repeated at the end: of a long log only the end may be kept.
if (failures.length > 0) console.log(`\nWhat failed:\n${failures.join('\n')}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);

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
