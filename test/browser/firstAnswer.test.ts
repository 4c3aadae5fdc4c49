import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { writeOpenPage } from '../../apps/cli/src/openInBrowser.js';
import { composer, eventually, log, PATIENCE, row, seen, usePages, write } from './pageWorld.js';

const pages = usePages();

it('leads from the printed link to a first answer', { timeout: 4 * PATIENCE }, async () => {
  const host = await pages.host();
  await writeFile(join(host.stateDir, 'work', 'hello.txt'), 'hello');
  const page = await pages.visit(host);
  await seen(page.getByRole('heading', { name: 'Start your first session' }));
  await seen(page.locator('.host-row .meta').getByText('this machine', { exact: true }));
  const kept = await page.evaluate(() => ({
    address: location.href,
    tab: JSON.stringify(sessionStorage),
    local: JSON.stringify(localStorage),
    cookies: document.cookie,
  }));
  // The browser has exchanged it for a token of its own.
  expect(JSON.stringify(kept)).not.toContain(host.token);
  expect(kept.local).toContain(`agenthost.token ${host.url.origin}`);
  expect(kept.cookies).toBe('');

  await page.keyboard.press('n');
  await page.getByRole('radio', { name: /Shell/ }).click();
  await page.getByRole('button', { name: 'Browse…' }).click();
  await page.getByRole('button', { name: 'work', exact: true }).click();
  await eventually(() => page.getByRole('navigation', { name: 'Folder' }).textContent()).toContain('work');
  await page.getByRole('button', { name: 'Use this folder' }).click();
  await write(page, 'ls');
  const ask = page.getByRole('region', { name: 'Needs your answer' });
  await seen(ask);
  await ask.getByRole('button', { name: 'Allow once' }).click();
  await seen(log(page).getByText('hello.txt'));
  await seen(log(page).getByText('exit 0'));
  await seen(log(page).getByText(/Allowed once by you/));
  await seen(row(page, 'ls'));
  await eventually(() => composer(page).inputValue()).toBe('');

  await page.reload();
  await seen(log(page).getByText('hello.txt'));
  expect(page.url()).not.toContain(host.token);
});

it('opens the page from the file of serve --open, and says so when it is used again', async () => {
  const host = await pages.host();
  const file = pathToFileURL(await writeOpenPage(host.host.createOneTimeLink(), host.stateDir)).href;
  const context = await pages.browser.newContext();
  pages.cleanups.push(() => context.close());
  const page = await context.newPage();
  await page.goto(file);
  await seen(page.getByRole('heading', { name: 'Start your first session' }));
  await eventually(async () => page.url()).toBe(host.url.href);
  const again = await context.newPage();
  await again.goto(file);
  await seen(again.getByRole('heading', { name: "This link can't be used again" }));
  expect(await again.content()).not.toContain(host.token);
});
