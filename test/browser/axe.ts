import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

export const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** One line for each element that breaks a rule. What lies under an open dialog can't be reached, and isn't looked at. */
export async function brokenRules(page: Page, only: axe.RunOnly): Promise<string[]> {
  const results = await page.evaluate(async (rules) => {
    const { axe: loaded } = window as unknown as { axe: typeof axe };
    const root = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
    return await loaded.run(root, { runOnly: rules, resultTypes: ['violations'] });
  }, only);
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary?.split('\n')[1]?.trim()}`),
  );
}

/** As the page looks right now. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  expect(await brokenRules(page, { type: 'tag', values: RULES })).toEqual([]);
}
