import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from './axe.js';
import { eventually, expectNoOverflow, gone, log, makeSession, PATIENCE, seen, usePages } from './pageWorld.js';

const pages = usePages();
const SECRET = 'xyzzy-hunter2';

function form(page: Page): Locator {
  return page.getByRole('region', { name: 'Needs your answer' });
}

/** With AGENTHOST_SHOTS, a folder: what the test sees, to look at. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['AGENTHOST_SHOTS'];
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** Tab until something in the form has the focus. */
async function tabInto(page: Page, fits: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if (await page.evaluate((selector) => document.activeElement?.matches(selector), fits)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no Tab leads to ${fits}`);
}

it('is filled in with keys alone, and says what is wrong under the field', { timeout: 5 * PATIENCE }, async () => {
  const host = await pages.host();
  const { hash } = await makeSession(host, ['form all']);
  const page = await pages.visit(host, { hash, name: 'Mira' });
  const asked = form(page);
  const answer = asked.getByRole('button', { name: 'Answer' });
  await seen(asked.getByRole('group', { name: 'Which payment flow should stay?' }));
  expect(await answer.isDisabled()).toBe(true);
  expect(await asked.getByText('optional').count()).toBe(1);

  await tabInto(page, '[data-field=flow] input');
  await page.keyboard.press('2');
  expect(await asked.getByRole('radio', { name: /Embedded form/ }).isChecked()).toBe(true);
  await page.keyboard.press('Tab');
  await page.keyboard.press('1');
  expect(await asked.getByRole('checkbox', { name: /Lint/ }).isChecked()).toBe(true);
  expect(await asked.getByRole('checkbox', { name: /Tests/ }).isChecked()).toBe(true);
  await tabInto(page, '[data-field=mail] input');
  await page.keyboard.type('mira at 1x');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('1');
  expect(await asked.getByRole('radio', { name: 'Yes' }).isChecked()).toBe(true);
  await tabInto(page, '[data-field=token] input');
  expect(await asked.getByLabel('Deploy token').getAttribute('type')).toBe('password');
  await page.keyboard.type(SECRET);
  expect(await answer.isEnabled()).toBe(true);
  await page.keyboard.press('Control+Enter');
  const mail = asked.getByLabel('Who is told?');
  await seen(asked.getByRole('alert').getByText('Write an e-mail address.'));
  await eventually(() => mail.evaluate((field) => field === document.activeElement)).toBe(true);
  await picture(page, 'form-problem');
  await expectAccessible(page);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('mira@example.com');
  await page.keyboard.press('Control+Enter');
  await gone(asked);
  await seen(log(page).getByText(`and a secret of ${SECRET.length} characters`));
  await seen(log(page).getByText(/answered: Embedded form, Tests, Lint, mira@example.com/));
  await picture(page, 'form-answered');
  await eventually(() => page.content()).not.toContain(SECRET);
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(SECRET);
});

it('X skips, and the other browser is told who answered', { timeout: 5 * PATIENCE }, async () => {
  const host = await pages.host();
  const { hash } = await makeSession(host, ['form']);
  const page = await pages.visit(host, { hash, name: 'Mira' });
  const other = await pages.visit(host, { hash, name: 'Ada' });
  await seen(form(other).getByText('Two questions'));
  await tabInto(page, '[data-field=flow] input');
  await page.keyboard.press('x');
  await seen(log(page).getByText('You skipped it, so I decide.'));
  await gone(form(other));
  await seen(other.locator('.answered').getByText(/Mira/));
  await seen(other.locator('.answered').getByText(/skipped it: the agent decides/));
});

it('searches where there are many choices', { timeout: 5 * PATIENCE }, async () => {
  const host = await pages.host();
  const { hash } = await makeSession(host, ['form long']);
  const page = await pages.visit(host, { hash });
  const search = form(page).getByRole('searchbox', { name: 'Search: Region' });
  await seen(search);
  await search.fill('12');
  expect(await form(page).getByRole('radio').count()).toBe(1);
  await search.press('Tab');
  await page.keyboard.press('1');
  await page.keyboard.press('Control+Enter');
  await seen(log(page).getByText('You answered: {"region":"region-12"}'));
});

it('breaks no rule and fits each width, in the conversation and in the tray', { timeout: 5 * PATIENCE }, async () => {
  const host = await pages.host();
  const sessions = { two: await makeSession(host, ['form']), all: await makeSession(host, ['form all']) };
  // Without transitions: a colour in the middle of one is none of the page's.
  const page = await pages.visit(host, { hash: sessions.two.hash, reducedMotion: 'reduce' });
  const inBothThemes = async (name: string) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await picture(page, `form-${name}-${colorScheme}`);
      await expectAccessible(page);
    }
  };
  for (const [name, { hash }] of Object.entries(sessions)) {
    await page.goto(`${host.url.origin}/#${hash}`);
    await seen(form(page));
    await form(page)
      .getByRole('radio', { name: /Embedded form/ })
      .check();
    for (const width of [1440, 768, 360]) {
      await page.setViewportSize({ width, height: width === 360 ? 780 : 900 });
      await expectNoOverflow(page, `${name} at ${width}`);
      await inBothThemes(`${name}-${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  }
  await page.locator('[data-tray]').click();
  await seen(page.getByRole('dialog').getByText('Two questions'));
  await inBothThemes('tray');
  // Letters are for the field, not for the tray and the form.
  const button = page.getByRole('dialog').getByLabel('What should the button say?');
  await button.pressSequentially('jkx1');
  expect(await button.inputValue()).toBe('jkx1');
});
