import type { AgentEvent } from '@agenthost/host';
import { expect, it } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { ScriptedAgent } from '../../support/agents/scriptedAgent.js';
import { temporaryFolder } from '../../support/testHost.js';
import { expectAccessible } from '../axe.js';
import { eventually, expectNoOverflow, gone, log, makeSession, PATIENCE, seen, usePages, write } from '../pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };
const ASK = { name: /^Needs your answer/ } as const;

it('"always" is a badge of the session for everybody, and is revoked there', SLOW, async () => {
  const stateDir = await temporaryFolder();
  const token = await new DeviceTokens(stateDir).add('screen', 'viewer');
  const host = await pages.host({ stateDir });
  const { hash } = await makeSession(host, ['echo one'], { provider: 'shell' });
  const page = await pages.visit(host, { hash });
  const prompt = page.getByRole('region', ASK);
  await seen(prompt.getByText('“Always allow in this session” also counts for every command in this session.'));
  await prompt.getByRole('button', { name: /^Always allow in this session/ }).click();
  const badge = page.getByRole('button', { name: 'Always allowed' });
  await seen(badge);
  await write(page, 'echo "$((1 + 1)) unasked"');
  await seen(log(page).getByText('2 unasked', { exact: true }));

  const viewer = await pages.visit(host, { hash, token });
  await viewer.getByRole('button', { name: 'Always allowed' }).click();
  expect(await viewer.getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(true);

  await badge.click();
  const dialog = page.getByRole('dialog', { name: 'Always allowed' });
  await seen(dialog.getByText('Every command in this session'));
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await seen(dialog.getByText('Nothing. Shell asks each time.'));
  await page.keyboard.press('Escape');
  await gone(badge);
  await seen(viewer.getByText('Nothing. Shell asks each time.'));
  await write(page, 'echo three');
  await seen(page.getByRole('region', ASK));
});

const keeper = () =>
  new ScriptedAgent({
    provider: 'mock',
    displayName: 'Keeper',
    script: async function* ({ text }): AsyncIterable<AgentEvent> {
      for (let n = 0; n < Number(text); n++)
        yield {
          type: 'approval',
          approval: { id: `k${n}`, covers: `Always <b>allow</b> number ${n} \u202e${'w'.repeat(300)}` },
        };
      yield { type: 'text', text: 'Kept.' };
    },
  });

it('says why it can not revoke what the agent keeps, also on a small screen', SLOW, async () => {
  const host = await pages.host({ agents: [keeper()] });
  const { hash } = await makeSession(host, ['150']);
  const page = await pages.visit(host, { hash, viewport: { width: 360, height: 700 } });
  await seen(log(page).getByText('Kept.'));
  // The newest hundred; more are kept by the agent and not listed.
  const badge = page.getByRole('button', { name: '100 always allowed' });
  await seen(badge);
  await expectNoOverflow(page, 'the badge');
  await badge.click();
  const dialog = page.getByRole('dialog', { name: 'Always allowed' });
  await seen(dialog.getByText(/^What Keeper keeps itself can't be revoked here: its protocol has no request for that/));
  expect(await dialog.getByRole('button', { name: 'Revoke' }).count()).toBe(0);
  expect(await dialog.locator('.approval').count()).toBe(100);
  await eventually(() => dialog.locator('.approval').last().textContent()).toContain('Always <b>allow</b> number 149');
  await expectNoOverflow(page, 'the list');
  await expectAccessible(page);
});
