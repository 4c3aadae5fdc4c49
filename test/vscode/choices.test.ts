import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usePages } from '../browser/pageWorld.js';
import { VSCODE_VERSIONS } from './support/installVscode.js';
import { tidyAfterEach } from './support/tidyAfterEach.js';
import { turns, VscodeWorld } from './support/vscodeWorld.js';
import { PATIENCE, type Workbench } from './support/workbench.js';

const run = promisify(execFile);

describe.each(VSCODE_VERSIONS)('what can be chosen in VS Code %s', (version) => {
  const pages = usePages();
  let world: VscodeWorld;
  let window: Workbench;
  beforeAll(async () => {
    world = await VscodeWorld.start(version);
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: world.folder });
    await git('init', '-q', '-b', 'main');
    await git('add', '-A');
    await git('commit', '-qm', 'begin');
    await world.session('An old one', ['hello']);
    window = await world.window(pages.browser);
    await window.row('An old one').waitFor();
  });
  afterAll(() => world?.dispose());
  tidyAfterEach(() => [window]);

  const settingOf = (session: { confirmed: { value: { settings?: readonly { id: string; value: string }[] } } }) =>
    session.confirmed.value.settings?.find(({ id }) => id === 'mode')?.value;

  it('the mode of a session, from VS Code’s own picker', async () => {
    const session = await world.session('Has modes', ['hello'], 'moded');
    await window.openSession('Has modes');
    await window.choose('Ask', 'Free');
    await expect.poll(() => settingOf(session), { timeout: PATIENCE }).toBe('free');
    await window.send('model');
    await window.shows(/free$/);
    await session.chooseSetting('mode', 'ask');
    await window.choice('Ask').waitFor();
    await turns(session, 2);
  });

  // Skipped since 19 November 2026, with the two below: the workbench did not get there in 25 s, with the host of that day; the gateway's
  // side is in test/ahp (settings, chats, sessionFolder). To be looked into with issue 23.
  it.skip('the mode and the worktree of a new session, before its first message', async () => {
    await window.newSession('Moded');
    await window.choose('Ask', 'Free');
    await window.choose('Project folder', 'New worktree');
    await window.choice('main').waitFor();
    await window.send('model');
    await window.shows(/free$/);
    const session = await world.program.openSession(await world.newest());
    await turns(session, 1);
    expect(session.confirmed.value.summary).toMatchObject({
      provider: 'moded',
      metadata: { isolation: 'worktree', baseBranchName: 'main' },
    });
    expect(session.confirmed.value.summary.workingDirectory).not.toBe(pathToFileURL(world.folder).href);
  });

  it('commands of the agent and files, while they are written', async () => {
    const session = await world.session('Completes', ['commands']);
    await window.openSession('Completes');
    await window.page.locator('.interactive-input-editor').filter({ visible: true }).first().click();
    await window.page.keyboard.type('/rev');
    await window.suggestions.filter({ hasText: '/review' }).first().waitFor();
    await window.page.keyboard.press('Tab');
    await window.page.keyboard.type('@not');
    await window.suggestions.filter({ hasText: 'notes.txt' }).first().waitFor();
    await window.page.keyboard.press('Tab');
    await window.page.keyboard.press('Enter');
    await turns(session, 2);
    const { text, attachments } = session.confirmed.value.turns[1]?.userMessage ?? {};
    expect(text).toMatch(/^\/review\s+@notes\.txt/);
    const uri = pathToFileURL(join(world.folder, 'notes.txt')).href;
    expect(attachments).toMatchObject([{ kind: 'file', uri }]);
  });

  it('the answers to the questions of a form', async () => {
    const session = await world.session('Has a form');
    await window.openSession('Has a form');
    await window.send('form long');
    await window.answerQuestion('Region 3');
    await turns(session, 1);
    await window.shows(/region-3/);
  });

  it.skip('a fork is another chat of the session, and of our page', async () => {
    const session = await world.session('Is forked', ['hello', 'reasoning']);
    await window.openSession('Is forked');
    await window.shows('The answer is 42.');
    await window.fork(1);
    const forks = async () =>
      (await world.program.listSessions()).items.filter(({ metadata }) => metadata?.['group'] === session.uri);
    await expect.poll(async () => (await forks()).length, { timeout: PATIENCE }).toBe(1);
    const fork = await world.program.openSession((await forks())[0]?.resource ?? '');
    expect(fork.confirmed.value.turns.map(({ userMessage }) => userMessage.text)).toEqual(['hello']);
    await window.conversation.getByText('The answer is 42.').waitFor({ state: 'hidden' });
    await window.send('hello');
    await turns(fork, 2);
    expect(session.confirmed.value.turns).toHaveLength(2);
  });

  it.skip('all that the session changed, as git sees it, with whole files', async () => {
    if (version === '1.136.1') return;
    const lines = Array.from({ length: 30 }, (_, n) => `line ${n + 1}`);
    await writeFile(join(world.folder, 'long.txt'), lines.join('\n'));
    const session = await world.session('Changes', ['hello']);
    await window.openSession('Changes');
    await writeFile(join(world.folder, 'long.txt'), lines.with(14, 'line fifteen').join('\n'));
    await session.send('write-file notes.txt');
    await window.press('Allow once');
    await turns(session, 2);
    await window.openChanges();
    const all = async () => {
      const { before, after } = await window.diff();
      return [...before, ...after];
    };
    await expect.poll(all, { timeout: PATIENCE }).toEqual(expect.arrayContaining(['line 15', 'line fifteen']));
    await window.closeChanges();
  });
});
