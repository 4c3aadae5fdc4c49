// Makes the pictures of docs/screenshots from the real page on the demo host. With a folder as argument, all of them there; with
// --sizes, every screen in the four sizes that are reviewed.
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../test/support/browser/browser.ts';
import { type DemoHost, startDemoHost } from '../test/support/browser/demoHost.ts';
import { openSession, openStart, QUIET_SCREENS } from '../test/support/browser/pageScreens.ts';

const words = process.argv.slice(2);
const inSizes = words.includes('--sizes');
const [given, ...rest] = words.filter((word) => word !== '--sizes');
if (given?.startsWith('-') || rest.length > 0 || (inSizes && given === undefined)) {
  console.error('Usage: npm run screenshots [-- FOLDER [--sizes]]');
  process.exit(2);
}
const folder = given ?? join(import.meta.dirname, '../docs/screenshots');
/** The pictures of README.md and docs/page.md; the rest is for review. */
const KEPT = [
  'confirmation-light',
  'confirmation-dark',
  'running-light',
  'running-dark',
  'tray-light',
  'phone-list-light',
  'phone-confirmation-light',
];
/** A path that pictures may show. */
const ROOT = join(tmpdir(), 'demo');
const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const SIZES = {
  360: { viewport: { width: 360, height: 740 }, deviceScaleFactor: 1 },
  768: { viewport: { width: 768, height: 1024 }, deviceScaleFactor: 1 },
  1440: { viewport: DESKTOP, deviceScaleFactor: 1 },
  // What a window of 1280 × 800 has at 200 %.
  '200%': { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
};
const RECONNECT = 'Queued message sent twice';

await mkdir(folder, { recursive: true });
// Letters at their own widths, as on current screens, not at whole pixels.
const browser = await launchBrowser(['--font-render-hinting=none']);
try {
  if (inSizes) await everySize(browser);
  else await everyScreen(browser);
} finally {
  await browser.close();
}

async function everySize(browser: Browser): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const [size, look] of Object.entries(SIZES))
      await withHost({}, async (demo) => {
        await queueTwo(demo);
        const context = await browser.newContext({ ...look, colorScheme, reducedMotion: 'reduce' });
        const page = await context.newPage();
        for (const { name, open } of QUIET_SCREENS) {
          await open(page, demo);
          await save(page, `${name}-${size}`, colorScheme);
        }
        await context.close();
      });
}

async function everyScreen(browser: Browser): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await withHost({}, async (demo) => {
      await queueTwo(demo);
      await inPage(browser, theme, DESKTOP, async (page) => {
        for (const { name, open } of QUIET_SCREENS) {
          if (!wanted(name, theme)) continue;
          await open(page, demo);
          await save(page, name, theme);
        }
      });
      await inPage(browser, theme, PHONE, async (page) => {
        await openStart(page, demo);
        await save(page, 'phone-list', theme);
        await openSession(page, demo, 'Explain the pricing');
        await save(page, 'phone-conversation', theme);
        await openSession(page, demo, RECONNECT);
        await page.locator('.ask').waitFor();
        await save(page, 'phone-confirmation', theme);
      });
      await inPage(browser, theme, DESKTOP, async (page) => {
        await openSession(page, demo, RECONNECT);
        await page.locator('.ask').waitFor();
        await demo.sessions.get('After a reconnect')?.pendingConfirmations.value[0]?.approve({ optionId: 'once' });
        await page.locator('.exit.run').waitFor();
        await page.locator('[data-composer]').fill('Also check the phone case: two tabs with one clientId');
        await page.locator('.caret').first().waitFor();
        await save(page, 'running', theme);
        if (!wanted('reconnecting', theme)) return;
        await demo.dispose();
        await page.locator('.banner').waitFor();
        await save(page, 'reconnecting', theme);
      });
    });
    if (wanted('first-run', theme))
      await withHost({ empty: true }, (demo) =>
        inPage(browser, theme, DESKTOP, async (page) => {
          await page.goto(demo.link);
          await page.getByText('Ready').first().waitFor();
          await save(page, 'first-run', theme);
        }),
      );
  }
}

function wanted(name: string, theme: string): boolean {
  return given !== undefined || KEPT.includes(`${name}-${theme}`);
}

async function save(page: Page, name: string, theme: string): Promise<void> {
  if (!wanted(name, theme)) return;
  // Waits two frames, so that late measurements are applied.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.screenshot({ path: join(folder, `${name}-${theme}.png`), animations: 'disabled', caret: 'hide' });
}

async function queueTwo({ sessions }: DemoHost): Promise<void> {
  const session = sessions.get('After a reconnect');
  await session?.queue('Then add a line to CHANGELOG.md under Fixed');
  await session?.queue('Commit with scope `client`, one commit for the test and one for the fix');
  if (!session) throw new Error('the demo host has no such session');
}

async function withHost(options: { empty?: boolean }, work: (demo: DemoHost) => Promise<void>): Promise<void> {
  const demo = await startDemoHost({ ...options, root: ROOT });
  await work(demo).finally(() => demo.dispose());
}

async function inPage(
  inBrowser: Browser,
  colorScheme: 'light' | 'dark',
  viewport: { width: number; height: number },
  work: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await inBrowser.newContext({ colorScheme, viewport, reducedMotion: 'reduce' });
  await work(await context.newPage()).finally(() => context.close());
}
