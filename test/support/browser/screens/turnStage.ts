import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SessionHandle } from '@agenthost/client';
import { MockAgent, ShellAgent } from '@agenthost/host';
import type { Page } from 'playwright-core';
import { ScriptedAgent } from '../../agents/scriptedAgent.ts';
import { subAgentScript } from '../../agents/subAgentScript.ts';
import { until } from '../../until.ts';
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

const PASTED = Array.from(
  { length: 80 },
  (_, n) => `${n + 1}: the cart has ${n} articles, and the total is off by one`,
);

/** What turns can come to: answers of every kind, sub-agents, input, media, stops, crashes, messages that wait. */
export async function turnStage(): Promise<Stage> {
  const root = await newFolder();
  const project = join(root, 'storefront');
  await mkdir(project);
  await writeFile(join(project, 'AGENTS.md'), '# Rules\n');
  const host = await startStageHost(root, {
    env: { ...process.env, HOME: root },
    defaultDirectory: project,
    agents: [
      new MockAgent(),
      new ShellAgent(),
      subAgentScript('explorer'),
      new ScriptedAgent({
        provider: 'slow',
        displayName: 'Claude Code',
        icon: 'asterisk',
        models: [
          { id: 'sonnet', name: 'Sonnet 4.5', maxContextWindow: 200_000 },
          { id: 'opus', name: 'Opus 4.1', maxContextWindow: 200_000 },
        ],
        script: async function* ({ text }, turn) {
          yield { type: 'activity', activity: 'Retrying, attempt 3: the model is overloaded' };
          yield {
            type: 'usage',
            usage: { contextUsed: 120_000, contextSize: 200_000, inputTokens: 9_000, outputTokens: 400, cost: 0.31 },
          };
          if (text.startsWith('Wait')) await turn.forever();
          yield { type: 'text', text: 'All right.' };
        },
      }),
    ],
  });
  const folder = pathToFileURL(project).href;
  const make = (provider: string, title: string, ...messages: string[]) =>
    sessionWith(host.mira, provider, title, messages, folder);
  const prompted = async (session: SessionHandle) => {
    const [prompt] = await until(session.pendingConfirmations, ({ length }) => length > 0, 'the question');
    if (!prompt) throw new Error('nothing asks');
    return prompt;
  };
  const answered = await make('mock', 'Every kind of answer', 'confirm-tool');
  await (await prompted(answered)).approve({ editedToolInput: 'make --dry-run' });
  await turnEnded(answered);
  await answered.send('confirm-tool');
  await (await prompted(answered)).deny({ reason: 'Not before the release' });
  await turnEnded(answered);
  await answered.send('question');
  const questions = await until(answered.pendingPermissions, ({ length }) => length > 0, 'the question');
  await questions[0]?.answer({ approved: true, text: 'Green, as on the old page' });
  await turnEnded(answered);
  await answered.send('form');
  const forms = await until(answered.pendingPermissions, ({ length }) => length > 0, 'the form');
  await forms[0]?.skip();
  await turnEnded(answered);

  const running = await make(
    'shell',
    'Type into a command',
    'printf "Name: "; read a; echo "Hello $a"; printf "Password: "; read b',
  );
  await (await prompted(running)).approve();
  const printed = ({ activeTurn }: typeof running.confirmed.value) =>
    Object.values(activeTurn?.toolCalls ?? {}).some((one) => 'output' in one && one.output?.text.includes('Name: '));
  await until(running.confirmed, printed, 'the command');
  const [call = ''] = Object.keys(running.confirmed.value.activeTurn?.toolCalls ?? {});
  await running.sendInput(call, { kind: 'line', text: 'Mira' });

  const waiting = await make('slow', 'Wait for the model', 'Wait for it.');
  await waiting.steer('Only the cart, not the checkout');
  await waiting.queue('Then look at the checkout');

  const stopped = await make('mock', 'Stopped', 'slow');
  await stopped.cancel();
  await turnEnded(stopped);

  const chats = await make('mock', 'Two chats', 'hello');
  const long = await make('mock', 'A long message', `echo ${PASTED.join('\n')}`);
  const sessions: Readonly<Record<string, SessionHandle>> = {
    answered,
    running,
    waiting,
    stopped,
    chats,
    long,
    explored: await make('explorer', 'Explore the client', 'explore 12'),
    exploring: await make('explorer', 'Explore and ask', 'ask 4'),
    crashed: await make('mock', 'The agent died', 'crash'),
    media: await make('mock', 'A picture', 'image', 'audio tool'),
    usage: await make('slow', 'Choose a model', 'Hello'),
  };
  return { screens: screens(host, sessions), dispose: () => host.dispose() };
}

function screens(host: StageHost, sessions: Readonly<Record<string, SessionHandle>>): readonly StagedScreen[] {
  const at = async (page: Page, name: string, wait = '.thread .turn') => {
    await enter(page, host, sessions[name]?.uri);
    await page.locator(wait).first().waitFor();
  };
  const toTop = (page: Page) => page.locator('.thread').evaluate((thread) => thread.scrollTo(0, 0));
  const withDialog = async (page: Page, item: string) => {
    await at(page, 'chats');
    await chooseFromMenu(page, item);
  };
  return [
    { name: 'answered', open: (page) => at(page, 'answered', '.answered') },
    {
      name: 'answered-top',
      open: async (page) => {
        await at(page, 'answered', '.answered');
        await toTop(page);
      },
    },
    { name: 'command-input', open: (page) => at(page, 'running', '.term-in') },
    {
      name: 'waiting',
      open: async (page) => {
        await at(page, 'waiting');
        await page.locator('.waiting').waitFor();
      },
    },
    { name: 'stopped', open: (page) => at(page, 'stopped') },
    { name: 'crashed', open: (page) => at(page, 'crashed') },
    { name: 'sub-agent', open: (page) => at(page, 'explored') },
    {
      name: 'sub-agent-open',
      open: async (page) => {
        await at(page, 'explored');
        await page.getByRole('button', { name: /^Explored/ }).click();
        await page.getByText('12 files').waitFor();
        await page.getByRole('button', { name: /^Looked closer/ }).click();
      },
    },
    { name: 'sub-agent-asks', open: (page) => at(page, 'exploring', '.ask:visible') },
    {
      name: 'media',
      open: async (page) => {
        await at(page, 'media');
        await page.locator('.thread img').first().waitFor();
      },
    },
    {
      name: 'long-message',
      open: async (page) => {
        await at(page, 'long');
        await toTop(page);
      },
    },
    {
      name: 'models',
      open: async (page) => {
        await at(page, 'usage');
        await page
          .getByRole('button', { name: /Sonnet|Model/ })
          .last()
          .click();
        await page.locator('.menu:popover-open').waitFor();
      },
    },
    {
      name: 'context',
      open: async (page) => {
        await at(page, 'usage');
        // A phone shows it as a sheet.
        const line = page.locator('.strip button.strip-line');
        if (await line.isVisible()) await line.click();
        await page.locator('.strip svg[role=img], dialog[open] svg[role=img]').last().waitFor();
      },
    },
    { name: 'session-files', open: (page) => withDialog(page, 'Files') },
    { name: 'new-chat', open: (page) => withDialog(page, 'New chat in this session') },
    {
      name: 'attachments',
      open: async (page) => {
        await at(page, 'usage');
        await page
          .locator('input[type=file]')
          .first()
          .setInputFiles([
            { name: 'screenshot-of-the-cart-with-a-long-name.png', mimeType: 'image/png', buffer: PIXEL },
            { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('one') },
          ]);
        await page.getByRole('list', { name: 'Attachments' }).getByRole('listitem').nth(1).waitFor();
      },
    },
  ];
}

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
