import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { composer, eventually, gone, log, makeSession, PATIENCE, seen, usePages } from './pageWorld.js';

const pages = usePages();

const list = (page: Page) => page.getByRole('listbox', { name: 'Commands' });
const names = (page: Page) => list(page).locator('.slash-n').allTextContents();
const reached = (page: Page) => list(page).getByRole('option', { selected: true }).locator('.slash-n').textContent();

it("offers the agent's slash commands, by keyboard and mouse", { timeout: 5 * PATIENCE }, async () => {
  const host = await pages.host();
  const { hash } = await makeSession(host, ['commands', 'hello']);
  const page = await pages.visit(host, { hash });
  await seen(log(page).getByText('Hello, world!'));
  // The agent's own icon, by the name that the host told.
  expect(await page.locator('.sidebar .row svg.lucide-flask-conical').count()).toBe(1);
  const field = composer(page);
  await field.pressSequentially('/');
  await eventually(() => names(page)).toEqual(['/review', '/reset', '/plan']);
  expect(await list(page).getByRole('option').first().textContent()).toBe('/reviewa branchLooks over the changes.');
  await field.press('ArrowDown');
  await eventually(() => reached(page)).toBe('/reset');
  const option = list(page).getByRole('option', { selected: true });
  expect(await field.getAttribute('aria-activedescendant')).toBe(await option.getAttribute('id'));
  expect(await field.getAttribute('aria-controls')).toBe(await list(page).getAttribute('id'));
  // More words, fewer commands; from the first of them again.
  await field.pressSequentially('re');
  await eventually(() => names(page)).toEqual(['/review', '/reset']);
  await eventually(() => reached(page)).toBe('/review');
  await field.press('Escape');
  await gone(list(page));
  await field.pressSequentially('s');
  await eventually(() => names(page)).toEqual(['/reset']);
  await field.press('Enter');
  await eventually(() => field.inputValue()).toBe('/reset ');
  await gone(list(page));
  // In the middle of a message a slash is a slash.
  await field.fill('what is /');
  await gone(list(page));
  await field.fill('/p');
  await list(page).getByRole('option').click();
  await eventually(() => field.inputValue()).toBe('/plan ');
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  // Typed to its end it is sent at once.
  await field.fill('/plan');
  await eventually(() => names(page)).toEqual(['/plan']);
  await field.press('Enter');
  await seen(log(page).getByText('You said: /plan'));
  // An agent that has none any more.
  await field.fill('commands none');
  await field.press('Enter');
  await seen(log(page).getByText('Said.').nth(1));
  await field.fill('/');
  await gone(list(page));
});
