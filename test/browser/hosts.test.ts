import { describe, expect, it } from 'vitest';
import { composer, eventually, gone, log, makeSession, PATIENCE, row, seen, usePages, write } from './pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };

describe('several hosts', () => {
  it('are one list; each has its connection, its actions, and can be removed', SLOW, async () => {
    const own = await pages.host();
    await makeSession(own, ['title here']);
    const { host: other, proxy } = await pages.hostBehindProxy({ listen: { allowedOrigins: [own.url.origin] } });
    const there = await makeSession(other, ['title there']);
    const page = await pages.visit(own);
    await seen(row(page, 'here'));
    await page.getByRole('button', { name: 'Add a host' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a host' });
    await dialog.getByRole('textbox').fill('nonsense');
    await page.keyboard.press('Enter');
    await seen(dialog.getByText(/This is not a link/));
    await dialog.getByRole('textbox').fill(`${proxy.url.origin}/#token=${other.token}`);
    await page.keyboard.press('Enter');
    await gone(dialog);
    await seen(row(page, 'there'));
    await seen(row(page, 'here'));
    const hostRow = page.locator('.host-row', { hasText: '127.0.0.1' });
    await seen(hostRow.getByText('live'));
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(other.token);

    await row(page, 'there').click();
    await write(page, 'over there');
    await seen(log(page).getByText('You said: over there'));
    const client = await other.connect();
    const session = await client.openSession(there.uri);
    expect(session.confirmed.value.turns.at(-1)?.userMessage.text).toBe('over there');
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name: 'Archive' }).click();
    await eventually(() => session.confirmed.value.summary.isArchived).toBe(true);
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name: 'Unarchive' }).click();
    await seen(row(page, 'there'));

    // Without it, its rows say so and the own host works on.
    proxy.allow(false);
    proxy.cut();
    await seen(hostRow.getByText(/reconnecting/));
    await composer(page).fill('kept over a reload');
    await composer(page).press('Enter');
    await seen(page.getByText(/^Kept on this device/));
    await page.reload();
    await seen(page.getByText('kept over a reload'));
    await seen(page.getByText(/^Kept on this device/));
    await row(page, 'here').click();
    await write(page, 'still here');
    await seen(log(page).getByText('You said: still here'));
    await hostRow.click();
    const tryNow = page.getByRole('dialog').getByRole('button', { name: 'Try now' });
    await seen(tryNow);
    proxy.allow(true);
    // An attempt of its own may have been faster, and the button is gone with the need for it.
    await tryNow.click({ timeout: 2_000 }).catch(() => undefined);
    await page.keyboard.press('Escape');
    await seen(hostRow.getByText('live'));
    await eventually(() => session.confirmed.value.turns.at(-1)?.userMessage.text).toBe('kept over a reload');

    await hostRow.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove from this page' }).click();
    await gone(row(page, 'there'));
    await gone(hostRow);
    await page.reload();
    await seen(row(page, 'here'));
    // Its own row is there from the start if it is remembered; those of its sessions would come later.
    expect([await hostRow.count(), await row(page, 'there').count()]).toEqual([0, 0]);
    const stored = await page.evaluate(() => JSON.stringify([sessionStorage, localStorage]));
    expect([stored.includes(other.token), stored.includes(`token ${proxy.url.origin}`)]).toEqual([false, false]);
  });
});
