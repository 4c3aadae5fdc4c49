import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../support/browser.js';
import { type DemoHost, startDemoHost } from '../support/demoHost.js';
import { openSession } from '../support/pageScreens.js';

let browser: Browser;
let demo: DemoHost;

beforeAll(async () => {
  [browser, demo] = await Promise.all([launchBrowser(), startDemoHost()]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await demo?.dispose();
});

it('one Escape stops nothing, not even right after the page was opened; two do', async () => {
  const page = await browser.newPage();
  await openSession(page, demo, 'Page older turns');
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
