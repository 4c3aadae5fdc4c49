// What scripts/ci.mjs reads from the results of vitest.
import { relative } from 'node:path';

/** More than this is no missed moment. */
const MOST_FILES = 3;

/** A line for each failed test, with the first lines of its reason. */
export function failuresIn({ testResults }, root) {
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

/** The files whose failed tests may run once more; none when many failed, or something other than a test. */
export function filesToRepeat({ success, numFailedTests, testResults }, root) {
  const broken = testResults.filter(({ status }) => status === 'failed');
  const isOnlyTests = broken.every(({ assertionResults }) =>
    assertionResults.some(({ status }) => status === 'failed'),
  );
  if (success || numFailedTests === 0 || !isOnlyTests || broken.length > MOST_FILES) return [];
  return broken.map(({ name }) => relative(root, name));
}

/** A pattern that matches the names of the failed tests, and no others of their files. */
export function failedNames({ testResults }) {
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed');
  const pattern = (name) => name.replace(/[^\p{L}\p{N} ]/gu, '.');
  // What stands between the names of a test and of what it is in differs between versions of vitest.
  const names = failed.map(({ ancestorTitles, title }) => [...ancestorTitles, title].map(pattern).join('.{1,3}'));
  return `^(?:${names.join('|')})$`;
}
