import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openSession, QUIET_SCREENS } from '../support/browser/pageScreens.js';
import { useDemoPages } from './demoPages.js';
import { expectNoOverflow, PATIENCE } from './pageWorld.js';

/** Those that differ in how they use the room; axe sees all of them at 360. */
const SCREENS = ['list', 'confirmation', 'every-part', 'question', 'new-session', 'tray', 'palette', 'shortcuts'];
const SLOW = { timeout: 10 * PATIENCE };

const pages = useDemoPages();

async function inPage(look: BrowserContextOptions, work: (page: Page) => Promise<void>): Promise<void> {
  const context = await pages.browser.newContext({ reducedMotion: 'reduce', ...look });
  context.setDefaultTimeout(PATIENCE);
  await work(await context.newPage()).finally(() => context.close());
}

/** What one came for can be seen and reached without scrolling sideways. */
async function expectReachable(page: Page, name: string): Promise<void> {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  const wanted = page
    .locator('dialog[open] button:visible, .ask:visible .btn, main .send:visible, .fab:visible')
    .first();
  await wanted.scrollIntoViewIfNeeded();
  const box = await wanted.boundingBox();
  const inside =
    box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= width + 1 && box.y + box.height <= height + 1;
  expect({ name, box, inside }).toMatchObject({ inside: true });
}

describe.each([
  ['320 pixels wide', { viewport: { width: 320, height: 640 } }],
  // What a window of 1280 × 800 has at 200 %.
  ['at 200 % zoom', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
] as const)('%s', (_, look) => {
  it('every screen has room, and its first action can be reached', SLOW, async () => {
    await inPage(look, async (page) => {
      for (const { name, open } of QUIET_SCREENS.filter((screen) => SCREENS.includes(screen.name))) {
        await open(page, pages.demo);
        await expectNoOverflow(page, name);
        await expectReachable(page, name);
      }
    });
  });
});

it('moves nothing with reduced motion', SLOW, async () => {
  const animations = async (reducedMotion: 'reduce' | 'no-preference') => {
    let count = Number.NaN;
    await inPage({ reducedMotion }, async (page) => {
      await openSession(page, pages.demo, 'Page older turns');
      await page.locator('.line .spin').first().waitFor();
      count = await page.evaluate(() => document.getAnimations().length);
    });
    return count;
  };
  expect(await animations('no-preference')).toBeGreaterThan(0);
  expect(await animations('reduce')).toBe(0);
});

it('uses lines instead of backgrounds with forced colours', SLOW, async () => {
  const lines = (page: Page) =>
    page.evaluate(() => {
      const style = (selector: string) => {
        const element = document.querySelector(selector);
        return element ? getComputedStyle(element) : undefined;
      };
      return {
        current: style('.row[aria-current="true"]')?.outlineStyle,
        filter: style('.chip[aria-pressed="true"]')?.outlineStyle,
        allow: style('.ask .btn.primary')?.borderTopStyle,
        message: style('.bubble')?.borderTopStyle,
      };
    });
  const all = { current: 'solid', filter: 'solid', allow: 'solid', message: 'solid' };
  for (const forcedColors of ['active', 'none'] as const)
    await inPage({ forcedColors, viewport: { width: 1280, height: 800 } }, async (page) => {
      await openSession(page, pages.demo, 'Queued message sent twice');
      await page.locator('.ask').waitFor();
      if (forcedColors === 'active') expect(await lines(page)).toEqual(all);
      else expect(await lines(page)).not.toEqual(all);
    });
});
