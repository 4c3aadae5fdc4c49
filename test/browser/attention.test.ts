import { hostname } from 'node:os';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { eventually, log, makeSession, PATIENCE, row, seen, usePages, write } from './pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 5 * PATIENCE };

/** A fake, because a headless browser refuses notifications whatever it is told: what the page would show is recorded. */
async function recordNotifications(page: Page): Promise<void> {
  await page.evaluate(() => {
    const shown: string[] = [];
    const record = class {
      static permission = 'default';
      static async requestPermission(): Promise<string> {
        record.permission = 'granted';
        return 'granted';
      }
      constructor(title: string, options: { readonly body: string }) {
        shown.push(`${title}: ${options.body}`);
        Object.assign(window, { last: this });
      }
    };
    Object.assign(window, { shown, Notification: record });
  });
}

async function lookElsewhere(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
  });
}

describe('an open question', () => {
  it('is counted in the title, and shown as a notification while the page is hidden', SLOW, async () => {
    const host = await pages.host();
    await makeSession(host, ['title quiet']);
    const page = await pages.visit(host);
    await seen(row(page, 'quiet'));
    await recordNotifications(page);
    expect(await page.title()).toBe('Agent Sessions');
    await page.getByRole('button', { name: 'Settings' }).click();
    const settings = page.getByRole('group', { name: 'Notifications on this device' });
    const choice = settings.getByRole('button', { name: 'Needs input', exact: true });
    await choice.click();
    await eventually(() => choice.getAttribute('aria-pressed')).toBe('true');
    // A headless browser reaches no push service: the page notifies itself, and says so.
    await seen(page.getByText(/^Only while this page is open: /));
    await page.keyboard.press('Escape');
    await lookElsewhere(page);
    await makeSession(host, ['title loud', 'confirm-tool']);
    await eventually(() => page.title()).toBe('(1) Agent Sessions');
    await eventually(() => page.evaluate(() => Reflect.get(window, 'shown'))).toHaveLength(1);
    expect((await page.evaluate(() => Reflect.get(window, 'shown')))[0]).toMatch(/^loud: /);
    await page.evaluate(() => Reflect.get(window, 'last').onclick());
    const ask = page.getByRole('region', { name: 'Needs your answer' });
    await ask.getByRole('button', { name: 'Allow once' }).click();
    await seen(log(page).getByText('Done.', { exact: true }));
    await eventually(() => page.title()).toBe('Agent Sessions');
  });

  it('says what to do when the browser refuses notifications', SLOW, async () => {
    const host = await pages.host();
    const page = await pages.visit(host);
    await page.evaluate(() => {
      Notification.requestPermission = async () => 'denied';
      Object.defineProperty(Notification, 'permission', { get: () => 'denied' });
    });
    await page.getByRole('button', { name: 'Settings' }).click();
    const settings = page.getByRole('group', { name: 'Notifications on this device' });
    await settings.getByRole('button', { name: 'Needs input', exact: true }).click();
    await seen(page.getByText(/This browser doesn't allow notifications/));
  });
});

describe('names', () => {
  it("the host has its machine's name, and people have the names they entered", SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['hello']);
    const page = await pages.visit(host, { hash });
    const other = await pages.visit(host, { hash });
    await seen(page.locator('.host-row').getByText(hostname(), { exact: true }));
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('textbox', { name: 'Your name, as others see it' }).fill('Ada');
    await page.keyboard.press('Escape');
    await seen(other.getByTitle(/^Ada, on/));
    await write(page, 'my words');
    await seen(other.getByRole('article', { name: 'Message from Ada' }));
    await page.reload();
    await seen(page.getByRole('article', { name: 'Message from you' }));
  });
});
