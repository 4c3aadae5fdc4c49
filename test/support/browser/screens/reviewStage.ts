import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SessionComments, type SessionHandle } from '@agenthost/client';
import type { Page } from 'playwright-core';
import { ScriptedAgent } from '../../agents/scriptedAgent.ts';
import { startTcpProxy } from '../../tcpProxy.ts';
import {
  enter,
  newFolder,
  type Stage,
  type StagedScreen,
  type StageHost,
  sessionWith,
  startStageHost,
  turnEnded,
} from './stage.ts';

const CART = Array.from({ length: 60 }, (_, n) => `export const price${n + 1} = round(list[${n}] * (1 + tax));`);
const LARGE = Array.from({ length: 2_400 }, (_, n) => `{ "id": ${n}, "name": "Article ${n}" },`).join('\n');
const TEXTS = 'export const texts = {\n  pay: "Pay now",\n  back: "Back to the cart",\n};\n';

/** Sessions in folders with changes in every state: to review, to commit, to merge, in conflict, without git, while the agent edits. */
export async function reviewStage(): Promise<Stage> {
  const root = await newFolder();
  const proxy = await startTcpProxy();
  const folders = new Map<string, string>();
  const host = await startStageHost(
    root,
    {
      env: { ...process.env, HOME: root },
      snapshots: 'all',
      agents: [
        new ScriptedAgent({
          provider: 'worker',
          displayName: 'Claude Code',
          icon: 'asterisk',
          script: async function* ({ text }, turn) {
            const folder = folders.get(text.split(' ')[0] ?? '');
            if (text.includes('review comment'))
              yield { type: 'text', text: 'Forty is the old limit. I keep the name.' };
            else if (text.startsWith('Say')) yield { type: 'text', text: 'Nothing to do.' };
            else if (folder) {
              await change(folder);
              yield { type: 'text', text: 'The cart rounds once now.' };
            }
            if (!text.includes('busy')) return;
            yield {
              type: 'toolStart',
              toolCall: {
                toolCallId: 'edit',
                toolName: 'edit',
                displayName: 'Edit File',
                invocationMessage: 'Editing `src/cart.ts`',
                status: 'running',
                confirmed: { how: 'notNeeded' },
                content: [{ type: 'fileEdit', uri: pathToFileURL(join(folder ?? '', 'src/cart.ts')).href }],
              },
            };
            await turn.forever();
          },
        }),
      ],
    },
    { publicUrl: proxy.url },
  );
  proxy.forwardTo(host.url);
  const make = async (name: string, title: string, { isGit = true, extra = '' } = {}) => {
    const folder = join(root, 'code', name);
    await prepare(folder, isGit);
    folders.set(name, folder);
    const session = await sessionWith(
      host.mira,
      'worker',
      title,
      [`${name} rounds wrong, fix it${extra}`],
      pathToFileURL(folder).href,
    );
    if (extra === '') await turnEnded(session);
    return session;
  };
  const sessions = {
    cart: await make('cart', 'Cart total is off by one cent'),
    idle: await make('idle', 'Explain the rounding'),
    committed: await make('committed', 'Round once'),
    conflict: await make('conflict', 'Round in the list'),
    plain: await make('plain', 'Notes without a repository', { isGit: false }),
    busy: await make('busy', 'Round while it works', { extra: ' (busy)' }),
  };
  await discuss(sessions.cart);
  await sessions.idle.send('Say what is left.');
  await turnEnded(sessions.idle);
  for (const name of ['committed', 'conflict']) {
    git(folders.get(name) ?? '', 'add', '.');
    git(folders.get(name) ?? '', 'commit', '-q', '-m', 'fix: round once');
  }
  const conflicting = folders.get('conflict') ?? '';
  git(conflicting, 'checkout', '-q', 'main');
  await writeFile(join(conflicting, 'src/cart.ts'), CART.join('\n').replaceAll('tax', 'vat'));
  git(conflicting, 'commit', '-q', '-a', '-m', 'feat: another tax');
  git(conflicting, 'checkout', '-q', 'fix/rounding');
  const viewer = await host.host.deviceTokens.add('Screen', 'viewer');
  return {
    screens: screens(host, sessions, { proxy, viewer }),
    async dispose() {
      await host.dispose();
      await proxy.close();
    },
  };
}

function git(cwd: string, ...args: string[]): void {
  const who = ['-c', 'user.name=M', '-c', 'user.email=m@example.org'];
  execFileSync('git', [...who, ...args], { cwd, env: { PATH: process.env['PATH'], HOME: cwd } });
}

async function prepare(folder: string, isGit: boolean): Promise<void> {
  await mkdir(join(folder, 'src/checkout'), { recursive: true });
  await writeFile(join(folder, 'src/cart.ts'), CART.join('\n'));
  await writeFile(join(folder, 'src/checkout/texts.ts'), TEXTS);
  await writeFile(join(folder, 'README.md'), '# Storefront\n\nPrices are rounded for each article.\n');
  await writeFile(join(folder, 'old.txt'), 'one\ntwo\n');
  if (!isGit) return;
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'config', 'user.name', 'M');
  git(folder, 'config', 'user.email', 'm@example.org');
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '-m', 'first');
  git(folder, 'checkout', '-q', '-b', 'fix/rounding');
}

async function change(folder: string): Promise<void> {
  const cart = CART.map((line, n) => (n === 4 || n === 39 ? line.replace('round(', '').replace('))', ')') : line));
  await writeFile(
    join(folder, 'src/cart.ts'),
    [...cart, `export const total = round(${'sum(prices), '.repeat(20)}2);`].join('\n'),
  );
  await writeFile(
    join(folder, 'README.md'),
    '# Storefront\n\nPrices are rounded once, at the end.\n\nSee `src/cart.ts`.\n',
  );
  await rename(join(folder, 'src/checkout/texts.ts'), join(folder, 'src/checkout/checkoutTexts.ts'));
  await rm(join(folder, 'old.txt'));
  await writeFile(join(folder, 'articles.json'), LARGE);
  await writeFile(join(folder, 'package-lock.json'), '{\n  "lockfileVersion": 3\n}\n');
  await writeFile(join(folder, 'logo.bin'), Buffer.from([0, 1, 2, 3]));
}

/** One thread with the agent's answer, one that is resolved, one whose line has changed, one that is still to be sent. */
async function discuss(session: SessionHandle): Promise<void> {
  const comments = new SessionComments(session);
  const on = (id: string, line: number, quote: string, text: string) =>
    comments.set({ id, path: 'src/cart.ts', side: 'new', line, quote, text });
  await on('answered', 40, CART[39]?.replace('round(', '').replace('))', ')') ?? '', 'Why is this one not rounded?');
  await comments.send(['answered']);
  await turnEnded(session);
  await on('resolved', 5, CART[4]?.replace('round(', '').replace('))', ')') ?? '', 'The same here.');
  await comments.resolve('resolved');
  await on('gone', 12, 'const before = round(sum);', 'Is this still needed?');
  await comments.set({ id: 'open', path: 'README.md', side: 'new', line: 3, quote: '', text: 'Say *when* that is.' });
}

interface Reach {
  readonly proxy: Awaited<ReturnType<typeof startTcpProxy>>;
  readonly viewer: string;
}

function screens(
  host: StageHost,
  sessions: Readonly<Record<string, SessionHandle>>,
  { proxy, viewer }: Reach,
): readonly StagedScreen[] {
  const at = async (page: Page, name: string, { token = host.token, wait = '.rv-h' } = {}) => {
    proxy.allow(true);
    await enter(page, { url: proxy.url, token }, sessions[name]?.uri);
    await page.locator('.thread').first().waitFor();
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name: 'Review changes' }).click();
    // After the first time it opens on the last turn.
    await page
      .getByRole('group', { name: 'Compare with' })
      .getByRole('button', { name: /session/i })
      .click();
    await page.locator(wait).first().waitFor();
  };
  const isNarrow = (page: Page) => (page.viewportSize()?.width ?? 0) < 720;
  const land = async (page: Page) => {
    if (isNarrow(page)) await page.getByRole('button', { name: 'Commit, merge' }).click();
  };
  return [
    { name: 'review', open: (page) => at(page, 'cart') },
    {
      name: 'review-threads',
      open: async (page) => {
        await at(page, 'cart');
        if (isNarrow(page)) {
          await page.locator('.rp-pick').first().click();
          await page
            .locator('dialog[open]')
            .getByRole('button', { name: /cart\.ts/ })
            .click();
        } else await page.locator('.rv-files .fl', { hasText: 'cart.ts' }).click();
        await page.getByText('Why is this one not rounded?', { exact: true }).scrollIntoViewIfNeeded();
      },
    },
    {
      name: 'review-comment',
      open: async (page) => {
        await at(page, 'cart');
        await page.locator('.rv-b').press('j');
        await page.keyboard.press('c');
        await page.locator('.cmt.draft textarea').fill('Round this one too.');
      },
    },
    {
      name: 'review-files',
      open: async (page) => {
        await at(page, 'cart');
        if (isNarrow(page)) await page.locator('.rp-pick').first().click();
        else await page.getByRole('button', { name: 'Show as a tree' }).click();
      },
    },
    {
      name: 'review-folded',
      open: async (page) => {
        await at(page, 'cart');
        if (isNarrow(page)) {
          await page.locator('.rp-pick').first().click();
          await page
            .locator('dialog[open]')
            .getByRole('button', { name: /articles\.json/ })
            .click();
        } else await page.locator('.rv-files .fl', { hasText: 'articles.json' }).click();
        await page
          .getByText(/^Large file/)
          .first()
          .waitFor();
      },
    },
    {
      name: 'review-commit',
      open: async (page) => {
        await at(page, 'cart');
        await land(page);
        await page.getByRole('button', { name: 'Commit…' }).click();
        await page.getByRole('textbox', { name: 'Message' }).waitFor();
      },
    },
    {
      name: 'review-land',
      open: async (page) => {
        await at(page, 'committed');
        await land(page);
        await page.getByText('no conflicts').waitFor();
      },
    },
    {
      name: 'review-merge',
      open: async (page) => {
        await at(page, 'committed');
        await land(page);
        await page.getByRole('button', { name: 'Merge into main' }).click();
        await page.getByRole('dialog', { name: 'Merge into main?' }).waitFor();
      },
    },
    {
      name: 'review-conflicts',
      open: async (page) => {
        await at(page, 'conflict');
        await land(page);
        await page.getByText('1 file conflicts').waitFor();
      },
    },
    { name: 'review-busy', open: (page) => at(page, 'busy') },
    {
      name: 'review-nothing',
      open: async (page) => {
        await at(page, 'idle');
        await page
          .getByRole('group', { name: 'Compare with' })
          .getByRole('button', { name: /ast turn/ })
          .click();
        await page.getByRole('button', { name: 'Show this session' }).waitFor();
      },
    },
    {
      name: 'review-plain',
      open: (page) => at(page, 'plain', { wait: '.rv-h, .rv-b:not(:has-text("Looking for")) > *' }),
    },
    { name: 'review-viewer', open: (page) => at(page, 'committed', { token: viewer }) },
    {
      name: 'review-away',
      open: async (page) => {
        await at(page, 'cart');
        proxy.allow(false);
        proxy.cut();
        await page.getByText("isn't answering. Reading works, changing doesn't.").first().waitFor();
      },
    },
  ];
}
