import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { Screen } from '../../support/sharedTerminal.js';
import type { TestHost } from '../../support/testHost.js';
import { expectAccessible } from '../axe.js';
import { composer, eventually, expectNoOverflow, gone, makeSession, PATIENCE, seen, usePages } from '../pageWorld.js';

const pages = usePages();
const LONG = { timeout: 4 * PATIENCE };
const WIDE = { width: 1440, height: 900 };
/** Pictures for review, when a folder is named. */
const PICTURES = process.env['AGENTHOST_PICTURES'];

async function start(): Promise<{ host: TestHost; uri: string; hash: string }> {
  const stateDir = await mkdtemp(join(tmpdir(), 'agenthost-terminals-'));
  const home = await mkdtemp(join(tmpdir(), 'agenthost-home-'));
  await mkdir(join(home, 'project'));
  await writeFile(join(home, '.bash_profile'), "PS1='ready> '\nbind 'set enable-bracketed-paste off' 2>/dev/null\n");
  const env = { ...process.env, HOME: home, SHELL: '/bin/bash' };
  const host = await pages.host({ stateDir, env });
  const made = await makeSession(host, ['hello'], { folder: pathToFileURL(join(home, 'project')).href });
  return { host, ...made };
}

const dock = (page: Page) => page.getByRole('region', { name: 'Terminals' });
const tab = (page: Page, name: string) => dock(page).getByRole('tab', { name });
const shows = (page: Page, text: string) =>
  eventually(() =>
    page
      .locator('.xterm-rows')
      .evaluate((rows) => [...rows.children].map((row) => row.textContent).join('\n'))
      .catch(() => ''),
  ).toContain(text);

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction((wanted) => document.documentElement.dataset['theme'] === wanted, colorScheme);
    await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}.png`) });
  }
}

it('shows a shell with the keyboard alone, and hides it', LONG, async () => {
  const { host, hash, uri } = await start();
  const page = await pages.visit(host, { hash, viewport: WIDE, reducedMotion: 'reduce', name: 'Tom' });
  await seen(composer(page));
  await composer(page).focus();
  await page.keyboard.press('Control+`');
  await seen(tab(page, 'bash'));
  await shows(page, 'ready>');
  await page.keyboard.type('pwd; echo one-$((1+1))\n');
  await shows(page, 'project');
  await shows(page, 'one-2');
  await seen(dock(page).getByText('the size of this window'));
  // Tab goes to the shell.
  await page.keyboard.type('echo proj');
  await page.keyboard.press('Tab');
  await page.keyboard.type('\n');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction((wanted) => document.documentElement.dataset['theme'] === wanted, colorScheme);
    await expectAccessible(page);
  }
  await picture(page, 'terminal-1440');
  await expectNoOverflow(page, 'terminals');
  await page.keyboard.press('Control+`');
  await gone(dock(page));
  expect(await composer(page).evaluate((element) => element === document.activeElement)).toBe(true);

  // The screen is as it was, with its height.
  await page.keyboard.press('Control+`');
  await shows(page, 'one-2');
  const handle = page.getByRole('separator', { name: 'Height of the terminals' });
  await handle.focus();
  await page.keyboard.press('ArrowUp');
  await eventually(() => handle.getAttribute('aria-valuenow')).toBe('400');
  await page.reload();
  await seen(composer(page));
  await page.keyboard.press('Control+`');
  await shows(page, 'one-2');
  expect(await handle.getAttribute('aria-valuenow')).toBe('400');

  await dock(page).getByRole('button', { name: 'Fill the window' }).click();
  await gone(composer(page));
  await eventually(async () => (await dock(page).boundingBox())?.height ?? 0).toBeGreaterThan(800);
  await dock(page).getByRole('button', { name: 'Fill the window' }).click();
  await seen(composer(page));

  // Closing one that runs asks.
  await dock(page).getByRole('tab', { name: 'bash' }).focus();
  await page.keyboard.press('Delete');
  const asks = page.getByRole('dialog', { name: 'Close bash?' });
  await seen(asks);
  await asks.getByRole('button', { name: 'Close' }).click();
  await gone(tab(page, 'bash'));
  const client = await host.connect();
  expect(await client.terminalsOf(uri).list()).toEqual([]);
});

it('says who types, takes the keyboard, and shows a screen of another size', LONG, async () => {
  const { host, hash, uri } = await start();
  const mira = await host.connect({ clientInfo: { name: 'Mira' } });
  await mira.openSession(uri);
  const screen = new Screen();
  const terminal = await mira.terminalsOf(uri).create({ columns: 120, rows: 40 }, screen);
  await screen.shows('ready>');
  const page = await pages.visit(host, { hash, viewport: { width: 768, height: 900 }, name: 'Tom' });
  await seen(composer(page));
  await page.keyboard.press('Control+`');
  await shows(page, 'ready>');
  await terminal.type('echo mi');
  await seen(dock(page).getByText('Mira is typing'));
  await seen(dock(page).getByText('120 × 40, the size of who typed last'));
  await shows(page, 'echo mi');
  await picture(page, 'terminal-768');
  await page.keyboard.type('never');
  await dock(page).getByRole('button', { name: 'Take the keyboard' }).click();
  await seen(dock(page).getByText('the size of this window'));
  await page.keyboard.type('xed\n');
  await shows(page, '\nmixed');
  expect(screen.text).not.toContain('never');
  await terminal.takeKeyboard();
  await seen(dock(page).getByText('Mira is typing'));
  await terminal.type('exit 2\r');
  await seen(dock(page).getByText('exit 2').first());
  await seen(dock(page).getByRole('img', { name: 'Failed' }));
  await host.host.close();
  await seen(dock(page).getByText(/Reconnecting, last heard \d/));
  await seen(dock(page).locator('[data-stale]'));
});

it('fills a phone, with a row of keys; viewers only watch', LONG, async () => {
  const { host, hash, uri } = await start();
  const phone = { hash, viewport: { width: 360, height: 740 }, hasTouch: true, reducedMotion: 'reduce' } as const;
  const page = await pages.visit(host, { ...phone, name: 'Tom' });
  await page.getByRole('button', { name: 'Session actions' }).click();
  await page.getByRole('menuitem', { name: /^Terminals/ }).click();
  await shows(page, 'ready>');
  await page.keyboard.type('cat');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Ctrl, for the next key' }).click();
  await page.keyboard.type('d');
  await page.getByRole('button', { name: 'Up' }).click();
  await shows(page, 'ready> cat');
  await expectNoOverflow(page, 'terminals on a phone');
  await expectAccessible(page);
  await picture(page, 'terminal-360');

  const token = await new DeviceTokens(host.stateDir).add('tablet', 'viewer');
  await eventually(() => host.connect({ token }).then(({ role }) => role, String)).toBe('viewer');
  const watching = await pages.visit(host, { hash, viewport: WIDE, token });
  await seen(watching.getByText(uri === '' ? '' : 'Ask the owner').first());
  await watching.keyboard.press('Control+`');
  await shows(watching, 'ready> cat');
  await seen(dock(watching).getByText('You can watch, not type'));
  expect(await dock(watching).getByRole('button', { name: 'New terminal' }).count()).toBe(0);
});
