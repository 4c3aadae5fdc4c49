import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';
import { expectAccessible } from '../axe.js';
import { composer, eventually, expectNoOverflow, gone, hashOf, PATIENCE, seen, usePages } from '../pageWorld.js';

const pages = usePages();
const LONG = { timeout: 6 * PATIENCE };
const WIDE = { width: 1440, height: 900 };
/** Pictures for review, when a folder is named. */
const PICTURES = process.env['AGENTHOST_PICTURES'];
const LINES = Array.from({ length: 60 }, (_, n) => `line ${n + 1}`);

interface Reviewed {
  readonly host: TestHost;
  readonly folder: string;
  readonly uri: string;
  readonly hash: string;
  readonly git: (...args: string[]) => string;
}

/** A repository with a branch, and a session in it whose turn changed files by `script`. */
async function start(script: string, host?: TestHost): Promise<Reviewed> {
  const stateDir = await temporaryFolder();
  const started = host ?? (await pages.host({ stateDir, snapshots: 'all' }));
  const folder = join(started.stateDir, 'work/app');
  await mkdir(join(folder, 'src'), { recursive: true });
  await writeFile(join(folder, 'src/cart.ts'), `${LINES.map((line) => `const x = '${line}'`).join('\n')}\n`);
  await writeFile(join(folder, 'README.md'), '# App\n\nold words here\n');
  await writeFile(join(folder, 'gone.txt'), 'one\ntwo\n');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=M', '-c', 'user.email=m@example.org', ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: started.stateDir },
      encoding: 'utf8',
    });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'M');
  git('config', 'user.email', 'm@example.org');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  git('checkout', '-q', '-b', 'fix/cart');
  await writeFile(join(started.stateDir, 'change.sh'), script);
  const client = await started.connect({ clientInfo: { name: 'Script' } });
  const session = await client.createSession({ provider: 'shell', workingDirectory: pathToFileURL(folder).href });
  await session.ready();
  const changed = Promise.withResolvers<void>();
  const following = client.onNotification((event) => {
    if (event.type === 'notify/workChanged' && event.session === session.uri) changed.resolve();
  });
  await session.send(`sh ${join(started.stateDir, 'change.sh')}`);
  const [prompt] = await until(session.pendingConfirmations, ({ length }) => length === 1, 'the question');
  await prompt?.approve();
  await changed.promise;
  following.dispose();
  const { uri } = session;
  client.close();
  return { host: started, folder, uri, hash: hashOf(uri), git };
}

const CHANGE = [
  "sed -i 's/line 5.$/line five!/; s/line 40/line forty/' src/cart.ts",
  "printf '# App\\n\\nnew words here\\nand more\\n' > README.md",
  'rm gone.txt',
  "printf 'export {}\\n' > src/new.ts",
  '',
].join('\n');

const review = (page: Page) => page.locator('.rv');
const file = (page: Page, path: string) => page.getByRole('article', { name: path });
const row = (page: Page, name: string) => page.locator('.rv-files .fl').filter({ hasText: name });

async function open(page: Page): Promise<void> {
  await seen(composer(page));
  await page.locator('.thread').first().focus();
  await page.keyboard.press('d');
  await seen(review(page));
  await seen(page.locator('.rv-h'));
}

async function picture(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction((wanted) => document.documentElement.dataset['theme'] === wanted, colorScheme);
    await expectAccessible(page);
    if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}.png`) });
  }
  await expectNoOverflow(page, name);
}

it('is gone through by keys alone, commented and sent as one message', LONG, async () => {
  const { host, hash } = await start(CHANGE);
  const page = await pages.visit(host, { hash, viewport: WIDE, name: 'Tom', reducedMotion: 'reduce' });
  await open(page);
  await seen(page.getByRole('button', { name: /This session\s*4/ }));
  await seen(page.getByRole('button', { name: /Against main\s*4/ }));
  expect(await page.locator('.fl').allTextContents()).toHaveLength(4);
  await page.keyboard.press('n');
  await eventually(() => page.locator('.fl[aria-current=true]').textContent()).toContain('cart.ts');
  for (const path of ['new.ts', 'README.md']) {
    await page.keyboard.press('n');
    await eventually(() => page.locator('.fl[aria-current=true]').textContent()).toContain(path);
  }
  await page.keyboard.press('p');
  await page.keyboard.press('p');
  await seen(page.locator('.fl[aria-current=true]').getByText('cart.ts'));
  // Its second change.
  await page.keyboard.press('j');
  await eventually(() => page.locator('.rv-hunk.current').getAttribute('aria-label')).toContain('Change 2');
  await page.keyboard.press('a');
  await seen(page.locator('.rv-hunk.current').getByText('Accepted'));
  await page.keyboard.press('a');
  await gone(page.getByText('Accepted'));
  await page.keyboard.press('c');
  await page.keyboard.type('Why forty?');
  await page.keyboard.press('Control+Enter');
  await seen(page.locator('.cmt').getByText('Why forty?'));
  await page.keyboard.press('n');
  await page.keyboard.press('n');
  await page.keyboard.press('c');
  await page.keyboard.type('Better `words`');
  await page.keyboard.press('Control+Enter');
  await seen(page.getByText('2 comments to send'));

  const other = await pages.visit(host, { hash, viewport: WIDE, name: 'Mira' });
  await open(other);
  await seen(other.locator('.cmt').getByText('Why forty?'));
  await picture(page, 'review-1440');

  await page.keyboard.press('v');
  await seen(row(page, 'README.md').getByLabel('Viewed'));
  await page.keyboard.press('u');
  await seen(page.locator('.diff2.uni'));
  await picture(page, 'review-1440-unified');
  await page.keyboard.press('u');
  await page.keyboard.press('Control+Enter');
  await seen(page.getByText('No comments to send, 2 open'));
  await other.locator('.cmt').filter({ hasText: 'Why forty?' }).getByRole('button', { name: 'Resolve' }).click();
  await seen(page.getByText('1 open, 1 resolved'));
  await page.keyboard.press('Escape');
  await gone(review(page));
  await seen(page.getByText('2 review comments:').first());
});

it('reverts a change, takes that back, commits and merges', LONG, async () => {
  const { host, hash, folder, git } = await start(CHANGE);
  const page = await pages.visit(host, { hash, viewport: WIDE, name: 'Tom' });
  await open(page);
  const cart = () => readFile(join(folder, 'src/cart.ts'), 'utf8');
  await row(page, 'cart.ts').click();
  await seen(file(page, 'src/cart.ts').locator('.rv-hunk'));
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await eventually(cart).not.toContain('line forty');
  await page.getByRole('button', { name: /^Undo/ }).click();
  await eventually(cart).toContain('line forty');
  await page.getByRole('button', { name: 'Commit…' }).click();
  await page.getByRole('dialog', { name: 'Commit' }).getByRole('textbox').fill('fix: cart');
  await page.keyboard.press('Control+Enter');
  await eventually(() => git('log', '--format=%s', '-1').trim()).toBe('fix: cart');
  await seen(page.getByText('no conflicts'));
  await page.getByRole('button', { name: 'Merge into main' }).click();
  await page.getByRole('dialog', { name: 'Merge into main?' }).getByRole('button', { name: 'Merge' }).click();
  await eventually(() => git('log', '--format=%s', '-1', 'main').trim()).toBe('fix: cart');
});

it('shows a viewer no buttons, says why it is offline, and fits every size', LONG, async () => {
  const { host, hash } = await start(CHANGE);
  const token = await new DeviceTokens(host.stateDir).add('tablet', 'viewer');
  await eventually(() => host.connect({ token }).then(({ role }) => role, String)).toBe('viewer');
  const viewer = await pages.visit(host, { hash, token, viewport: WIDE });
  await seen(viewer.locator('.thread'));
  await viewer.locator('.thread').first().focus();
  await viewer.keyboard.press('d');
  await seen(viewer.locator('.rv-h'));
  for (const name of ['Revert', 'Commit…', 'Merge into main', /Send/])
    expect(await viewer.getByRole('button', { name }).count()).toBe(0);
  for (const [name, viewport] of Object.entries({
    360: { width: 360, height: 740 },
    768: { width: 768, height: 1024 },
    '200%': { width: 640, height: 400 },
  })) {
    const page = await pages.visit(host, { hash: `${hash}&review=`, viewport, reducedMotion: 'reduce' });
    await seen(page.locator('.rv-h'));
    await picture(page, `review-${name}`);
  }
  const page = await pages.visit(host, { hash: `${hash}&review=`, viewport: WIDE, reducedMotion: 'reduce' });
  await seen(page.locator('.rv-h'));
  await seen(file(page, 'README.md').getByText('new'));
  await host.dispose();
  await seen(page.getByText("isn't answering. Reading works, changing doesn't."));
  expect(await page.getByRole('button', { name: 'Revert' }).first().isDisabled()).toBe(true);
  await seen(file(page, 'README.md').getByText('new'));
});
