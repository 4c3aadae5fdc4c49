import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPageWith } from '../support/browser/pageWithProviders.js';
import { eventually, gone, log, makeSession, PATIENCE, row, seen, usePages, write } from './pageWorld.js';

const SLOW = { timeout: 6 * PATIENCE };

const ENTRY = `
import { startPage } from './startPage.tsx';
import { providers } from '../../../examples/10-providersInThePage/main.ts';
startPage(document.getElementById('root'), { providers: await providers() });
`;

const pages = usePages();
let built: Awaited<ReturnType<typeof buildPageWith>>;
beforeAll(async () => {
  built = await buildPageWith(ENTRY);
}, 120_000);
afterAll(() => built?.dispose());

async function visit(): Promise<{ page: Page; host: Awaited<ReturnType<typeof pages.host>> }> {
  const host = await pages.host({ listen: { pageFolder: built.folder } });
  return { host, page: await pages.visit(host) };
}

async function menuOf(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Session actions' }).click();
  return page.getByRole('menu', { name: 'Session actions' });
}

describe('sessions of other providers in the page', () => {
  it('are listed beside those of the host, opened, answered, renamed and archived', SLOW, async () => {
    const { page, host } = await visit();
    await makeSession(host, ['title of the host']);
    await seen(row(page, 'of the host'));
    await row(page, 'Buy milk').click();
    await seen(log(page).getByText('Noted: Buy milk'));
    await write(page, 'and bread');
    await seen(log(page).locator('strong', { hasText: 'and bread' }));
    await seen(page.locator('.head').getByText('Notebook', { exact: true }));
    await seen(page.locator('.head').getByText('Runs in this page'));

    await write(page, 'refuse this');
    await seen(page.getByText('the notebook is full'));
    expect(await page.getByRole('textbox', { name: 'Message', exact: true }).inputValue()).toBe('refuse this');

    await page.getByRole('heading', { name: 'Buy milk' }).getByRole('button').click();
    const dialog = page.getByRole('dialog', { name: 'Rename' });
    await dialog.getByRole('textbox').fill('Shopping');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await seen(row(page, 'Shopping'));
    const menu = await menuOf(page);
    await expect
      .poll(() => menu.getByRole('menuitem').allInnerTexts())
      .toEqual(['Rename\nR', 'Archive', 'Mark unread', 'New chat in this session', 'Delete']);
    await menu.getByRole('menuitem', { name: 'Archive' }).click();
    await gone(row(page, 'Shopping'));
    await seen((await menuOf(page)).getByRole('menuitem', { name: 'Unarchive' }));

    // The host's own still work, with all that a host has.
    await page.keyboard.press('Escape');
    await row(page, 'of the host').click();
    await seen(log(page).getByText('The title is now'));
    await seen((await menuOf(page)).getByRole('menuitem', { name: 'Fork' }));
  });

  it('are started from the form for a new session, with a workspace of a browse action', SLOW, async () => {
    const { page } = await visit();
    await page.getByRole('button', { name: 'New session', exact: true }).first().click();
    await seen(page.getByRole('combobox', { name: 'Folder' }));
    await page.getByRole('group', { name: 'Host' }).getByRole('button', { name: 'Notebook' }).click();
    await page.getByRole('radio', { name: 'Lists' }).click();
    await write(page, 'Pack the bags');
    await seen(page.getByText('Choose a workspace first.'));
    await page.getByRole('button', { name: 'Shelf' }).click();
    await seen(page.locator('.sect-h b', { hasText: 'shelf' }));
    await write(page, 'Pack the bags');
    await seen(log(page).getByText('Noted: Pack the bags'));
    await seen(page.locator('.sidebar .group', { hasText: 'shelf' }));
    const item = (await menuOf(page)).getByRole('menuitem', { name: 'New chat in this session' });
    await item.click();
    const dialog = page.getByRole('dialog', { name: 'New chat in this session' });
    await dialog.getByRole('textbox', { name: 'First message' }).fill('Another chat');
    await dialog.getByRole('button', { name: 'Start' }).click();
    await seen(log(page).getByText('Noted: Another chat'));
    await seen(page.getByRole('navigation', { name: 'Chats of this session' }).getByText('Pack the bags'));
  });

  it('are the markdown files of the example, also after a reload', SLOW, async () => {
    const { page } = await visit();
    await page.getByRole('button', { name: 'New session', exact: true }).first().click();
    await page.getByRole('group', { name: 'Host' }).getByRole('button', { name: 'Markdown files' }).click();
    await page.getByRole('button', { name: 'Notes', exact: true }).click();
    await write(page, 'Call Ada');
    await seen(log(page).getByText('Call Ada'));
    await write(page, 'about the engine');
    await seen(log(page).getByText('about the engine'));
    const item = (await menuOf(page)).getByRole('menuitem', { name: 'New chat in this session' });
    expect([await item.isDisabled(), await item.getAttribute('title')]).toEqual([
      true,
      'This session can have only one chat.',
    ]);
    await page.reload();
    await seen(log(page).getByText('about the engine'));
    await seen(row(page, 'Call Ada'));
    const stored = await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('note/')).length);
    expect(stored).toBe(1);
  });

  it('say so when their provider shows no conversation', SLOW, async () => {
    const { page } = await visit();
    await row(page, 'Say nothing').click();
    await seen(page.getByRole('heading', { name: 'Say nothing' }));
    await seen(page.getByText('The provider of this session lists it, but shows no conversation.'));
  });

  it('are archived and marked by the context menu of their row', SLOW, async () => {
    const { page } = await visit();
    await row(page, 'Buy milk').click({ button: 'right' });
    const menu = page.getByRole('menu', { name: 'Session' });
    await menu.getByRole('menuitem', { name: 'Mark unread' }).click();
    await seen(page.locator('.row.unread', { hasText: 'Buy milk' }));
    await gone(menu);
    await row(page, 'Buy milk').focus();
    await page.keyboard.press('Shift+F10');
    await menu.getByRole('menuitem', { name: 'Archive' }).press('Enter');
    await gone(row(page, 'Buy milk'));
    await page.keyboard.press('Escape');
    await eventually(() => page.locator('.menu:popover-open').count()).toBe(0);
  });
});
