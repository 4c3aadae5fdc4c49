import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { composer, eventually, gone, log, makeSession, PATIENCE, row, seen, usePages, write } from './pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };

async function choose(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'Session actions' }).click();
  await page.getByRole('menu', { name: 'Session actions' }).getByRole('menuitem', { name: item, exact: true }).click();
}

async function filter(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: /^More filters/ }).click();
  await page.getByRole('menu').getByRole('menuitemradio', { name: item }).click();
}

describe('a session', () => {
  it('is renamed, archived, unarchived, marked unread', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['title first']);
    const page = await pages.visit(host, { hash });
    await page.getByRole('heading', { name: 'first' }).getByRole('button').click();
    const dialog = page.getByRole('dialog', { name: 'Rename' });
    await dialog.getByRole('textbox').fill('a better name');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await seen(row(page, 'a better name'));

    await choose(page, 'Archive');
    await gone(row(page, 'a better name'));
    await filter(page, 'Archived');
    await seen(row(page, 'a better name'));
    await seen(row(page, 'a better name').getByRole('img', { name: 'Archived' }));
    await choose(page, 'Unarchive');
    await gone(row(page, 'a better name'));
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await seen(row(page, 'a better name'));

    await choose(page, 'Mark unread');
    await seen(page.locator('.row.unread', { hasText: 'a better name' }));
    await seen(page.getByRole('heading', { name: 'Pick a session, or start one' }));
    await row(page, 'a better name').click();
    await gone(page.locator('.row.unread'));
  });

  it('is deleted, and can be brought back for a while', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['title precious']);
    const page = await pages.visit(host, { hash });
    await seen(page.getByRole('heading', { name: 'precious' }));
    await choose(page, 'Delete');
    await page.getByRole('button', { name: /^Undo/ }).click();
    await row(page, 'precious').click();
    await choose(page, 'Delete');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await gone(row(page, 'precious'));
    await seen(page.getByRole('heading', { name: 'Start your first session' }));
  });

  it('is forked from a turn, and gets a second chat', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['first message', 'second message', 'third message']);
    const page = await pages.visit(host, { hash });
    await seen(log(page).getByText('You said: third message'));
    const turn = log(page).locator('.turn', { hasText: 'You said: second message' });
    await turn.hover();
    const before = page.url();
    await turn.getByRole('button', { name: 'Fork from here' }).click();
    await eventually(() => page.url()).not.toBe(before);
    await seen(log(page).getByText('You said: second message'));
    await gone(log(page).getByText('You said: third message'));
    await write(page, 'another way');
    await seen(log(page).getByText('You said: another way'));

    await page.goto(before);
    await seen(log(page).getByText('You said: third message'));
    await choose(page, 'New chat in this session');
    const dialog = page.getByRole('dialog', { name: 'New chat in this session' });
    await dialog.getByRole('textbox', { name: 'First message' }).fill('beside it');
    await page.keyboard.press('Enter');
    await seen(log(page).getByText('You said: beside it'));
    const chats = page.getByRole('navigation', { name: 'Chats of this session' });
    await eventually(() => chats.getByRole('button').count()).toBe(2);
    await chats.getByRole('button').first().click();
    await seen(log(page).getByText('You said: third message'));
  });

  it('of the shell has a second chat that works beside the first, and is deleted separately', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['until [ -e go ]; do sleep 0.02; done; echo the first went on'], {
      provider: 'shell',
    });
    const page = await pages.visit(host, { hash });
    const allow = () => page.getByRole('button', { name: /^Allow once/ }).click();
    await allow();
    await choose(page, 'New chat in this session');
    const dialog = page.getByRole('dialog', { name: 'New chat in this session' });
    await dialog.getByRole('textbox', { name: 'First message' }).fill('touch go; echo second chat');
    await page.keyboard.press('Enter');
    const chats = page.getByRole('navigation', { name: 'Chats of this session' });
    const tab = (name: RegExp) => chats.getByRole('button', { name });
    await seen(tab(/^touch go/));
    // The first one still runs.
    await allow();
    await seen(log(page).getByText('second chat', { exact: true }));
    await tab(/^until/).click();
    await seen(log(page).getByText('the first went on', { exact: true }));
    expect(await page.locator('.sidebar .row').count()).toBe(1);

    await tab(/^touch go/).click();
    await page.locator('.title-button').click();
    const rename = page.getByRole('dialog', { name: 'Rename' });
    expect(await rename.getByRole('textbox').inputValue()).toBe('touch go; echo second chat');
    await rename.getByRole('textbox').fill('Beside');
    await page.keyboard.press('Enter');
    await seen(tab(/^Beside/));
    await choose(page, 'Delete this chat');
    const question = page.getByRole('dialog', { name: 'Delete this chat?' });
    await seen(question.getByText(/“Beside” is deleted for everyone/));
    await question.getByRole('button', { name: 'Delete' }).click();
    await gone(chats);
    await seen(log(page).getByText('the first went on', { exact: true }));
    await write(page, 'echo goes on');
    await allow();
    await seen(log(page).getByText('goes on', { exact: true }));
    await choose(page, 'Delete');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await seen(page.getByRole('heading', { name: 'Start your first session' }));
  });

  it('has customizations, changes its model, and shows its artifacts', SLOW, async () => {
    const host = await pages.host();
    const { hash, uri } = await makeSession(host, ['plan # The plan\n\n1. Look', 'artifact notes.txt']);
    const page = await pages.visit(host, { hash });
    await seen(log(page).getByText('Made it.'));
    await choose(page, 'Customizations');
    const customizations = page.getByRole('dialog', { name: 'Customizations' });
    await seen(customizations.getByText(/This session has none/));
    const editor = await (await host.connect({ clientInfo: { name: 'The Editor' } })).openSession(uri);
    await editor.registerTools([{ name: 'open_file', description: 'Opens a file.', handler: () => 'Opened.' }]);
    await seen(customizations.getByRole('region', { name: 'Tools of The Editor' }).getByText('open_file'));
    await editor.send('client-tool open_file {}');
    await seen(page.getByText('It is a tool of The Editor.'));
    await editor.pendingConfirmations.value[0]?.approve();
    await seen(log(page).getByText('tool of The Editor', { exact: true }));
    await page.keyboard.press('Escape');
    await choose(page, 'Files');
    const files = page.getByRole('dialog', { name: 'Files' });
    await seen(files.getByRole('heading', { name: 'The plan' }));
    await files.getByRole('button', { name: /notes\.txt/ }).click();
    await seen(files.getByText('The content of notes.txt.'));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Model:/ }).click();
    await page.getByRole('menu').getByRole('menuitemradio', { name: 'Mock Large' }).click();
    await seen(page.getByRole('button', { name: 'Model: Mock Large' }));
    await write(page, 'model');
    await seen(log(page).getByText('The model is mock-large.'));
  });

  it('shows its context, its reasoning, and pasted images', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['reasoning', 'usage']);
    const page = await pages.visit(host, { hash });
    await seen(page.getByRole('img', { name: /^Context: 1k of 8k tokens/ }));
    await log(page)
      .getByRole('button', { name: /^Thought/ })
      .click();
    await seen(log(page).getByText('Let me think about it.'));
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await page.locator('input[type=file]').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: png });
    await write(page, 'look at this');
    const image = log(page).getByRole('img', { name: 'dot.png' });
    await seen(image);
    await eventually(() => image.evaluate((it) => (it as HTMLImageElement).naturalWidth)).toBe(1);
  });
});

describe('the list', () => {
  it('archives several at once', SLOW, async () => {
    const host = await pages.host();
    for (const title of ['one', 'two', 'three']) await makeSession(host, [`title ${title}`]);
    const page = await pages.visit(host);
    await row(page, 'one').click({ modifiers: ['Control'] });
    await row(page, 'three').click({ modifiers: ['Control'] });
    await seen(page.getByText('2 selected'));
    await page.locator('.bulk').getByRole('button', { name: 'Archive' }).click();
    await gone(row(page, 'one'));
    await gone(row(page, 'three'));
    await seen(row(page, 'two'));
  });

  it('filters by status, unread and text, and finds words of messages', SLOW, async () => {
    const host = await pages.host();
    await makeSession(host, ['title plain', 'the heron stands in the reeds', 'title plain']);
    await makeSession(host, ['title asks', 'confirm-tool']);
    await makeSession(host, ['title works', 'slow']);
    const page = await pages.visit(host);
    await seen(row(page, 'works'));
    const chips = page.getByRole('group', { name: 'Filter' });
    await chips.getByRole('button', { name: /^Needs input/ }).click();
    await gone(row(page, 'plain'));
    await seen(row(page, 'asks'));
    await chips.getByRole('button', { name: /^Running/ }).click();
    await gone(row(page, 'asks'));
    await seen(row(page, 'works'));
    await chips.getByRole('button', { name: 'All' }).click();
    await seen(row(page, 'plain'));

    const search = page.getByRole('searchbox', { name: 'Search titles and messages' });
    await search.fill('heron');
    await seen(row(page, 'plain').locator('mark', { hasText: 'heron' }));
    await gone(row(page, 'works'));
    await search.fill('no such word');
    await seen(page.getByText('No session matches “no such word”.'));
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await seen(row(page, 'works'));
    expect(await search.inputValue()).toBe('');
    await page.getByRole('button', { expanded: true }).first().click();
    await gone(row(page, 'works'));
    await page.getByRole('button', { expanded: false }).first().click();
    await seen(row(page, 'works'));
  });

  it('shows questions of all sessions in the tray, where they can be answered', SLOW, async () => {
    const host = await pages.host();
    await makeSession(host, ['title builder', 'confirm-tool']);
    await makeSession(host, ['title painter', 'question']);
    const page = await pages.visit(host);
    await page.getByRole('button', { name: 'Needs input, 2' }).click();
    const tray = page.getByRole('dialog', { name: 'Needs input' });
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
    // The newest has the focus; its keys are its own.
    await eventually(focused).toMatch(/colour|Which/i);
    await page.keyboard.press('j');
    await eventually(focused).toMatch(/Run/);
    await page.keyboard.press('k');
    await eventually(focused).toMatch(/colour|Which/i);
    await tray.getByRole('button', { name: /Blue/ }).click();
    await seen(tray.getByText(/Answered by you: Blue/));
    await page.keyboard.press('y');
    await eventually(focused).toBe('Open questions');
    await page.keyboard.press('j');
    await eventually(focused).toMatch(/Run/);
    await page.keyboard.press('y');
    await seen(tray.getByText('Nothing needs you.'));
    await seen(tray.getByText('Allowed once by you'));
    await tray
      .getByRole('button', { name: /painter/ })
      .first()
      .click();
    await seen(log(page).getByText(/Answered by you: Blue/));
    await eventually(() => composer(page).count()).toBe(1);
  });
});
