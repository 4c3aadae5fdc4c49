import { execFileSync } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SessionHandle } from '@agenthost/client';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { type TestHost, temporaryFolder } from '../../support/testHost.js';
import { expectAccessible } from '../axe.js';
import { composer, eventually, expectNoOverflow, gone, hashOf, log, PATIENCE, seen, usePages } from '../pageWorld.js';

const pages = usePages();
const LONG = { timeout: 6 * PATIENCE };
const WIDE = { width: 1440, height: 900 };
/** Pictures for review, when a folder is named. */
const PICTURES = process.env['AGENTHOST_PICTURES'];

const LINES = Array.from({ length: 3_000 }, (_, n) => `export const line${n + 1} = '${'x'.repeat(100)}';`);
const ANSWER = [
  'The sum is in `src/cart.ts:40`, and `src/nothing.ts` is not there. See also src/far/away.ts:2900 and [the notes](docs/notes%20of%20us.md).',
  'A [site](https://example.org/src/cart.ts) stays one, `cart.total` is no file, and neither are `../outside` and `/etc/passwd`.',
].join('\n\n');

interface Shown {
  readonly host: TestHost;
  readonly stateDir: string;
  readonly folder: string;
  readonly session: SessionHandle;
  readonly hash: string;
}

async function start(messages: readonly string[] = [ANSWER]): Promise<Shown> {
  const stateDir = await temporaryFolder();
  const host = await pages.host({ stateDir, snapshots: 'all' });
  const folder = join(stateDir, 'work/shop');
  await mkdir(join(folder, 'src/far'), { recursive: true });
  await mkdir(join(folder, 'docs'));
  await writeFile(join(folder, 'src/cart.ts'), LINES.slice(0, 60).join('\n'));
  await writeFile(join(folder, 'src/far/away.ts'), LINES.join('\n'));
  await writeFile(join(folder, 'docs/notes.md'), '# Notes\n\nwords\n');
  await writeFile(join(folder, 'build.bin'), Buffer.from([0, 1, 2]));
  await writeFile(join(folder, '.gitignore'), 'ignored/\n');
  await symlink('/etc/passwd', join(folder, 'passwd'));
  await writeFile(join(folder, 'logo.png'), await readFile('docs/images/review.png').catch(() => PIXEL));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=M', '-c', 'user.email=m@example.org', ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: stateDir },
    });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  const client = await host.connect({ clientInfo: { name: 'Script' } });
  const session = await client.createSession({ provider: 'mock', workingDirectory: pathToFileURL(folder).href });
  await session.ready();
  for (const message of messages) await session.send(message);
  return { host, stateDir, folder, session, hash: hashOf(session.uri) };
}

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const panel = (page: Page) => page.locator('dialog.files-panel');
const options = (page: Page) => page.getByRole('listbox', { name: 'Files' }).getByRole('option');
const node = (page: Page, name: string) => panel(page).getByRole('treeitem', { name, exact: true });

async function picture(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction((wanted) => document.documentElement.dataset['theme'] === wanted, colorScheme);
    await expectAccessible(page);
    if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}.png`) });
  }
  await expectNoOverflow(page, name);
}

it('mentions a file by keys: the agent gets it, and a mention that is taken out is none', LONG, async () => {
  const { host, session, folder, hash } = await start();
  const page = await pages.visit(host, { hash, viewport: WIDE, name: 'Tom', reducedMotion: 'reduce' });
  await seen(composer(page));
  await composer(page).pressSequentially('look at @cart');
  await eventually(() => options(page).allTextContents()).toEqual(['cart.tssrc', 'away.tssrc/far']);
  expect(await composer(page).getAttribute('aria-activedescendant')).toBe(
    await options(page).first().getAttribute('id'),
  );
  await page.keyboard.press('Escape');
  await gone(options(page).first());
  expect(await composer(page).inputValue()).toBe('look at @cart');
  await composer(page).fill('');
  await composer(page).pressSequentially('look at @s');
  await seen(options(page).filter({ hasText: 'src/' }));
  await picture(page, 'mention-1440');
  // Into the folder, and then to a file of it.
  await composer(page).pressSequentially('rc');
  await eventually(() => options(page).first().textContent()).toBe('src/');
  await page.keyboard.press('Tab');
  await eventually(() => composer(page).inputValue()).toBe('look at @src/');
  await eventually(() => options(page).allTextContents()).toEqual(expect.arrayContaining(['cart.tssrc', 'far/src']));
  await composer(page).pressSequentially('cart');
  await eventually(() => options(page).allTextContents()).toEqual(['cart.tssrc']);
  await page.keyboard.press('Enter');
  expect(await composer(page).inputValue()).toBe('look at @src/cart.ts ');
  await seen(page.getByRole('list', { name: 'Attachments' }).getByText('src/cart.ts'));
  await composer(page).pressSequentially('and @notes');
  await seen(options(page).first());
  await page.keyboard.press('Enter');
  await eventually(() => page.getByRole('list', { name: 'Attachments' }).getByRole('listitem').count()).toBe(2);
  await composer(page).fill('look at @src/cart.ts please');
  await eventually(() => page.getByRole('list', { name: 'Attachments' }).getByRole('listitem').count()).toBe(1);
  await page.keyboard.press('Enter');
  await eventually(() => session.confirmed.value.turns.at(-1)?.userMessage).toEqual({
    text: 'look at @src/cart.ts please',
    attachments: [{ kind: 'file', label: 'src/cart.ts', uri: pathToFileURL(join(folder, 'src/cart.ts')).href }],
  });
  // A name of a person is no file.
  await composer(page).fill('');
  await composer(page).pressSequentially('thanks @zzzz');
  await gone(options(page).first());
  await page.keyboard.press('Enter');
  await eventually(() => session.confirmed.value.turns.at(-1)?.userMessage.text).toBe('thanks @zzzz');
});

it('opens the files that an answer names, at their lines', LONG, async () => {
  const { host, folder, hash } = await start();
  const page = await pages.visit(host, { hash, viewport: WIDE, name: 'Tom', reducedMotion: 'reduce' });
  const answer = log(page).locator('.prose');
  await eventually(() => answer.locator('.file-link').allTextContents()).toEqual([
    'src/cart.ts:40',
    'src/far/away.ts:2900',
  ]);
  expect(await answer.getByRole('link', { name: 'site' }).count()).toBe(1);
  await picture(page, 'answer-1440');
  await answer.getByText('src/cart.ts:40').click();
  await seen(panel(page).locator('.fp-l.at', { hasText: 'line40 =' }));
  await picture(page, 'preview-1440');
  // It follows the file.
  await writeFile(join(folder, 'src/cart.ts'), 'const changed = true;\n');
  await page.keyboard.press('Escape');
  await gone(panel(page));
  await answer.getByText('src/far/away.ts:2900').click();
  await seen(panel(page).locator('.fp-l.at', { hasText: 'line2900 =' }));
  await seen(panel(page).getByText('From line 2,700.'));
  await panel(page).getByRole('button', { name: 'Show from the beginning' }).click();
  await seen(panel(page).locator('.fp-l', { hasText: 'line1 =' }));
  await page.getByRole('region', { name: 'Text of src/far/away.ts' }).press('End');
  const more = panel(page).getByRole('button', { name: 'Show more' });
  await more.click();
  await gone(more);
  await page.getByRole('region', { name: 'Text of src/far/away.ts' }).press('End');
  await seen(panel(page).locator('.fp-l', { hasText: 'line3000 =' }));
});

it(
  'goes through the folder by keys, and shows pictures, what is no text, and the changes of a file',
  LONG,
  async () => {
    const { host, stateDir, folder, hash } = await start(['hello']);
    await writeFile(join(folder, 'src/cart.ts'), 'const changed = true;\n');
    const page = await pages.visit(host, { hash, viewport: WIDE, name: 'Tom', reducedMotion: 'reduce' });
    await seen(composer(page));
    await page.locator('.thread').first().focus();
    await page.keyboard.press('o');
    await eventually(() => panel(page).getByRole('treeitem').allTextContents()).toEqual([
      ...['docs', 'src', '.gitignore', 'build.bin', 'logo.png', 'passwd'],
    ]);
    await node(page, 'docs').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await seen(node(page, 'cart.ts Changed').or(panel(page).getByRole('treeitem', { name: /cart.ts/ })));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await seen(panel(page).getByText('const changed = true;'));
    await picture(page, 'tree-1440');
    await writeFile(join(folder, 'src/cart.ts'), 'const changed = again;\n');
    await seen(panel(page).getByText('const changed = again;'));
    await panel(page).getByRole('treeitem', { name: 'logo.png' }).click();
    await seen(panel(page).getByRole('img', { name: 'logo.png' }));
    await picture(page, 'image-1440');
    await panel(page).getByRole('treeitem', { name: 'build.bin' }).click();
    await seen(panel(page).getByText('A binary file, 3 B.'));
    // A link that leads out is no file.
    await panel(page).getByRole('treeitem', { name: 'passwd' }).click({ force: true });
    await seen(panel(page).getByText('A binary file, 3 B.'));
    await panel(page).getByRole('textbox', { name: 'Find a file' }).fill('crt');
    await panel(page).getByRole('list', { name: 'Found files' }).getByRole('button').first().click();
    await seen(panel(page).getByText('const changed = again;'));
    await panel(page).getByRole('button', { name: 'Open changes' }).click();
    await seen(page.getByRole('article', { name: 'src/cart.ts' }).getByText('const changed = again;'));
    await page.keyboard.press('Escape');

    // A viewer sees none of it.
    const token = await new DeviceTokens(stateDir).add('the screen', 'viewer');
    const viewer = await pages.visit(host, { hash, token, name: 'Ann', viewport: WIDE });
    await seen(log(viewer).getByText('hello').first());
    await viewer.getByRole('button', { name: 'Session actions' }).click();
    await seen(viewer.getByRole('menuitem', { name: /Review changes/ }));
    expect(await viewer.getByRole('menuitem', { name: /Open a file/ }).count()).toBe(0);
  },
);

it('fits a phone and a tablet', LONG, async () => {
  const { host, hash } = await start();
  for (const [width, height] of [
    [360, 740],
    [768, 1024],
  ] as const) {
    const page = await pages.visit(host, { hash, viewport: { width, height }, name: 'Tom', reducedMotion: 'reduce' });
    await seen(log(page).locator('.file-link').first());
    await composer(page).fill('');
    await composer(page).pressSequentially('@a');
    await seen(options(page).first());
    await picture(page, `mention-${width}`);
    await options(page).filter({ hasText: 'away.ts' }).click();
    expect(await composer(page).inputValue()).toBe('@src/far/away.ts ');
    await log(page).locator('.file-link').first().click();
    await seen(panel(page).locator('.fp-l.at'));
    await picture(page, `preview-${width}`);
    if (width < 720) await panel(page).getByRole('button', { name: 'All files' }).click();
    await seen(panel(page).getByRole('treeitem', { name: 'docs' }));
    await picture(page, `tree-${width}`);
    await panel(page).getByRole('button', { name: 'Close' }).click();
    await gone(panel(page));
  }
});
