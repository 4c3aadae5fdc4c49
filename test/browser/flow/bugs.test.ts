import { describe, expect, it } from 'vitest';
import { eventually, gone, log, makeSession, PATIENCE, row, seen, usePages, write } from '../pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };

describe('the list', () => {
  it('follows a first turn that ends at once', SLOW, async () => {
    const host = await pages.host();
    const page = await pages.visit(host);
    await seen(page.getByText('Ready'));
    for (let n = 0; n < 8; n++) await makeSession(host, [`title number ${n}`]);
    await eventually(() => page.locator('.sidebar .row', { hasText: /number \d/ }).count()).toBe(8);
    await eventually(() => page.locator('.sidebar .row', { hasText: /Working/ }).count()).toBe(0);
  });

  it("keeps the user's title when the agent sets another one", SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['title of the agent']);
    const page = await pages.visit(host, { hash });
    await page.locator('.head .title-button', { hasText: 'of the agent' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('Mine');
    await page.keyboard.press('Enter');
    await seen(row(page, 'Mine'));
    await write(page, 'title again');
    await seen(log(page).getByText('The title is now: again'));
    await seen(row(page, 'Mine'));
  });

  it('says that no session matches, not that there is none, when the filter finds nothing', SLOW, async () => {
    const host = await pages.host();
    await makeSession(host, ['title one']);
    const page = await pages.visit(host);
    await seen(row(page, 'one'));
    await page.getByRole('button', { name: /^More filters/ }).click();
    await page.getByRole('menuitemradio', { name: 'Archived' }).click();
    await seen(page.getByText('No session matches.'));
    await seen(page.getByRole('heading', { name: 'Pick a session, or start one' }));
  });

  it('opens a hit of a search at the hit', SLOW, async () => {
    const host = await pages.host();
    const messages = Array.from({ length: 45 }, (_, n) => (n === 2 ? 'where is the walrus' : `message ${n}`));
    await makeSession(host, messages);
    const page = await pages.visit(host);
    await page.getByRole('searchbox').fill('walrus');
    await row(page, /walrus/).click();
    const hit = log(page).getByText('You said: where is the walrus');
    await seen(hit);
    await eventually(() =>
      hit.evaluate((it) => {
        const { top, bottom } = it.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      }),
    ).toBe(true);
  });
});

it('a host that refuses this page says so, with the flag and its value', SLOW, async () => {
  const own = await pages.host();
  const other = await pages.host();
  const page = await pages.visit(own);
  await page.getByRole('button', { name: 'Add a host' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a host' });
  await seen(dialog.getByText(`--allow-origin ${own.url.origin}`));
  await dialog.getByRole('textbox').fill(`${other.url.origin}/#token=${other.token}`);
  await page.keyboard.press('Enter');
  const note = page.locator('.side-foot').getByText(/does not allow this page: start it with/);
  await seen(note);
  await seen(page.locator('.side-foot code', { hasText: `--allow-origin ${own.url.origin}` }));
});

it('a table keeps its words', SLOW, async () => {
  const host = await pages.host();
  const words = ['Configuration', 'Description', 'Durability', 'Availability', 'Compatibility'];
  const table = `A table:\n\n| ${words.join(' | ')} |\n|---|---|---|---|---|\n| ${words.join(' | ')} |`;
  const { hash } = await makeSession(host, [table]);
  const page = await pages.visit(host, { hash, viewport: { width: 360, height: 700 } });
  const cell = log(page).locator('th', { hasText: 'Configuration' });
  await seen(cell);
  const lines = await cell.evaluate((it) => {
    const range = document.createRange();
    range.selectNodeContents(it);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  });
  expect(lines).toBe(1);
});

it.each([720, 768, 900])('everything of a conversation has room at %d pixels', SLOW, async (width) => {
  const host = await pages.host();
  const { hash } = await makeSession(host, ['usage']);
  const page = await pages.visit(host, { hash, viewport: { width, height: 800 }, name: 'Me' });
  await pages.visit(host, { hash, name: 'Somebody with quite a long name' });
  await seen(page.locator('.head .ava'));
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll('.head .right > *, .bar > *')].flatMap((it) => {
      const { left, right, width: wide } = it.getBoundingClientRect();
      return wide > 0 && (right > innerWidth || left < 312) ? [`${it.className} ${left} ${right}`] : [];
    }),
  );
  expect(cut).toEqual([]);
  const title = await page.locator('.head h1').boundingBox();
  expect(title?.width ?? 0).toBeGreaterThan(80);
});

it('a program is told a width that fits', SLOW, async () => {
  const host = await pages.host();
  const { hash } = await makeSession(host, ['tput cols; printf "%0.s0" $(seq 1 $(tput cols)); seq 1 100'], {
    provider: 'shell',
  });
  const page = await pages.visit(host, { hash, viewport: { width: 1440, height: 900 } });
  await page
    .getByRole('region', { name: 'Needs your answer' })
    .getByRole('button', { name: /^Allow once/ })
    .click();
  await seen(log(page).getByText('exit 0'));
  const widest = () =>
    log(page)
      .locator('.term')
      .evaluate((it) => {
        const range = document.createRange();
        const text = it.firstChild as Text;
        const at = text.data.indexOf('0000000000');
        range.setStart(text, at);
        range.setEnd(text, at + 96);
        return {
          text: range.toString(),
          rows: new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size,
        };
      });
  // At the end of a command its output is drawn again: one that was just replaced has no place on the screen.
  await eventually(widest).toEqual({ text: '0'.repeat(96), rows: 1 });
});

it('an archived and a deleted session can be brought back', SLOW, async () => {
  const host = await pages.host();
  const { uri } = await makeSession(host, ['title first']);
  await makeSession(host, ['title second']);
  const page = await pages.visit(host);
  await row(page, 'first').focus();
  await page.keyboard.press('e');
  await gone(row(page, 'first'));
  await seen(page.getByText('Archived “first”.'));
  await page.keyboard.press('z');
  await seen(row(page, 'first'));
  await row(page, 'first').hover();
  await page.getByRole('button', { name: 'Actions for first' }).click();
  await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
  await seen(page.getByText(/^Deleted “first”/));
  await seen(row(page, 'first').getByText('Deleted'));
  await page.getByRole('button', { name: /^Undo/ }).click();
  await gone(row(page, 'first').getByText('Deleted'));
  const client = await host.connect();
  expect((await client.listSessions()).items.map(({ resource }) => resource)).toContain(uri);
  await row(page, 'first').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await gone(row(page, 'first'));
  await eventually(async () => (await client.listSessions()).items.length).toBe(1);
});
