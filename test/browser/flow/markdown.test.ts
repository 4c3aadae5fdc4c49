import { expect, it } from 'vitest';
import { eventually, log, makeSession, PATIENCE, seen, usePages } from '../pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };

const TEXT = [
  'Press <kbd>Ctrl</kbd>+<kbd>K</kbd> and <b>not bold</b>. It costs $5 and $10.',
  'So $a^2+b^2=c^2$ holds.[^1]',
  '$$\n\\int_0^1 \\frac{x}{2}\\,dx\n$$',
  '```diff\n-old line\n+new line\n same\n```',
  '```mermaid\ngraph TD; A-->B\n```',
  'Bad: $\\href{javascript:alert(1)}{x}$ and $\\unknown{x}_2$.',
  '[^1]: Since *Pythagoras*.',
].join('\n\n');

it('shows keys, formulas, diffs and footnotes', SLOW, async () => {
  const host = await pages.host();
  const { hash } = await makeSession(host, [TEXT]);
  const page = await pages.visit(host, { hash });
  const prose = log(page).locator('.prose');
  await eventually(() => prose.locator('kbd').allTextContents()).toEqual(['Ctrl', 'K']);
  await seen(prose.getByText('<b>not bold</b>'));
  await seen(prose.getByText('It costs $5 and $10.'));
  await seen(prose.locator('.math:not(.block) math msup'));
  await seen(prose.locator('.math.block math mfrac'));
  await seen(prose.locator('.diff .l.del', { hasText: 'old line' }));
  await seen(prose.locator('.diff .l.add', { hasText: 'new line' }));
  await seen(prose.locator('.footnotes', { hasText: 'Since Pythagoras.' }));
  // What can't be drawn is there as it was written, and nothing of it is a link.
  await seen(prose.locator('.math code', { hasText: 'unknown' }));
  expect(await prose.locator('a').count()).toBe(0);
  expect(await prose.locator('[href]').count()).toBe(0);
});
