import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../support/browser/browser.js';
import { type DemoHost, startDemoHost } from '../support/browser/demoHost.js';
import { openSession } from '../support/browser/pageScreens.js';
import { STAGES } from '../support/browser/screens/stages.js';
import { brokenRules, RULES } from './axe.js';
import { expectNoOverflow, PATIENCE } from './pageWorld.js';

/** Each screen is opened once a width, and looked at in both themes there. */
const WIDTHS: readonly (readonly [string, BrowserContextOptions])[] = [
  ['1440 pixels wide', { viewport: { width: 1440, height: 900 } }],
  ['360 pixels wide', { viewport: { width: 360, height: 740 } }],
];
/** Long enough for busy cores; nothing waits for it that comes at all. */
const SLOW = { timeout: 600_000 };
/** All that a theme can break; the rest is the same in both. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

let browser: Browser;
let demo: DemoHost;
let empty: DemoHost;

beforeAll(async () => {
  [browser, demo, empty] = await Promise.all([launchBrowser(), startDemoHost(), startDemoHost({ empty: true })]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await Promise.all([demo?.dispose(), empty?.dispose()]);
});

describe.each(Object.entries(STAGES))('axe reports no problem on any screen of the stage %s', (_, start) => {
  it('wide and narrow, light and dark', SLOW, async () => {
    const found: string[] = [];
    const stage = await start();
    try {
      for (const [width, look] of WIDTHS)
        await inPage(look, async (page) => {
          for (const { name, open } of stage.screens) {
            await open(page);
            found.push(...(await violations(page, `${name}, ${width}`)));
            await expectNoOverflow(page, `${name}, ${width}`);
          }
        });
    } finally {
      await stage.dispose();
    }
    expect(found).toEqual([]);
  });
});

describe.each(WIDTHS)('axe reports no problem, %s', (_, look) => {
  it('on the first run, where an agent is missing', SLOW, async () => {
    await inPage(look, async (page) => {
      await page.goto(empty.link);
      await page.locator('.host-row', { hasText: 'this machine' }).waitFor();
      expect(await violations(page, 'first run')).toEqual([]);
      await page.goto(`${empty.url.origin}/#new`);
      await page.locator('.agent').first().waitFor();
      expect(await violations(page, 'new session')).toEqual([]);
    });
  });

  it('with a wrong token, and while the host is away', SLOW, async () => {
    await inPage(look, async (page) => {
      await page.goto(`${empty.url.origin}/#token=${'x'.repeat(32)}`);
      await page.locator('.banner:visible, .sign-in:visible').waitFor();
      expect(await violations(page, 'wrong token')).toEqual([]);
      const lost = await startDemoHost();
      await openSession(page, lost, 'Queued message sent twice').finally(() => lost.dispose());
      await page.locator('.banner').waitFor();
      expect(await violations(page, 'reconnecting')).toEqual([]);
    });
  });
});

it('a screen reader announces finished text once, and the stream itself is silent', SLOW, async () => {
  await inPage({ viewport: { width: 1440, height: 900 } }, async (page) => {
    await openSession(page, demo, 'Freeze the v1');
    const told = page.locator('[data-announcer] p');
    expect(await page.getByRole('log').getAttribute('aria-live')).toBe('off');
    expect(await told.allTextContents()).toEqual([]);
    await page.locator('[data-composer]').fill('First.\n\nSecond.');
    await page.keyboard.press('Enter');
    await told.getByText('Done.').waitFor();
    expect(await told.allTextContents()).toEqual(['You said: First.', 'Second.', 'Done.']);
  });
});

async function inPage(look: BrowserContextOptions, work: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ ...look, reducedMotion: 'reduce' });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(2 * PATIENCE);
    await work(page);
  } finally {
    await context.close();
  }
}

/** One line for each element that breaks a rule, in the light and in the dark. */
async function violations(page: Page, screen: string): Promise<string[]> {
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForFunction((wanted) => document.documentElement.dataset['theme'] === wanted, theme);
    const only: axe.RunOnly =
      theme === 'light' ? { type: 'tag', values: RULES } : { type: 'rule', values: COLOUR_RULES };
    found.push(...(await brokenRules(page, only)).map((line) => `${screen}, ${theme}: ${line}`));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}
