import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startTestHost, type TestHost, temporaryFolder } from '../support/testHost.js';

const run = promisify(execFile);
const ACTION = join(import.meta.dirname, '../../examples/14-githubAction');

let host: TestHost;
let files: string;
beforeEach(async () => {
  host = await startTestHost();
  files = await temporaryFolder();
});
afterEach(async () => {
  await host.dispose();
  await rm(files, { recursive: true });
});

async function act(message: string, more: Readonly<Record<string, string>> = {}) {
  const { inputs, runs } = parse(await readFile(join(ACTION, 'action.yml'), 'utf8'));
  const given: Record<string, string> = {
    ...{ host: host.url.href, token: host.token, agent: 'mock', message, title: 'CI', minutes: '1' },
    ...more,
  };
  expect(Object.keys(inputs)).toEqual(Object.keys(given));
  const env = Object.fromEntries(Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]));
  const [output, summary] = [join(files, 'output'), join(files, 'summary')];
  const node = run(process.execPath, [join(ACTION, runs.main)], {
    env: { ...env, GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary },
  });
  const { code = 0, stdout } = await node.then(
    (done) => ({ code: 0, ...done }),
    (error) => error as { code: number; stdout: string },
  );
  const read = (file: string) => readFile(file, 'utf8').catch(() => '');
  return { code, stdout, output: await read(output), summary: await read(summary) };
}

it('the GitHub Action gives the answer of an agent to the next steps', async () => {
  const { code, stdout, output, summary } = await act('all is well');
  expect([code, stdout]).toEqual([0, '']);
  expect(output).toMatch(/^session<<(\S+)\nmock:\/\S+\n\1\nanswer<<(\S+)\nYou said: all is well\n\2\n$/);
  expect(summary).toBe('You said: all is well\n');
  const { items } = await (await host.connect()).listSessions({});
  expect(items).toMatchObject([{ title: 'CI' }]);
});

it('the GitHub Action fails with what the host says', async () => {
  expect(await act('say x', { token: 'wrong' })).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('::error::401'),
  });
  expect(await act('say x', { agent: 'none' })).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('::error::'),
  });
});
