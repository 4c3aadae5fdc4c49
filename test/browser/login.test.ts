import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AcpAgents } from '@agenthost/host';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { DeviceTokens } from '../../packages/host/src/server/access/deviceTokens.js';
import { loginEntry, loginFile } from '../support/agents/loginAgent.js';
import { writeAgents } from '../support/agents/stubAgent.js';
import type { TestHost } from '../support/testHost.js';
import { eventually, expectNoOverflow, gone, log, makeSession, PATIENCE, seen, usePages } from './pageWorld.js';

const pages = usePages();
const LONG = { timeout: 8 * PATIENCE };
/** Compressed, without fonts (decision 17). */
const FIRST_VIEW_BYTES = 400_000;
const WIDTHS = [
  { width: 1440, height: 900 },
  { width: 360, height: 740 },
];

async function start(mode?: string, changes?: object, role?: 'driver'): Promise<{ host: TestHost; token?: string }> {
  const stateDir = await mkdtemp(join(tmpdir(), 'agenthost-login-'));
  const token = role && (await new DeviceTokens(stateDir).add('phone', role));
  await writeAgents(stateDir, { stub: loginEntry(stateDir, mode, changes) });
  const host = await pages.host({ stateDir, agentSources: [new AcpAgents({ catalogue: [] })] });
  return { host, ...(token !== undefined && { token }) };
}

/** A session whose message failed for want of a log-in. */
async function failedSession(host: TestHost): Promise<string> {
  return (await makeSession(host, ['hello'], { provider: 'stub' })).hash;
}

const dialog = (page: Page) => page.getByRole('dialog', { name: /^Log in to Stub on / });
const logIn = (page: Page) => page.getByRole('button', { name: 'Log in to Stub' });

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForFunction((wanted) => document.documentElement.dataset['theme'] === wanted, theme);
    const results = await page.evaluate(async () => {
      const { axe: loaded } = window as unknown as { axe: typeof axe };
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
      return await loaded.run(document.querySelector('dialog[open]') ?? document, {
        runOnly: { type: 'tag', values: tags },
        resultTypes: ['violations'],
      });
    });
    found.push(
      ...results.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${theme} ${id}: ${node.target.join(' ')}`)),
    );
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

it(
  'logs in from the failed turn: the code is lifted out, the dialog closes, the message is sent again',
  LONG,
  async () => {
    for (const viewport of WIDTHS) {
      const { host } = await start();
      const hash = await failedSession(host);
      const page = await pages.visit(host, { hash, viewport, reducedMotion: 'reduce' });
      const loaded = () => page.evaluate(loadedFiles);
      await seen(log(page).getByText('Stub needs a log-in.'));
      await seen(log(page).getByText('Your message is kept, and it is sent after the log-in.'));
      const before = await loaded();
      expect(before.bytes).toBeLessThan(FIRST_VIEW_BYTES);
      if (process.env['LOGIN_SHOTS']) await shots(page, `card-${viewport.width}`);
      await logIn(page).click();
      await seen(dialog(page).getByText('Your code'));
      await seen(dialog(page).locator('.login-code').getByText('9B2C-41F7'));
      // The terminal is loaded with the dialog, not with the page.
      expect((await loaded()).scripts).toBeGreaterThan(before.scripts);
      const link = dialog(page).getByRole('link', { name: 'Open the page' });
      expect(await link.getAttribute('href')).toBe('https://login.example/device?client=stub');
      expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
      await seen(dialog(page).getByText('running'));
      expect(await violations(page)).toEqual([]);
      await expectNoOverflow(page, `log-in, ${viewport.width}`);
      if (process.env['LOGIN_SHOTS']) await shots(page, `login-${viewport.width}`);
      await dialog(page).getByRole('textbox', { name: 'Log-in program of Stub' }).focus();
      await page.keyboard.type('open sesame');
      await page.keyboard.press('Enter');
      await gone(dialog(page));
      await seen(log(page).getByText('You said: hello'));
      expect(await logIn(page).count()).toBe(0);
    }
  },
);

it('stays when it failed, and tries again; the keyboard can leave the terminal', LONG, async () => {
  const { host } = await start('fail');
  const hash = await failedSession(host);
  const page = await pages.visit(host, { hash });
  await logIn(page).click();
  await seen(dialog(page).getByText('The log-in program of Stub ended with exit code 3.'));
  await seen(dialog(page).locator('.xterm-rows').getByText('The vendor is away.'));
  await writeAgents(host.stateDir, { stub: loginEntry(host.stateDir) });
  await eventually(() => dialog(page).locator('figcaption').textContent()).toContain('code');
  await dialog(page).getByRole('button', { name: 'Try again' }).click();
  await seen(dialog(page).locator('.login-code'));
  const terminal = dialog(page).getByRole('textbox', { name: 'Log-in program of Stub' });
  await terminal.focus();
  await page.keyboard.press('Tab');
  await seen(dialog(page).getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')));
  await page.keyboard.press('Escape');
  await gone(dialog(page));
  await eventually(() => logIn(page).evaluate((button) => button === document.activeElement)).toBe(true);
});

it('shows a hostile program without harm', LONG, async () => {
  const { host } = await start('hostile');
  const hash = await failedSession(host);
  const page = await pages.visit(host, { hash });
  const title = await page.title();
  await logIn(page).click();
  await seen(dialog(page).locator('.xterm-rows').getByText('Hostile, but here.'));
  expect(await page.title()).toBe(title);
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  expect(await dialog(page).locator('img').count()).toBe(0);
  // Neither the address with a password nor one that is not http is offered.
  expect(await dialog(page).getByRole('link').count()).toBe(0);
  await dialog(page).getByRole('textbox', { name: 'Log-in program of Stub' }).focus();
  await page.keyboard.type('open sesame');
  await page.keyboard.press('Enter');
  await gone(dialog(page));
});

it('takes a key, and says that it was not checked', LONG, async () => {
  for (const viewport of WIDTHS) {
    const { host } = await start();
    const hash = await failedSession(host);
    const page = await pages.visit(host, { hash, viewport, reducedMotion: 'reduce' });
    await logIn(page).click();
    await dialog(page).getByRole('button', { name: 'Use a key' }).click();
    const field = dialog(page).getByLabel('Key', { exact: true });
    expect(await field.getAttribute('type')).toBe('password');
    await seen(dialog(page).getByText('STUB_KEY'));
    expect(await violations(page)).toEqual([]);
    if (process.env['LOGIN_SHOTS']) await shots(page, `login-key-${viewport.width}`);
    await field.fill('sk-test-1');
    await page.keyboard.press('Enter');
    await seen(dialog(page).getByText('The key is saved. It could not be checked'));
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await seen(log(page).getByText('You said: hello'));
    expect(await page.content()).not.toContain('sk-test-1');
  }
});

it('lists agents with their log-ins, and logs out', LONG, async () => {
  const { host } = await start();
  await writeFile(loginFile(host.stateDir), '');
  const page = await pages.visit(host);
  await page.locator('.host-row').first().click();
  await page.getByRole('button', { name: 'Agents…' }).click();
  const agents = page.getByRole('dialog', { name: /^Agents on / });
  const row = agents.getByRole('listitem').filter({ hasText: 'Stub' });
  await seen(row.getByText('Not tried yet'));
  await row.getByRole('button', { name: 'More for Stub' }).click();
  await page.getByRole('menuitem', { name: 'Check the log-in' }).click();
  await seen(row.getByText('Ready'));
  await seen(row.getByText('logged in by itself'));
  expect(await violations(page)).toEqual([]);
  if (process.env['LOGIN_SHOTS']) await shots(page, 'agents');
  await row.getByRole('button', { name: 'More for Stub' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await seen(row.getByText('Log-in needed'));
  await row.getByRole('button', { name: 'Log in to Stub' }).click();
  await seen(dialog(page));
});

it('opens the log-in when a session is started, and offers a driver none', LONG, async () => {
  const { host, token = '' } = await start('code', {}, 'driver');
  const owner = await host.connect();
  await owner.logins.check('stub');
  const page = await pages.visit(host, { hash: 'new' });
  await page.getByRole('radio', { name: /Stub/ }).click();
  await seen(page.getByRole('main').getByText('Log-in needed'));
  if (process.env['LOGIN_SHOTS']) await shots(page, 'new');
  await page.locator('[data-composer]').fill('hello');
  await page.keyboard.press('Enter');
  await seen(dialog(page).locator('.login-code'));
  await dialog(page).getByRole('textbox', { name: 'Log-in program of Stub' }).focus();
  await page.keyboard.type('open sesame');
  await page.keyboard.press('Enter');
  await seen(log(page).getByText('You said: hello'));

  await owner.logins.logOut('stub');
  const hash = await failedSession(host);
  const driver = await pages.visit(host, { hash, token });
  await seen(log(driver).getByText('Ask the owner of the host to log in.'));
  expect(await logIn(driver).count()).toBe(0);
});

/** In the page: how many scripts it has loaded, and how many bytes of scripts and style sheets. */
function loadedFiles(): { readonly scripts: number; readonly bytes: number } {
  const files = (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).filter(({ name }) =>
    /\.(?:js|css)$/.test(name),
  );
  const scripts = files.filter(({ name }) => name.endsWith('.js')).length;
  return { scripts, bytes: files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) };
}

/** For people: LOGIN_SHOTS=folder. */
async function shots(page: Page, name: string): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.screenshot({ path: join(process.env['LOGIN_SHOTS'] ?? '', `${name}-${theme}.png`) });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}
