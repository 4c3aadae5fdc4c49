import { describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because CI runs it before anything is built
import { failedNames, failuresIn, filesToRepeat } from '../../scripts/ciResults.mjs';

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
      ancestorTitles: ['a group'],
      title: `test ${index}`,
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

it('CI repeats the failed tests only, whatever their names have in them', () => {
  const odd = file('a', ['failed', 'passed', 'failed']);
  const [first, , third] = odd.assertionResults;
  if (!first || !third) throw new Error('no tests');
  first.title = 'point 7: a (very) odd [name] $ “quoted”… | yes';
  const pattern = new RegExp(failedNames(results(odd)));
  const names = [first.title, 'test 1', 'test 2', 'test 22'].map((name) => `a group > ${name}`);
  expect(names.map((name) => pattern.test(name))).toEqual([true, false, true, false]);
});

it('CI names each failed test with its reason, and a file that did not load', () => {
  expect(failuresIn(results(failedFile('a'), file('b', [], 'Cannot find module')), ROOT)).toEqual([
    '  a: test 1\n      expected 1 to be 2',
    '  b\n      Cannot find module',
  ]);
});
