import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../support/browser.js';
import { type DemoHost, startDemoHost } from '../support/demoHost.js';
import { openSession, QUIET_SCREENS } from '../support/pageScreens.js';

const LOOKS: readonly (readonly [string, BrowserContextOptions])[] = [
  ['light', { colorScheme: 'light', viewport: { width: 1440, height: 900 } }],
  ['dark', { colorScheme: 'dark', viewport: { width: 1440, height: 900 } }],
  ['light, 360 pixels wide', { colorScheme: 'light', viewport: { width: 360, height: 740 } }],
  ['dark, 360 pixels wide', { colorScheme: 'dark', viewport: { width: 360, height: 740 } }],
];
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
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

describe.each(LOOKS)('axe finds nothing to say, %s', (_, look) => {
  it('on any screen', async () => {
    const found: string[] = [];
    await inPage(look, async (page) => {
      for (const { name, open } of QUIET_SCREENS) {
        await open(page, demo);
        found.push(...(await violations(page, name)));
      }
    });
    expect(found).toEqual([]);
  }, 240_000);

  it('on the first run, where an agent is missing', async () => {
    await inPage(look, async (page) => {
      await page.goto(empty.link);
      await page.locator('.host-row', { hasText: 'this machine' }).waitFor();
      expect(await violations(page, 'first run')).toEqual([]);
      await page.goto(`${empty.url.origin}/#new`);
      await page.locator('.agent').first().waitFor();
      expect(await violations(page, 'new session')).toEqual([]);
    });
  }, 60_000);

  it('with a wrong token, and while the host is away', async () => {
    await inPage(look, async (page) => {
      await page.goto(`${empty.url.origin}/#token=${'x'.repeat(32)}`);
      await page.locator('.banner:visible').waitFor();
      expect(await violations(page, 'wrong token')).toEqual([]);
      const lost = await startDemoHost();
      await openSession(page, lost, 'Queued message sent twice').finally(() => lost.dispose());
      await page.locator('.banner').waitFor();
      expect(await violations(page, 'reconnecting')).toEqual([]);
    });
  }, 60_000);
});

it('a screen reader is told what is finished, once, and the stream itself is silent', async () => {
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
}, 60_000);

async function inPage(look: BrowserContextOptions, work: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ ...look, reducedMotion: 'reduce' });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    await work(page);
  } finally {
    await context.close();
  }
}

/** One line for each element that breaks a rule; what lies under an open dialog can't be reached, and isn't looked at. */
async function violations(page: Page, screen: string): Promise<string[]> {
  await page.evaluate(axe.source);
  const isDark = await page.evaluate(() => document.documentElement.dataset['theme'] === 'dark');
  const runOnly: axe.RunOnly = isDark ? { type: 'rule', values: COLOUR_RULES } : { type: 'tag', values: RULES };
  const results = await page.evaluate(async (only) => {
    const { axe: loaded } = window as unknown as { axe: typeof axe };
    const root = document.querySelector('dialog[open]') ?? document;
    return await loaded.run(root, { runOnly: only, resultTypes: ['violations'] });
  }, runOnly);
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${screen}: ${id}: ${node.target.join(' ')}: ${node.failureSummary?.split('\n')[1]?.trim()}`),
  );
}
