import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { composer, eventually, gone, log, makeSession, PATIENCE, seen, usePages, write } from './pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 5 * PATIENCE };

const queue = (page: Page) => page.getByRole('region', { name: 'Queue' });
const texts = (page: Page) => queue(page).locator('li .clip').allTextContents();
const grip = (page: Page, place: number) =>
  queue(page).getByRole('button', { name: new RegExp(`^Reorder message ${place}:`) });

async function running(messages: readonly string[]): Promise<Page> {
  const host = await pages.host();
  const { hash } = await makeSession(host, ['steer']);
  const page = await pages.visit(host, { hash });
  await seen(log(page).getByText('Waiting to be steered.'));
  for (const message of messages) await write(page, message);
  await eventually(() => texts(page)).toEqual(messages);
  return page;
}

describe('the queue', () => {
  it('holds messages written while a turn runs; they can be edited and removed', SLOW, async () => {
    const page = await running(['one', 'two', 'three']);
    await queue(page).getByRole('button', { name: 'Remove message 1' }).click();
    await eventually(() => texts(page)).toEqual(['two', 'three']);
    await queue(page).getByRole('button', { name: 'Edit message 1' }).click();
    await eventually(() => composer(page).inputValue()).toBe('two');
    await write(page, 'two, better');
    await eventually(() => texts(page)).toEqual(['two, better', 'three']);
    // What was being written meanwhile comes back after the edit.
    await composer(page).fill('half written');
    await queue(page).getByRole('button', { name: 'Edit message 2' }).click();
    await eventually(() => composer(page).inputValue()).toBe('three');
    await composer(page).press('Enter');
    await eventually(() => composer(page).inputValue()).toBe('half written');
    await composer(page).fill('');
    // The last one, from the keyboard.
    await composer(page).press('ArrowUp');
    await eventually(() => composer(page).inputValue()).toBe('three');
    await write(page, 'three, better');
    await eventually(() => texts(page)).toEqual(['two, better', 'three, better']);
    await grip(page, 2).focus();
    await page.keyboard.press('Enter');
    await eventually(() => composer(page).inputValue()).toBe('three, better');
    await composer(page).fill('');
    await grip(page, 2).focus();
    await page.keyboard.press('Delete');
    await eventually(() => texts(page)).toEqual(['two, better']);
  });

  it('leaves an open question in view when it grows, also on a small screen', SLOW, async () => {
    const host = await pages.host();
    const { uri, hash } = await makeSession(host, [`say ${'A long line. '.repeat(200)}`, 'confirm-tool']);
    const script = await (await host.connect({ clientInfo: { name: 'Script' } })).openSession(uri);
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 768, height: 1024 },
    ]) {
      const page = await pages.visit(host, { hash, viewport });
      const deny = page.getByRole('region', { name: 'Needs your answer' }).getByRole('button', { name: /^Deny/ });
      await seen(deny);
      const before = await texts(page).then(({ length }) => length);
      for (const message of ['first', 'second', 'third']) await script.queue(message);
      await eventually(() => texts(page).then(({ length }) => length)).toBe(before + 3);
      const isCovered = async () => {
        const [button, dock] = [await deny.boundingBox(), await queue(page).boundingBox()];
        return !button || !dock || button.y + button.height > dock.y;
      };
      await eventually(isCovered).toBe(false);
    }
  });

  it('returns a long message completely for editing', SLOW, async () => {
    const page = await running([]);
    const long = `begin ${'word '.repeat(40_000)}end`;
    await write(page, long);
    await seen(queue(page).getByRole('button', { name: 'Edit message 1' }));
    await eventually(() => page.evaluate(() => localStorage['agenthost.sessions.unsent'])).toBeUndefined();
    await page.reload();
    await queue(page).getByRole('button', { name: 'Edit message 1' }).click();
    await eventually(async () => (await composer(page).inputValue()).length).toBe(long.length);
  });

  it('is reordered by keyboard and by pointer', SLOW, async () => {
    const page = await running(['one', 'two', 'three']);
    await grip(page, 3).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowUp');
    await eventually(() => texts(page)).toEqual(['one', 'three', 'two']);
    await page.keyboard.press('ArrowUp');
    await eventually(() => texts(page)).toEqual(['three', 'one', 'two']);
    await page.keyboard.press('ArrowDown');
    await eventually(() => texts(page)).toEqual(['one', 'three', 'two']);
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    expect(await texts(page)).toEqual(['one', 'three', 'two']);

    const from = await grip(page, 1).boundingBox();
    const to = await grip(page, 3).boundingBox();
    if (!from || !to) throw new Error('the grips are not in the page');
    await page.mouse.move(from.x + 5, from.y + 5);
    await page.mouse.down();
    await page.mouse.move(to.x + 5, to.y + to.height / 2, { steps: 8 });
    await page.mouse.up();
    await eventually(() => texts(page)).toEqual(['three', 'two', 'one']);
    await page.reload();
    await eventually(() => texts(page)).toEqual(['three', 'two', 'one']);
  });

  it('is bypassed with Ctrl+Enter, and processed in order', SLOW, async () => {
    const page = await running(['one', 'two']);
    await write(page, 'this way', 'Control+Enter');
    await seen(log(page).getByText('Steered: this way'));
    await seen(log(page).getByText('You said: two'));
    await gone(queue(page));
    const answers = await log(page).locator('.answer').allTextContents();
    expect(answers.slice(1)).toEqual(['You said: one', 'You said: two']);
  });

  it('stays when the turn is stopped with Esc Esc; one Esc does nothing', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['slow']);
    const page = await pages.visit(host, { hash });
    await seen(log(page).getByText(/^1 2 3/));
    await composer(page).press('Escape');
    await seen(log(page).getByText(/ 12 13/));
    await seen(page.getByRole('button', { name: 'Stop the turn' }));
    await composer(page).press('Escape');
    await composer(page).press('Escape');
    await seen(log(page).getByText('Stopped.'));
    await gone(page.getByRole('button', { name: 'Stop the turn' }));
  });
});
