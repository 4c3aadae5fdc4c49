import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MockAgent, ShellAgent } from '@agenthost/host';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ScriptedAgent } from '../../support/agents/scriptedAgent.js';
import { eventually, expectNoOverflow, log, makeSession, PATIENCE, seen, usePages, write } from '../pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };

const missing = () =>
  new ScriptedAgent({
    provider: 'gone',
    displayName: 'Goner',
    availability: { state: 'unavailable', reason: 'It is not here.', howToFix: 'Run `fetch it`.' },
    script: () => [],
  });

const folder = (page: Page) => page.getByRole('combobox', { name: 'Folder' });

async function openForm(options: Parameters<typeof pages.visit>[1] = {}) {
  const host = await pages.host({ agents: [new MockAgent(), new ShellAgent(), missing()] });
  for (const name of ['alpha', 'alpine', '.hidden', 'beta'])
    await mkdir(join(host.stateDir, 'work', name), { recursive: true });
  const page = await pages.visit(host, { hash: 'new', ...options });
  await seen(page.getByRole('heading', { name: 'New session' }));
  await seen(page.getByRole('radio'));
  return { host, page, work: join(host.stateDir, 'work') };
}

describe('a new session', () => {
  it('offers the agents that can be used as cards, and the others in one line', SLOW, async () => {
    const { page } = await openForm();
    expect(await page.getByRole('radio').count()).toBe(2);
    const add = page.getByRole('button', { name: /^Add an agent\s*Goner/ });
    expect(await page.getByText('fetch it').count()).toBe(0);
    await add.press('Enter');
    await seen(page.getByText('fetch it'));
    // One card is reached with Tab, the others with arrows.
    await page.getByRole('radio', { checked: true }).focus();
    const before = await page.getByRole('radio', { checked: true }).textContent();
    await page.keyboard.press('ArrowRight');
    await eventually(() => page.getByRole('radio', { checked: true }).textContent()).not.toBe(before);
  });

  it('takes a typed path, completes it, and says under the field what is wrong', SLOW, async () => {
    const { page, work } = await openForm();
    await folder(page).fill(`${work}/al`);
    const options = page.getByRole('listbox', { name: 'Folders' }).getByRole('option');
    await eventually(() => options.allTextContents()).toEqual(['alpha', 'alpine']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await eventually(() => folder(page).inputValue()).toBe(`${work}/alpine/`);
    await folder(page).fill(`${work}/nowhere`);
    await page.keyboard.press('Enter');
    await seen(page.getByRole('alert'));
    expect(await folder(page).getAttribute('aria-invalid')).toBe('true');
    await folder(page).fill('nowhere');
    await seen(page.getByText('Type a whole path: it begins with / or ~.'));
    await folder(page).fill(`${work}/beta`);
    await page.keyboard.press('Enter');
    await eventually(() => page.getByRole('alert').count()).toBe(0);
    await page.getByRole('radio', { name: /Shell/ }).click();
    await write(page, 'pwd');
    await page
      .getByRole('region', { name: 'Needs your answer' })
      .getByRole('button', { name: /^Allow once/ })
      .click();
    await seen(log(page).getByText(`${work}/beta`));
  });

  it('lists hidden folders last', SLOW, async () => {
    const { page, work } = await openForm();
    await folder(page).fill(work);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Browse…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose a folder' });
    await eventually(() => dialog.locator('.fd').allTextContents()).toEqual(['alpha', 'alpine', 'beta', '.hidden']);
    await dialog.getByRole('button', { name: 'beta' }).click();
    await seen(dialog.getByText('There is no folder in here.'));
    await dialog.getByRole('button', { name: 'Use this folder' }).click();
    await eventually(() => folder(page).inputValue()).toMatch(/\/work\/beta$/);
  });

  it('remembers the agent and the model that were used in a folder', SLOW, async () => {
    const { page, work } = await openForm();
    const start = async (path: string, agent: RegExp, text: string, model?: string) => {
      await folder(page).fill(path);
      await page.keyboard.press('Enter');
      await page.getByRole('radio', { name: agent }).click();
      if (model) {
        await page.getByRole('button', { name: /^Model: / }).click();
        await page.getByRole('menuitemradio', { name: model }).click();
      }
      await write(page, text);
      await seen(log(page));
      await page.goto(`${page.url().split('#')[0]}#new`);
      await seen(page.getByRole('radio'));
    };
    await start(`${work}/alpha`, /Mock/, 'hello', 'Mock Large');
    await start(`${work}/beta`, /Shell/, 'true');
    await page.reload();
    await seen(page.getByRole('radio', { name: /Shell/, checked: true }));
    await eventually(() => folder(page).inputValue()).toBe(`${work}/beta`);
    await page.getByRole('list', { name: 'Recent folders' }).getByRole('button', { name: 'alpha' }).click();
    await seen(page.getByRole('radio', { name: /Mock/, checked: true }));
    await seen(page.getByRole('button', { name: 'Model: Mock Large' }));
  });

  it('has room on a phone', SLOW, async () => {
    const { page } = await openForm({ viewport: { width: 360, height: 740 }, hasTouch: true });
    await expectNoOverflow(page, 'new session at 360');
    const widths = await page
      .locator('.agent')
      .evaluateAll((cards) => cards.map((it) => it.getBoundingClientRect().width));
    expect(Math.min(...widths)).toBeGreaterThan(150);
    await page.getByRole('button', { name: 'Browse…' }).click();
    await seen(page.getByRole('dialog', { name: 'Choose a folder' }));
    await expectNoOverflow(page, 'the folder browser at 360');
    const box = await page.locator('.browse').boundingBox();
    expect(box?.height ?? 0).toBeGreaterThan(200);
  });

  it("of another host keeps neither the first one's agent nor its folder, and ~ is the home folder", SLOW, async () => {
    const own = await pages.host({ agents: [new MockAgent(), new ShellAgent()] });
    const other = await pages.host({
      listen: { allowedOrigins: [own.url.origin] },
      agents: [new MockAgent(), new ShellAgent()],
    });
    await makeSession(own, ['true'], { provider: 'shell', folder: pathToFileURL(join(own.stateDir, 'work')).href });
    const page = await pages.visit(own);
    await page.getByRole('button', { name: 'Add a host' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill(`${other.url.origin}/#token=${other.token}`);
    await page.keyboard.press('Enter');
    await seen(page.locator('.host-row', { hasText: 'live' }));
    await page.locator('.sidebar .row').first().click();
    await seen(log(page));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New session', exact: true }).first().click();
    await seen(page.getByRole('radio', { name: /Shell/, checked: true }));
    await eventually(() => folder(page).inputValue()).toBe(join(own.stateDir, 'work'));
    await page.getByRole('group', { name: 'Host' }).getByRole('button').nth(1).click();
    await seen(page.getByRole('radio', { name: /Mock/, checked: true }));
    await eventually(() => folder(page).inputValue()).toBe(other.stateDir);
  });
});
