import { expect, it } from 'vitest';
import { composer, eventually, log, makeSession, PATIENCE, seen, usePages, write } from '../pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };

it('answers and messages are copied; a message is edited and sent again; a long one is folded', SLOW, async () => {
  const host = await pages.host();
  const { hash } = await makeSession(host, ['**hello** there']);
  const page = await pages.visit(host, { hash, permissions: ['clipboard-read', 'clipboard-write'] });
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  const turn = log(page).locator('.turn').first();
  await turn.getByRole('button', { name: 'Copy answer' }).click();
  await eventually(clipboard).toBe('You said: **hello** there');
  await turn.getByRole('button', { name: 'Copy message' }).click();
  await eventually(clipboard).toBe('**hello** there');
  await composer(page).fill('begun');
  await turn.getByRole('button', { name: 'Edit and send again' }).press('Enter');
  await eventually(() => composer(page).inputValue()).toBe('**hello** there\n\nbegun');
  expect(await composer(page).evaluate((it) => it === document.activeElement)).toBe(true);
  const pasted = Array.from({ length: 50 }, (_, n) => `pasted ${n}`).join('\n');
  await write(page, pasted);
  const bubble = log(page).locator('.bubble').last();
  await seen(bubble.getByText('pasted 3'));
  expect(await bubble.textContent()).not.toContain('pasted 49');
  await bubble.getByRole('button', { name: 'Show all, 50 lines' }).click();
  await seen(bubble.getByText('pasted 49'));
  await bubble.getByRole('button', { name: 'Fold' }).click();
  await eventually(() => bubble.textContent()).not.toContain('pasted 49');
});

it('the palette has all commands of the session', SLOW, async () => {
  const host = await pages.host();
  const { hash } = await makeSession(host, ['slow']);
  const page = await pages.visit(host, { hash });
  await seen(page.getByRole('button', { name: 'Stop the turn' }));
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('>');
  const names = () => page.getByRole('option').allTextContents();
  for (const name of [
    'Rename this session',
    'Archive this session',
    'Mark this session unread',
    'Fork this session',
    'Files',
    'Customizations',
    'Delete this session',
    'Stop the turn',
  ])
    expect(
      (await names()).some((one) => one.startsWith(name)),
      name,
    ).toBe(true);
  await page.getByRole('dialog').getByRole('combobox').fill('>stop');
  await page.keyboard.press('Enter');
  await seen(log(page).getByText('Stopped.'));
});
