import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../architecture/workspace.js';

const run = promisify(execFile);
const FOLDER = join(ROOT, 'examples');

/** What each prints when its assertions held. */
const PRINTS: Readonly<Record<string, RegExp>> = {
  '01-connectAndStream.ts': /^Hello, world!\n$/,
  '02-approveFromASecondClient.ts': /^Terminal: allowed by Ada on the phone\n$/,
  '03-queueAndSteer.ts': /^steer → read the issue twice → write the tests\n$/,
  '04-clientAsFileSystem.ts': /^kept in a Map: mock:\/\S+ \(\d files\)\n$/,
  '05-customAgent.ts': /^Word count: That is 6 words\.\n$/,
  '06-customProvider.ts': /^Ask the agent, Buy milk, Call Grace\n$/,
  '07-watchForInput.ts': /^Terminal: make deploy$/m,
  '08-severalHosts.ts': /^Work on the dev-box, Work on the laptop: nothing waits any more\n$/,
  '11-toolsOfAClient.ts': /^Answered: Opened README\.md\.\n$/,
  '12-receiveWebhooks.ts': /^test → turnStarted → turnEnded\n$/,
  '13-slackBridge.ts': /^\*echo deployed\* asks: → \*echo deployed\* complete\n$/,
};
const programs = readdirSync(FOLDER).filter((name) => /^\d\d-.*\.ts$/.test(name));

describe('examples', { timeout: 120_000 }, () => {
  it('are all known here and listed in their README', () => {
    expect(programs).toEqual(Object.keys(PRINTS));
    const listed = readFileSync(join(FOLDER, 'README.md'), 'utf8').matchAll(/\]\((\d\d-[^)]+)\)/g);
    const numbered = readdirSync(FOLDER).filter((name) => /^\d\d-/.test(name));
    expect([...listed].map(([, name]) => name?.replace(/\/$/, ''))).toEqual(numbered);
  });

  it.each(programs)('%s is under 80 lines, asserts, and runs', async (name) => {
    const source = readFileSync(join(FOLDER, name), 'utf8');
    expect(source.split('\n').length).toBeLessThan(80);
    expect(source).toContain("from 'node:assert/strict'");
    const { stdout } = await run(process.execPath, [join(FOLDER, name)], { cwd: ROOT });
    expect(stdout).toMatch(PRINTS[name] ?? /never/);
  });
});
