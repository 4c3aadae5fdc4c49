import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from './axe.js';
import { composer, expectNoOverflow, gone, log, makeSession, PATIENCE, seen, usePages, write } from './pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };

async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env['AGENTHOST_PICTURES'];
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** Makes a link in the session's menu, and reads it. */
async function share(page: Page, time: string): Promise<string> {
  await page.getByRole('button', { name: 'Session actions' }).click();
  await page.getByRole('menuitem', { name: 'Share a read-only link…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share a read-only link' });
  expect(await dialog.getByRole('radio', { name: '7 days' }).isChecked()).toBe(true);
  await dialog.getByRole('radio', { name: time }).check();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Make the link' }).click();
  await seen(dialog.getByRole('img', { name: 'QR code of the link' }));
  await seen(dialog.getByRole('button', { name: 'Copy the link' }));
  await expectAccessible(page);
  await takePicture(page, 'share-dialog');
  const link = `http://${await dialog.locator('.lnk span').textContent()}`;
  await dialog.getByRole('button', { name: 'Done' }).click();
  return link;
}

describe('a read-only link', () => {
  it('shows one session in another browser, follows it, and ends at once when it is revoked', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['say hello']);
    await makeSession(host, ['say a secret']);
    const page = await pages.visit(host, { hash });
    await seen(log(page).getByText('say hello'));
    const link = await share(page, '1 day');
    expect(link).toContain('#share=');

    const reader = await pages.visit(host, { address: link });
    await seen(reader.getByRole('note').getByText('Read-only link. It ends on'));
    await seen(log(reader).getByText('say hello'));
    expect(await reader.getByRole('navigation', { name: 'Sessions' }).count()).toBe(0);
    expect(await composer(reader).count()).toBe(0);
    expect(await reader.locator('.sidebar').count()).toBe(0);
    const kept = await reader.evaluate(() => ({ address: location.href, browser: JSON.stringify(localStorage) }));
    const token = link.slice(link.indexOf('=') + 1);
    expect(JSON.stringify(kept)).not.toContain(token);
    await expectAccessible(reader);
    await takePicture(reader, 'share-page');

    await write(page, 'say more of it');
    await seen(log(reader).getByText('say more of it').first());
    await reader.reload();
    await seen(log(reader).getByText('say more of it').first());
    await reader.setViewportSize({ width: 360, height: 740 });
    await expectNoOverflow(reader, 'the shared page on a phone');
    expect(await reader.getByRole('button', { name: 'Back to sessions' }).isVisible()).toBe(false);
    await takePicture(reader, 'share-page-phone');

    // Its token in place of an own one is no access of a browser.
    const pasted = await pages.visit(host, { token });
    await seen(pasted.getByRole('note').getByText('Read-only link. It ends on'));
    expect(await pasted.evaluate(() => JSON.stringify(localStorage))).not.toContain(token);

    await page.getByRole('button', { name: 'Settings' }).click();
    const settings = page.getByRole('dialog', { name: 'Settings' });
    await settings.getByRole('button', { name: 'Devices' }).click();
    await seen(settings.getByText(/Read-only link, ends on/));
    await takePicture(page, 'share-devices');
    await settings.getByRole('button', { name: /^Revoke Link to/ }).click();
    await page
      .getByRole('dialog', { name: /Revoke Link to/ })
      .getByRole('button', { name: 'Revoke' })
      .click();
    await seen(reader.getByText('This link no longer works, because it has ended or was revoked'));
    await gone(log(reader));
    await takePicture(reader, 'share-ended');
    await expectAccessible(reader);
  });

  it('says in one sentence that it has ended, and leaves the own access of a browser alone', SLOW, async () => {
    const host = await pages.host();
    const { uri } = await makeSession(host, ['say hello']);
    const page = await pages.visit(host);
    await seen(page.locator('.host-row .meta').getByText('this machine', { exact: true }));
    const owner = await host.connect();
    const { token, endsAt } = await owner.devices.share({ session: uri, validMs: 8_000 });
    const reader = await page.context().newPage();
    await reader.goto(`${host.url.href}#share=${token}`);
    await seen(log(reader).getByText('say hello').first());
    await seen(reader.getByText(/^This link ended on .*; ask whoever sent it for a new one\.$/));
    expect(Date.now()).toBeGreaterThanOrEqual(endsAt);
    await reader.reload();
    await seen(reader.getByText('This link no longer works'));
    await reader.goto('about:blank');
    await reader.goto(host.url.href);
    await seen(reader.locator('.sidebar'));
    await seen(reader.locator('.host-row .meta').getByText('this machine', { exact: true }));
  });

  it('is offered to owners only', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['say hello']);
    const token = await host.host.deviceTokens.add('a driver', 'driver');
    await expect.poll(() => host.connect({ token }).then(({ role }) => role, String)).toBe('driver');
    const driver = await pages.visit(host, { token, hash });
    await seen(log(driver).getByText('say hello').first());
    await driver.getByRole('button', { name: 'Session actions' }).click();
    const item = driver.getByRole('menuitem', { name: 'Share a read-only link…' });
    expect(await item.isDisabled()).toBe(true);
  });
});
