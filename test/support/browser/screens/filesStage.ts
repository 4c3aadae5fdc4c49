import { execFileSync } from 'node:child_process';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { ScriptedAgent } from '../../agents/scriptedAgent.ts';
import {
  enter,
  newFolder,
  type Stage,
  type StagedScreen,
  type StageHost,
  sessionWith,
  startStageHost,
} from './stage.ts';

const LINES = Array.from({ length: 400 }, (_, n) => `export const price${n + 1} = round(list[${n}] * (1 + tax));`);
const ANSWER =
  'The total is in `src/cart.ts:40`. The texts are in src/checkout/texts-of-the-checkout-with-a-long-name.ts, and [the notes](docs/notes.md) say why.';
const CHART =
  '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="200"><rect width="320" height="200" fill="#69c"/></svg>';

/** The files of a session's folder: mentioned, named in an answer, read. */
export async function filesStage(): Promise<Stage> {
  const root = await newFolder();
  const project = join(root, 'storefront');
  await mkdir(join(project, 'src/checkout'), { recursive: true });
  await mkdir(join(project, 'docs'));
  await writeFile(join(project, 'src/cart.ts'), LINES.join('\n'));
  await writeFile(
    join(project, 'src/checkout/texts-of-the-checkout-with-a-long-name.ts'),
    'export const pay = "Pay now";\n',
  );
  await writeFile(join(project, 'docs/notes.md'), '# Notes\n\nRounding happens once.\n');
  await writeFile(join(project, 'logo.bin'), Buffer.from([0, 1, 2]));
  await writeFile(join(project, 'chart.svg'), CHART);
  await writeFile(join(project, 'latin.txt'), Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=M', '-c', 'user.email=m@example.org', ...args], {
      cwd: project,
      env: { PATH: process.env['PATH'], HOME: root },
    });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  const host = await startStageHost(root, {
    env: { ...process.env, HOME: root },
    snapshots: 'all',
    agents: [
      new ScriptedAgent({
        provider: 'worker',
        displayName: 'Claude Code',
        icon: 'asterisk',
        script: async function* () {
          yield { type: 'text', text: ANSWER };
          await writeFile(join(project, 'src/cart.ts'), LINES.join('\n').replace('price40', 'total40'));
        },
      }),
    ],
  });
  const { uri } = await sessionWith(
    host.mira,
    'worker',
    'Where is the total?',
    ['Where?'],
    pathToFileURL(project).href,
  );
  return { screens: screens(host, uri, project), dispose: () => host.dispose() };
}

function screens(host: StageHost, uri: string, project: string): readonly StagedScreen[] {
  const at = async (page: Page) => {
    await enter(page, host, uri);
    await page.locator('.thread .file-link').first().waitFor();
  };
  const panel = async (page: Page) => {
    await at(page);
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name: 'Open a file' }).click();
    await page.getByRole('treeitem', { name: 'docs' }).waitFor();
  };
  const read = async (page: Page, name: string, wait: string) => {
    await panel(page);
    await page.getByRole('treeitem', { name }).click();
    await page.locator(`.files-panel ${wait}`).first().waitFor();
  };
  return [
    { name: 'file-links', open: at },
    {
      name: 'file-mention',
      open: async (page) => {
        await at(page);
        await page.locator('[data-composer]').fill('');
        await page.locator('[data-composer]').pressSequentially('Look at @s');
        await page.getByRole('listbox', { name: 'Files' }).getByRole('option').nth(1).waitFor();
      },
    },
    { name: 'file-tree', open: panel },
    {
      name: 'file-preview',
      open: async (page) => {
        await at(page);
        await page.locator('.thread .file-link').first().click();
        await page.locator('.fp-l.at').waitFor();
        await page.locator('.fp-l span[style]').first().waitFor();
      },
    },
    { name: 'file-image', open: (page) => read(page, 'chart.svg', 'img, .fp-l') },
    { name: 'file-binary', open: (page) => read(page, 'logo.bin', '.fp-say') },
    { name: 'file-damaged', open: (page) => read(page, 'latin.txt', '.fp-say') },
    {
      name: 'file-found',
      open: async (page) => {
        await panel(page);
        await page.getByRole('textbox', { name: 'Find a file' }).fill('crt');
        await page.getByRole('list', { name: 'Found files' }).getByRole('button').first().waitFor();
      },
    },
    {
      name: 'file-not-found',
      open: async (page) => {
        await panel(page);
        await page.getByRole('textbox', { name: 'Find a file' }).fill('nothing has this');
        await page.getByText(/^No file matches/).waitFor();
      },
    },
    {
      name: 'file-gone',
      open: async (page) => {
        await panel(page);
        await rename(join(project, 'logo.bin'), join(project, '../logo.away'));
        await page
          .getByRole('treeitem', { name: 'logo.bin' })
          .click({ force: true })
          .catch(() => {});
        await page
          .locator('.files-panel .bad')
          .waitFor()
          .finally(() => rename(join(project, '../logo.away'), join(project, 'logo.bin')));
      },
    },
  ];
}
