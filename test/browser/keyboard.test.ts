import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { composer, eventually, gone, log, makeSession, PATIENCE, row, seen, usePages } from './pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };
const ASK = { name: 'Needs your answer' } as const;

const focusedTitle = (page: Page) => page.evaluate(() => document.activeElement?.querySelector('.title')?.textContent);
/** The focus is on nothing that one writes into. */
const leave = (page: Page) => log(page).focus();

/** The number in the message of the turn at the top of the conversation. */
function topTurn(thread: Element): string | undefined {
  const { top } = thread.getBoundingClientRect();
  const turns = [...thread.querySelectorAll('.turn')];
  const first = turns.find((turn) => turn.getBoundingClientRect().bottom > top + 8);
  return /\d+/.exec(first?.querySelector('.bubble')?.textContent ?? '')?.[0];
}

/** Scrolling continues while new content is measured: two equal frames are its end. */
async function settled<T>(page: Page, read: () => Promise<T>): Promise<T> {
  for (;;) {
    const before = await read();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    if ((await read()) === before) return before;
  }
}

async function threeSessions() {
  const host = await pages.host();
  for (const title of ['first', 'second', 'third']) await makeSession(host, [`title ${title}`]);
  return host;
}

describe('the keys of the list', () => {
  it('move, open, select, archive, mark unread, fold', SLOW, async () => {
    const host = await threeSessions();
    const page = await pages.visit(host);
    await seen(row(page, 'third'));
    await row(page, 'third').focus();
    await page.keyboard.press('j');
    await eventually(() => focusedTitle(page)).toBe('second');
    await page.keyboard.press('j');
    await eventually(() => focusedTitle(page)).toBe('first');
    await page.keyboard.press('k');
    await eventually(() => focusedTitle(page)).toBe('second');
    await page.keyboard.press('ArrowDown');
    await eventually(() => focusedTitle(page)).toBe('first');
    await page.keyboard.press('ArrowUp');
    await eventually(() => focusedTitle(page)).toBe('second');
    await page.keyboard.press('Enter');
    await seen(page.getByRole('heading', { name: 'second' }));

    await row(page, 'second').focus();
    await page.keyboard.press('u');
    await seen(page.locator('.row.unread', { hasText: 'second' }));
    await page.keyboard.press('Space');
    await page.keyboard.press('j');
    await eventually(() => focusedTitle(page)).toBe('first');
    await page.keyboard.press('Space');
    await seen(page.getByText('2 selected'));
    await page.keyboard.press('e');
    await gone(row(page, 'second'));
    await gone(row(page, 'first'));
    await seen(row(page, 'third'));

    await row(page, 'third').focus();
    await page.keyboard.press('ArrowLeft');
    await gone(row(page, 'third'));
    // What had the focus is gone: the heading has it now.
    await eventually(() => page.evaluate(() => document.activeElement?.className)).toContain('group-h');
    await page.keyboard.press('ArrowRight');
    await seen(row(page, 'third'));
  });
});

describe('the keys of the conversation', () => {
  it('write, step through turns, jump, fork, rename, show changes', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, [
      ...Array.from({ length: 12 }, (_, n) => `stream ${60 + n}`),
      'write-file a.txt',
    ]);
    const page = await pages.visit(host, { hash });
    await page.getByRole('region', ASK).getByRole('button', { name: 'Allow once' }).click();
    await seen(log(page).getByText('Written.', { exact: true }));
    await leave(page);
    const top = async () => Number(await log(page).evaluate(topTurn));
    await page.keyboard.press('k');
    await eventually(top).toBeLessThan(72);
    const first = await settled(page, top);
    await page.keyboard.press('k');
    await eventually(top).toBe(first - 1);
    await page.keyboard.press('k');
    await eventually(top).toBe(first - 2);
    await page.keyboard.press('j');
    await eventually(top).toBe(first - 1);
    await page.keyboard.press('g');
    await eventually(() => log(page).evaluate((it) => it.scrollHeight - it.scrollTop - it.clientHeight)).toBeLessThan(
      3,
    );

    await page.keyboard.press('c');
    await eventually(() => composer(page).evaluate((it) => it === document.activeElement)).toBe(true);
    await page.keyboard.press('r');
    expect(await composer(page).inputValue()).toBe('r');
    await composer(page).fill('');
    await leave(page);
    await page.keyboard.press('d');
    await seen(page.locator('.rv').getByText('a.txt'));
    await page.keyboard.press('Escape');
    await gone(page.locator('.rv'));
    await page.keyboard.press('r');
    const rename = page.getByRole('dialog', { name: 'Rename' });
    await rename.getByRole('textbox').fill('renamed');
    await page.keyboard.press('Enter');
    await seen(page.getByRole('heading', { name: 'renamed' }));
    const before = page.url();
    await leave(page);
    await page.keyboard.press('f');
    await eventually(() => page.url()).not.toBe(before);
    await eventually(() => log(page).locator('.turn').count()).toBeGreaterThan(0);
  });
});

describe('the keys of a confirmation', () => {
  it.each([
    ['y', /Allowed once by you/],
    ['s', /Always allowed in this session by you/],
    ['x', /Denied by you/],
  ])('%s answers it while it has the focus, and only then', SLOW, async (key, outcome) => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['echo hi'], { provider: 'shell' });
    const page = await pages.visit(host, { hash });
    const ask = page.getByRole('region', ASK);
    await seen(ask);
    await leave(page);
    await page.keyboard.press(key);
    await page.keyboard.press('Escape');
    expect(await ask.count()).toBe(1);
    await ask.focus();
    await page.keyboard.press('Tab');
    await eventually(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
    await ask.focus();
    await page.keyboard.press(key);
    await seen(log(page).getByText(outcome));
    await gone(ask);
  });

  it('runs an edited command', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['echo hi'], { provider: 'shell' });
    const page = await pages.visit(host, { hash });
    await page.getByRole('textbox', { name: 'Command, editable' }).fill('echo changed-by-me');
    await page.keyboard.press('Enter');
    await seen(log(page).getByText('changed-by-me', { exact: true }));
    await seen(log(page).getByText('exit 0'));
  });
});

describe('the keys that work anywhere', () => {
  it('palette, new, tray, search, list, sheet; letters can be switched off', SLOW, async () => {
    const host = await threeSessions();
    const { hash } = await makeSession(host, ['confirm-tool']);
    const page = await pages.visit(host, { hash });
    await seen(page.getByRole('region', ASK));
    await leave(page);
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await palette.getByRole('combobox').fill('secon');
    await seen(palette.getByRole('option', { name: /second/ }));
    await page.keyboard.press('Enter');
    await seen(page.getByRole('heading', { name: 'second' }));
    await leave(page);
    await page.keyboard.press('Control+k');
    await palette.getByRole('combobox').fill('>dark');
    await page.keyboard.press('Enter');
    await eventually(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');

    await leave(page);
    await page.keyboard.press('i');
    const tray = page.getByRole('dialog', { name: 'Needs input' });
    await seen(tray.getByText('Run?'));
    await page.keyboard.press('Escape');
    await gone(tray);
    await page.keyboard.press('[');
    await gone(row(page, 'third'));
    await page.keyboard.press('[');
    await seen(row(page, 'third'));
    await page.keyboard.press('/');
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search');
    await page.keyboard.press('Escape');
    await leave(page);
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await seen(sheet);
    await sheet.getByRole('checkbox', { name: 'Single-letter shortcuts' }).uncheck();
    await page.keyboard.press('Escape');
    await gone(sheet);
    await leave(page);
    for (const letter of ['n', 'i', '?', 'r', 'f', '/']) await page.keyboard.press(letter);
    await page.keyboard.press('Control+k');
    await seen(palette);
    await page.keyboard.press('Escape');
    await gone(palette);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await seen(page.getByRole('heading', { name: 'second' }));
    await page.reload();
    await seen(page.getByRole('heading', { name: 'second' }));
    await page.keyboard.press('Control+k');
    await palette.getByRole('combobox').fill('Keyboard short');
    await page.keyboard.press('Enter');
    await sheet.getByRole('checkbox', { name: 'Single-letter shortcuts' }).check();
    await page.keyboard.press('Escape');
    await leave(page);
    await page.keyboard.press('n');
    await seen(page.getByRole('heading', { name: 'New session' }));
  });
});
