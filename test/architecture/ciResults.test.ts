import { describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because CI runs it before anything is built
import { failuresIn, filesToRepeat } from '../../scripts/ciResults.mjs';

const ROOT = '/tree';
const passedFile = (name: string) => file(name, ['passed']);
const failedFile = (name: string) => file(name, ['passed', 'failed']);

function file(name: string, outcomes: string[], message = '') {
  return {
    name: `${ROOT}/${name}`,
    status: outcomes.every((one) => one === 'passed') && message === '' ? 'passed' : 'failed',
    message,
    assertionResults: outcomes.map((status, index) => ({
      status,
      fullName: `test ${index}`,
      failureMessages: status === 'failed' ? ['expected 1 to be 2'] : [],
    })),
  };
}

function results(...testResults: ReturnType<typeof file>[]) {
  const numFailedTests = testResults
    .flatMap((one) => one.assertionResults)
    .filter((one) => one.status === 'failed').length;
  return { success: testResults.every(({ status }) => status === 'passed'), numFailedTests, testResults };
}

describe('files that CI runs once more', () => {
  it('are those with failed tests', () => {
    expect(filesToRepeat(results(passedFile('a'), failedFile('b'), failedFile('c')), ROOT)).toEqual(['b', 'c']);
  });

  it.each([
    ['nothing failed', results(passedFile('a'))],
    ['many files failed', results(...['a', 'b', 'c', 'd'].map(failedFile))],
    ['a file did not load', results(failedFile('a'), file('b', [], 'Cannot find module'))],
    ['only the runner failed', { ...results(passedFile('a')), success: false }],
  ])('are none when %s', (_, outcome) => {
    expect(filesToRepeat(outcome, ROOT)).toEqual([]);
  });
});

it('CI names each failed test with its reason, and a file that did not load', () => {
  expect(failuresIn(results(failedFile('a'), file('b', [], 'Cannot find module')), ROOT)).toEqual([
    '  a: test 1\n      expected 1 to be 2',
    '  b\n      Cannot find module',
  ]);
});
