// How a person gets to every screen of the page, on the demo host. Tests of accessibility and the screenshots go the same ways.
import type { Page } from 'playwright-core';
import type { DemoHost } from './demoHost.ts';

export interface Screen {
  readonly name: string;
  readonly open: (page: Page, demo: DemoHost) => Promise<unknown>;
}

/** The page with its list, from a link with the token, in a tab that knows nothing yet. */
export async function openStart(page: Page, { link }: DemoHost): Promise<void> {
  await page.goto('about:blank');
  await page.goto(link);
  await page.locator('[data-session]').first().waitFor();
  await page.evaluate(() => document.fonts.ready);
}

export async function openSession(page: Page, demo: DemoHost, title: string): Promise<void> {
  await openStart(page, demo);
  const row = page.locator('[data-session]', { hasText: title });
  // In a low window only the first rows are in the page.
  for (let top = 0; (await row.count()) === 0 && top < 3_000; top += 100)
    await page.locator('[data-list]').evaluate((list, to) => {
      list.scrollTop = to % list.scrollHeight;
      return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }, top);
  await row.click();
  await page.locator('.thread .turn').first().waitFor();
}

const RECONNECT = 'Queued message sent twice';

async function withPrompt(page: Page, demo: DemoHost): Promise<void> {
  await openSession(page, demo, RECONNECT);
  await page.locator('.ask').waitFor();
  // Colours come when the highlighter has been loaded.
  await page.locator('.codeblock code span[style]').first().waitFor();
}

async function withDiagram(page: Page, demo: DemoHost): Promise<void> {
  await openSession(page, demo, 'Rotate the staging');
  await page.locator('.diagram img').waitFor();
}

async function unfold(page: Page): Promise<void> {
  const folded = page.locator('.thread .think[aria-expanded=false]');
  while ((await folded.count()) > 0) await folded.first().click();
}

/** None of these changes anything on the host. */
export const QUIET_SCREENS: readonly Screen[] = [
  { name: 'list', open: openStart },
  { name: 'confirmation', open: withPrompt },
  {
    name: 'conversation-top',
    open: async (page, demo) => {
      await withPrompt(page, demo);
      await page.locator('.thread').evaluate((thread) => thread.scrollTo(0, 0));
      await page.locator('.newest').waitFor();
      await unfold(page);
    },
  },
  {
    name: 'every-part',
    open: async (page, demo) => {
      await openSession(page, demo, 'Explain the pricing');
      await page.locator('.codeblock code span[style]').first().waitFor();
      await unfold(page);
    },
  },
  { name: 'question', open: (page, demo) => openSession(page, demo, 'Move checkout') },
  { name: 'permission', open: (page, demo) => openSession(page, demo, 'Nightly') },
  { name: 'error', open: (page, demo) => openSession(page, demo, 'Cart total') },
  { name: 'diagram', open: withDiagram },
  {
    name: 'approvals',
    open: async (page, demo) => {
      await withDiagram(page, demo);
      await page.getByRole('button', { name: '2 always allowed' }).click();
      await page.locator('dialog[open] .approval').first().waitFor();
    },
  },
  {
    name: 'plan',
    open: async (page, demo) => {
      await withDiagram(page, demo);
      await page.locator('.strip button').first().click();
      await page.locator('.plan-steps').waitFor();
    },
  },
  { name: 'busy', open: (page, demo) => openSession(page, demo, 'Page older turns') },
  {
    name: 'new-session',
    open: async (page, demo) => {
      await openStart(page, demo);
      await page.locator('button:visible', { hasText: 'New session' }).first().click();
      await page.locator('.agent').first().waitFor();
      await page.locator('.page [data-composer]').fill('Make the build reproducible');
    },
  },
  {
    name: 'tray',
    open: async (page, demo) => {
      await withPrompt(page, demo);
      await openTray(page);
      await page.locator('.tray .need h3').nth(2).waitFor();
    },
  },
  {
    name: 'palette',
    open: async (page, demo) => {
      await withPrompt(page, demo);
      await page.keyboard.press('Control+k');
      await page.locator('.pal-in input').fill('re');
      await page.locator('.pal-i mark').first().waitFor();
    },
  },
  {
    name: 'settings',
    open: async (page, demo) => {
      await openStart(page, demo);
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByText('This device is told nothing while the page is closed.').waitFor();
    },
  },
  {
    name: 'shortcuts',
    open: async (page, demo) => {
      await withPrompt(page, demo);
      await page.locator('.thread').focus();
      await page.keyboard.press('?');
      await page.locator('dialog[open]').waitFor();
    },
  },
  {
    name: 'changes',
    open: async (page, demo) => {
      await withPrompt(page, demo);
      await page.locator('.thread').focus();
      await page.keyboard.press('d');
      await page.locator('.rv-h').first().waitFor();
    },
  },
  {
    name: 'commands',
    open: async (page, demo) => {
      await openSession(page, demo, 'Freeze the v1');
      await page.locator('[data-composer]').fill('/');
      await page.locator('.slash [role=option]').first().waitFor();
    },
  },
  { name: 'rename', open: (page, demo) => fromMenu(page, demo, 'Rename') },
  {
    name: 'row-menu',
    open: async (page, demo) => {
      await openStart(page, demo);
      await page.locator('[data-session]').first().click({ button: 'right' });
      await page.locator('.menu:popover-open').waitFor();
    },
  },
  {
    name: 'folders',
    open: async (page, demo) => {
      await openStart(page, demo);
      await page.locator('button:visible', { hasText: 'New session' }).first().click();
      await page.getByRole('button', { name: 'Browse…' }).click();
      await page.locator('dialog[open] .browse').waitFor();
    },
  },
  { name: 'customizations', open: (page, demo) => fromMenu(page, demo, 'Customizations') },
  {
    name: 'menu',
    open: async (page, demo) => {
      await withPrompt(page, demo);
      await page.getByRole('button', { name: 'Session actions' }).click();
      await page.locator('.menu:popover-open').waitFor();
    },
  },
  {
    name: 'host',
    open: async (page, demo) => {
      await openStart(page, demo);
      await page.locator('.host-row').first().click();
      await page.locator('dialog[open]').waitFor();
    },
  },
  {
    name: 'no-match',
    open: async (page, demo) => {
      await openStart(page, demo);
      await page.locator('[data-search]').fill('nothing has this');
      await page.locator('.blank').waitFor();
    },
  },
  {
    name: 'missing-session',
    open: async (page, demo) => {
      await openStart(page, demo);
      await page.evaluate(() => {
        location.hash = 'session=nowhere%3Anothing';
      });
      await page.getByRole('heading', { name: 'There is no such session' }).waitFor();
    },
  },
];

async function openTray(page: Page): Promise<void> {
  await page.locator('.thread').focus();
  await page.keyboard.press('i');
}

async function fromMenu(page: Page, demo: DemoHost, item: string): Promise<void> {
  await withPrompt(page, demo);
  await page.getByRole('button', { name: 'Session actions' }).click();
  await page.locator('.menu:popover-open').getByText(item, { exact: true }).click();
  await page.locator('dialog[open]').waitFor();
}
