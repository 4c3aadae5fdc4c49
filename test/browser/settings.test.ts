import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DeviceTokens } from '../../packages/host/src/server/access/deviceTokens.js';
import { expectAccessible } from './axe.js';
import { composer, eventually, log, makeSession, PATIENCE, seen, usePages } from './pageWorld.js';

const pages = usePages();

it("shows the agent's settings and changes them, for all who look on", { timeout: 5 * PATIENCE }, async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'agenthost-settings-'));
  const token = await new DeviceTokens(stateDir).add('the screen', 'viewer');
  const host = await pages.host({ stateDir });
  const { hash } = await makeSession(host, ['settings']);
  const page = await pages.visit(host, { hash });
  const other = await pages.visit(host, { hash, token, name: 'The screen' });
  const mode = page.getByRole('group', { name: 'Mode' });
  const chosen = () => mode.locator('[aria-pressed="true"]').textContent();
  await seen(mode);
  await eventually(chosen).toBe('Ask');

  await mode.getByRole('button', { name: 'Plan' }).click();
  await eventually(chosen).toBe('Plan');
  // Who may only watch sees it and has nothing to press.
  await seen(other.locator('.settings-row').getByText('Plan', { exact: true }));
  expect(await other.locator('.settings-row button').count()).toBe(0);

  const field = composer(page);
  await field.focus();
  await field.press('Shift+Tab');
  await eventually(chosen).toBe('Ask');
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);

  await page.getByRole('button', { name: 'Effort: Medium' }).click();
  await page.getByRole('menuitemradio', { name: 'High' }).click();
  await seen(page.getByRole('button', { name: 'Effort: High' }));
  await field.fill('settings?');
  await field.press('Enter');
  await seen(log(page).getByText('mode=ask effort=high'));

  await page.getByRole('button', { name: 'Effort: High' }).click();
  await page.getByRole('menuitemradio', { name: 'Max' }).click();
  await seen(page.getByText('Effort was not changed: The mock agent was told to refuse this.'));
  await seen(page.getByRole('button', { name: 'Effort: High' }));

  await field.fill('slow');
  await field.press('Enter');
  await seen(page.getByRole('button', { name: 'Stop the turn' }));
  await mode.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('button', { name: 'Effort: High' }).click();
  await page.getByRole('menuitemradio', { name: 'Low' }).click();
  await seen(page.getByText('from the next step'));
  await expectAccessible(page);
});
