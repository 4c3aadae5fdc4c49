import { execFileSync } from 'node:child_process';
import { cp, mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AcpAgents, MockAgent, ShellAgent } from '@agenthost/host';
import type { Page } from 'playwright-core';
import { loginEntry } from '../../agents/loginAgent.ts';
import { ScriptedAgent } from '../../agents/scriptedAgent.ts';
import { stubEntry, writeAgents } from '../../agents/stubEntry.ts';
import {
  chooseFromMenu,
  enter,
  newFolder,
  type Stage,
  type StagedScreen,
  type StageHost,
  sessionWith,
  startStageHost,
  turnEnded,
} from './stage.ts';
import { workScript } from './workScripts.ts';

const FIXTURES = join(import.meta.dirname, '../../../../packages/host/test/agents/native/fixtures');
const RECORDED = '.claude/projects/-work-uploader/0d6907a0-9c12-4902-8d5d-d908fcb0261c.jsonl';

/** One host with agents that work, one that needs a log-in, one that is not installed, and sessions of terminals. */
export async function workStage(): Promise<Stage> {
  const root = await newFolder();
  const home = join(root, 'home');
  const project = join(home, 'storefront');
  await mkdir(project, { recursive: true });
  await mkdir(join(root, 'state'), { mode: 0o700 });
  for (const agent of ['claude', 'codex', 'gemini']) await cp(join(FIXTURES, agent), home, { recursive: true });
  const anHourAgo = Date.now() / 1_000 - 3_600;
  await utimes(join(home, RECORDED), anHourAgo, anHourAgo);
  await writeFile(
    join(home, '.bash_profile'),
    "PS1='storefront$ '\nbind 'set enable-bracketed-paste off' 2>/dev/null\n",
  );
  await makeRepository(project);
  const copilot = loginEntry(join(root, 'state'), 'code', { name: 'Copilot', icon: 'bot' });
  const gemini = loginEntry(join(root, 'state'), 'fail', { name: 'Gemini', icon: 'sparkle' });
  const openCode = {
    name: 'OpenCode',
    command: 'not-installed-acp',
    npm: { package: 'not-there-acp', version: '1.0.0' },
  };
  await writeAgents(join(root, 'state'), {
    copilot,
    gemini,
    claude: stubEntry(join(root, 'state'), {}, { name: 'Claude' }),
    opencode: openCode,
  });
  const host = await startStageHost(root, {
    env: { ...process.env, HOME: home, SHELL: '/bin/bash', XDG_DATA_HOME: undefined },
    defaultDirectory: project,
    nativeSessions: true,
    agents: [
      new ScriptedAgent({
        provider: 'worker',
        displayName: 'Claude Code',
        description: 'Edits files, runs commands',
        icon: 'asterisk',
        script: workScript,
        availability: { state: 'available', version: '2.0.14', newerVersion: '2.1.0' },
        models: [
          { id: 'sonnet', name: 'Sonnet 4.5', maxContextWindow: 200_000 },
          { id: 'opus', name: 'Opus 4.1', maxContextWindow: 200_000 },
        ],
      }),
      new MockAgent(),
      new ShellAgent(),
    ],
    agentSources: [new AcpAgents({ catalogue: [] })],
  });
  const folder = pathToFileURL(project).href;
  const make = (provider: string, title: string, ...messages: string[]) =>
    sessionWith(host.mira, provider, title, messages, folder).then(({ uri }) => uri);
  const sessions = {
    edit: await make('worker', 'Fix the reconnect', 'Edit the reconnect so that it takes the number of the host.'),
    group: await make('worker', 'Check the client', 'Check the client: types, tests, build.'),
    strip: await make('worker', 'Queued message sent twice', 'Plan the fix.'),
    thinking: await make('worker', 'Think about the queue', 'Think about the queue.'),
    settings: await make('mock', 'Choose how it works', 'settings'),
    form: await make('mock', 'Move checkout to server actions', 'form'),
    wholeForm: await make('mock', 'Release 2.4', 'form all'),
    longForm: await make('mock', 'Pick a region', 'form long'),
    login: await make('copilot', 'Rotate the certificates', 'Rotate the staging certificates.'),
    failedLogin: await make('gemini', 'Cart total is off', 'Why is the cart total off by one cent?'),
    terminal: await make('worker', 'Look around', 'Look around.'),
    held: await heldSession(host, folder),
    gone: await make('worker', 'A session to archive', 'Say something.'),
  };
  return { screens: screens(host, sessions, project), dispose: () => host.dispose() };
}

async function makeRepository(project: string): Promise<void> {
  await writeFile(join(project, 'a.txt'), 'one\n');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=M', '-c', 'user.email=m@example.org', ...args], {
      cwd: project,
      env: { PATH: process.env['PATH'], HOME: project },
    });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
}

async function heldSession({ mira }: StageHost, folder: string): Promise<string> {
  const session = await sessionWith(mira, 'mock', 'Stopped half-way', ['slow'], folder);
  await session.queue('Then add a line to CHANGELOG.md under Fixed');
  await session.queue('Commit with scope `client`, one commit for the test and one for the fix');
  await session.cancel({ holdQueue: true });
  await turnEnded(session);
  return session.uri;
}

const ASK = '.ask:visible';

function screens(
  host: StageHost,
  sessions: Readonly<Record<string, string>>,
  project: string,
): readonly StagedScreen[] {
  const at = async (page: Page, name: keyof typeof sessions, wait: string) => {
    await enter(page, host, sessions[name]);
    await page.locator(wait).first().waitFor();
  };
  const logIn = async (page: Page, name: 'login' | 'failedLogin') => {
    await at(page, name, '.thread');
    await page.getByRole('button', { name: /^Log in to/ }).click();
    await page.locator('dialog[open]').waitFor();
  };
  const native = async (page: Page) => {
    await enter(page, host);
    const group = page.getByRole('region', { name: 'From your terminal' });
    const head = group.getByRole('button', { name: 'From your terminal' });
    await head.waitFor();
    if ((await head.getAttribute('aria-expanded')) === 'false') await head.click();
    await group.getByText('read only').first().waitFor();
    await group.scrollIntoViewIfNeeded();
    return group;
  };
  const newSession = async (page: Page) => {
    await enter(page, host);
    await page.goto(`${host.url.origin}/#new`);
    await page.locator('.agent').first().waitFor();
  };
  return [
    { name: 'edit-approval', open: (page) => at(page, 'edit', `${ASK} .diff .l`) },
    {
      name: 'edit-approval-because',
      open: async (page) => {
        await at(page, 'edit', `${ASK} .diff .l`);
        await page
          .locator(ASK)
          .getByRole('button', { name: /^No, because/ })
          .click();
        await page.getByRole('textbox', { name: 'Why not' }).fill('Keep the old one until the host is released');
      },
    },
    {
      name: 'tool-group',
      open: async (page) => {
        await at(page, 'group', '.group-steps');
        await page.locator('.thread').evaluate((thread) => thread.scrollTo(0, 0));
      },
    },
    {
      name: 'tool-group-open',
      open: async (page) => {
        await at(page, 'group', '.group-steps');
        await page.locator('.thread').evaluate((thread) => thread.scrollTo(0, 0));
        await page.locator('.group-steps button').first().click();
        await page.getByRole('button', { name: '9 more' }).waitFor();
      },
    },
    { name: 'strip', open: (page) => at(page, 'strip', '.strip') },
    {
      name: 'strip-open',
      open: async (page) => {
        await at(page, 'strip', '.strip');
        await page.locator('.strip button').first().click();
        await page.locator('.plan-steps').first().waitFor();
      },
    },
    {
      name: 'strip-waiting',
      open: async (page) => {
        await at(page, 'thinking', '.strip');
        await page.getByText(/^Waiting for Claude Code…/).waitFor();
      },
    },
    { name: 'mode-and-effort', open: (page) => at(page, 'settings', '.settings-row, .strip') },
    { name: 'form', open: (page) => at(page, 'form', ASK) },
    {
      name: 'form-whole',
      open: async (page) => {
        await at(page, 'wholeForm', ASK);
        await page.getByRole('radio', { name: /Embedded form/ }).check();
      },
    },
    {
      name: 'form-problem',
      open: async (page) => {
        await at(page, 'wholeForm', ASK);
        await page.getByRole('radio', { name: /Embedded form/ }).check();
        await page.getByLabel('Who is told?').fill('mira at example');
        await page.getByRole('radio', { name: 'Yes' }).check();
        await page.getByLabel('Deploy token').fill('not a secret');
        await page.keyboard.press('Control+Enter');
        await page.getByText('Write an e-mail address.').waitFor();
      },
    },
    { name: 'form-long', open: (page) => at(page, 'longForm', ASK) },
    { name: 'held-queue', open: (page) => at(page, 'held', '.queue') },
    {
      name: 'undo',
      open: async (page) => {
        const { mira } = host;
        const session = await mira.openSession(sessions['gone'] ?? '');
        if (session.confirmed.value.summary.isArchived) await session.archive(false);
        await at(page, 'gone', '.thread');
        await page.getByRole('button', { name: 'Session actions' }).click();
        await page.getByRole('menuitem', { name: 'Archive' }).click();
        await page.locator('.undo').waitFor();
      },
    },
    { name: 'login-card', open: (page) => at(page, 'login', '.thread button:has-text("Log in")') },
    {
      name: 'login',
      open: async (page) => {
        await logIn(page, 'login');
        await page.locator('.login-code').waitFor();
      },
    },
    {
      name: 'login-key',
      open: async (page) => {
        await logIn(page, 'login');
        await page.getByRole('button', { name: 'Use a key' }).click();
        await page.getByLabel('Key', { exact: true }).fill('sk-test-1');
      },
    },
    {
      name: 'login-failed',
      open: async (page) => {
        await logIn(page, 'failedLogin');
        await page.getByText('ended with exit code 3').waitFor();
      },
    },
    {
      name: 'agents',
      open: async (page) => {
        await enter(page, host);
        await page.locator('.host-row').first().click();
        await page.getByRole('button', { name: 'Agents…' }).click();
        await page.getByRole('dialog', { name: /^Agents on / }).waitFor();
      },
    },
    {
      name: 'agents-menu',
      open: async (page) => {
        await enter(page, host);
        await page.locator('.host-row').first().click();
        await page.getByRole('button', { name: 'Agents…' }).click();
        await page.getByRole('button', { name: 'More for Claude Code' }).click();
        await page.getByRole('menuitem', { name: 'Update to 2.1.0' }).waitFor();
      },
    },
    {
      name: 'start-agents',
      open: async (page) => {
        await enter(page, host);
        await page.goto(`${host.url.origin}/#new`);
        await page.goto(`${host.url.origin}/#`);
        await page.locator('.sidebar .row, .first').first().waitFor();
      },
    },
    { name: 'native', open: native },
    {
      name: 'native-session',
      open: async (page) => {
        const group = await native(page);
        const older = group.getByRole('button', { name: /older$/ });
        if ((await older.count()) > 0) await older.click();
        await group.locator('button.row').last().click();
        await page.getByText('Read only here').waitFor();
      },
    },
    {
      name: 'hand-over',
      open: async (page) => {
        await at(page, 'strip', '.thread');
        await chooseFromMenu(page, 'Hand over…');
      },
    },
    {
      name: 'export',
      open: async (page) => {
        await at(page, 'strip', '.thread');
        await chooseFromMenu(page, 'Export…');
      },
    },
    {
      name: 'palette-commands',
      open: async (page) => {
        await at(page, 'strip', '.thread .turn');
        await page.keyboard.press('Control+k');
        await page.locator('.pal-in input').fill('>');
        await page.locator('.pal-i').nth(4).waitFor();
      },
    },
    {
      name: 'new-session-worktree',
      open: async (page) => {
        await newSession(page);
        await page.getByRole('radio', { name: /Claude Code/ }).click();
        await page.getByRole('combobox', { name: 'Folder' }).fill(project);
        await page.getByRole('combobox', { name: 'Folder' }).press('Enter');
        await page.getByRole('button', { name: 'New worktree' }).click();
        await page.locator('.page [data-composer]').fill('Fix the rounding of the cart total');
        await page.getByRole('textbox', { name: 'Branch' }).waitFor();
      },
    },
    {
      name: 'new-session-login',
      open: async (page) => {
        await newSession(page);
        await page.getByRole('radio', { name: /Copilot/ }).click();
        await page.locator('.page [data-composer]').fill('Fix the rounding of the cart total');
      },
    },
    {
      name: 'new-session-problem',
      open: async (page) => {
        await newSession(page);
        await page.getByRole('combobox', { name: 'Folder' }).fill(`${project}/nowhere`);
        await page.getByRole('combobox', { name: 'Folder' }).press('Enter');
        await page.locator('.page [role=alert]').first().waitFor();
      },
    },
    {
      name: 'new-session-add-agent',
      open: async (page) => {
        await newSession(page);
        const add = page.getByRole('button', { name: /^Add an agent/ });
        if ((await add.getAttribute('aria-expanded')) === 'false') await add.click();
        await page.locator('.add-agents li').first().scrollIntoViewIfNeeded();
      },
    },
    {
      name: 'terminals',
      open: async (page) => {
        await at(page, 'terminal', '.thread .turn');
        await page.locator('.thread').focus();
        await page.keyboard.press('Control+`');
        await page.locator('.xterm-rows').getByText('storefront$').first().waitFor();
        await page.keyboard.type('git log --oneline; ls -la\n');
        await page.locator('.xterm-rows').getByText('first', { exact: false }).first().waitFor();
      },
    },
  ];
}
