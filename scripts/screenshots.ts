// Makes the pictures of docs/screenshots from the real page on the demo host. With a folder as argument, all of them there; with
// --sizes, every screen in the four sizes that are reviewed, in both themes; or only those that are named, or those of a named stage.
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../test/support/browser/browser.ts';
import { type DemoHost, startDemoHost } from '../test/support/browser/demoHost.ts';
import { openSession, openStart, QUIET_SCREENS } from '../test/support/browser/pageScreens.ts';
import { STAGES } from '../test/support/browser/screens/stages.ts';

const words = process.argv.slice(2);
const inSizes = words.includes('--sizes');
const [given, ...named] = words.filter((word) => word !== '--sizes');
if (given?.startsWith('-') || (!inSizes && named.length > 0) || (inSizes && given === undefined)) {
  console.error('Usage: npm run screenshots [-- FOLDER [--sizes [SCREEN…]]]');
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
  // A phone has no mouse: what shows itself under one is always there.
  360: { viewport: { width: 360, height: 740 }, deviceScaleFactor: 1, isMobile: true, hasTouch: true },
  768: { viewport: { width: 768, height: 1024 }, deviceScaleFactor: 1 },
  1440: { viewport: DESKTOP, deviceScaleFactor: 1 },
  // What a window of 1280 × 800 has at 200 %.
  '200%': { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
};
const RECONNECT = 'Queued message sent twice';
/** What did not open; the others are made nevertheless. */
const failed: string[] = [];

await mkdir(folder, { recursive: true });
// Letters at their own widths, as on current screens, not at whole pixels.
const browser = await launchBrowser(['--font-render-hinting=none']);
try {
  if (inSizes) await everySize(browser);
  else await everyScreen(browser);
} finally {
  await browser.close();
}
for (const line of failed) console.error(line);
if (failed.length > 0) process.exitCode = 1;

async function everySize(browser: Browser): Promise<void> {
  for (const [stageName, start] of Object.entries(STAGES)) {
    if (named.length > 0 && named.every((name) => name !== stageName && name in STAGES)) continue;
    const stage = await start();
    const isWanted = (name: string) => named.length === 0 || named.includes(name) || named.includes(stageName);
    const screens = stage.screens.filter(({ name }) => isWanted(name));
    try {
      for (const [size, look] of Object.entries(SIZES)) {
        if (screens.length === 0) continue;
        const context = await browser.newContext({ ...look, reducedMotion: 'reduce' });
        const page = await context.newPage();
        for (const { name, open } of screens) {
          await page.emulateMedia({ colorScheme: 'light' });
          await open(page).catch((error: unknown) => {
            failed.push(`${name}, ${size}: ${String(error)}`);
          });
          for (const theme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme: theme });
            // A diagram is drawn again.
            await page.waitForFunction(() => document.querySelector('.codeblock[aria-busy=true]') === null);
            await save(page, `${name}-${size}`, theme);
          }
        }
        await context.close();
      }
    } finally {
      await stage.dispose();
    }
  }
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
