import { expect, it } from 'vitest';
import { openSession } from '../support/browser/pageScreens.js';
import { useDemoPages } from './demoPages.js';

const pages = useDemoPages();

it('stops the turn with two Escapes, but not with one, even right after opening the page', async () => {
  const page = await pages.browser.newPage();
  await openSession(page, pages.demo, 'Page older turns');
  const composer = page.locator('[data-composer]');
  const pressEscape = (timeStamp: number) =>
    composer.evaluate((field, at) => {
      const event = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true });
      Object.defineProperty(event, 'timeStamp', { value: at });
      field.dispatchEvent(event);
    }, timeStamp);
  await pressEscape(100);
  await composer.fill('next');
  await composer.press('Enter');
  // What is sent while a turn runs is queued; after a stop it would be a turn of its own.
  await page.getByText('1 queued').waitFor();
  expect(await page.getByText('Stopped').count()).toBe(0);
  await pressEscape(9_000);
  await pressEscape(9_100);
  await page.getByText('Stopped').first().waitFor();
});
