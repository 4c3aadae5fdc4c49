import { describe, expect, it } from 'vitest';
import { composer, expectNoOverflow, gone, log, makeSession, PATIENCE, row, seen, usePages } from './pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;

describe('at 360 × 740', () => {
  it('leads from the list to a conversation and back, with the question as a sheet', SLOW, async () => {
    const host = await pages.host();
    const long = `title ${'a-very-long-name-without-any-space-'.repeat(4)}`;
    await makeSession(host, [
      long,
      'use-tool',
      'error',
      'reasoning',
      'big-output 30000',
      'usage',
      `say ${'x'.repeat(400)}`,
    ]);
    await makeSession(host, ['title asks', 'confirm-tool']);
    const page = await pages.visit(host, PHONE);
    await seen(row(page, 'asks'));
    await expectNoOverflow(page, 'list');
    await row(page, /a-very-long/).tap();
    await seen(log(page));
    await gone(row(page, 'asks'));
    await seen(log(page).getByText('You said: say', { exact: false }));
    await expectNoOverflow(page, 'conversation');
    await page.getByRole('button', { name: 'Session actions' }).tap();
    await seen(page.getByRole('menu', { name: 'Session actions' }));
    await expectNoOverflow(page, 'menu');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Back to sessions' }).tap();
    await row(page, 'asks').tap();
    const ask = page.getByRole('region', { name: 'Needs your answer' });
    await seen(ask);
    const box = await ask.boundingBox();
    expect(box && Math.round(box.y + box.height)).toBe(740);
    expect(box?.width).toBe(360);
    await expectNoOverflow(page, 'confirmation');
    for (const name of ['Allow once', 'Deny']) {
      const button = await ask.getByRole('button', { name }).boundingBox();
      expect(button?.height).toBeGreaterThanOrEqual(44);
      expect(button && button.y + button.height).toBeLessThanOrEqual(740);
    }
    await ask.getByRole('button', { name: 'Fold the question' }).tap();
    await composer(page).tap();
    await composer(page).fill('something else first');
    await ask.getByRole('button', { name: 'Show the question' }).tap();
    await ask.getByRole('button', { name: 'Allow once' }).tap();
    await gone(ask);
    await seen(log(page).getByText('Done.', { exact: true }));
    expect(await composer(page).inputValue()).toBe('something else first');
  });

  it('fits every other screen', SLOW, async () => {
    const host = await pages.host();
    await makeSession(host, ['title asks', 'confirm-tool']);
    const page = await pages.visit(host, PHONE);
    await seen(row(page, 'asks'));
    await page.getByRole('button', { name: /^Needs input, / }).tap();
    await seen(page.getByRole('dialog').getByText('Run?'));
    await expectNoOverflow(page, 'tray');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).tap();
    await page.getByRole('button', { name: 'Settings' }).tap();
    await seen(page.getByRole('dialog', { name: 'Settings' }));
    await expectNoOverflow(page, 'settings');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).tap();
    await page.locator('.host-row').tap();
    await seen(page.getByRole('dialog'));
    await expectNoOverflow(page, 'host');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).tap();
    await page.locator('.fab').tap();
    await seen(page.getByRole('heading', { name: 'New session' }));
    await seen(page.getByRole('combobox', { name: 'Folder' }));
    await expectNoOverflow(page, 'new session');
    await page.getByRole('button', { name: 'Back to sessions' }).tap();
    await seen(row(page, 'asks'));
  });
});
