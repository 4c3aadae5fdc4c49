import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AcpAgents, MockAgent } from '@agenthost/host';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { RECORDED, recordedHome } from '../../../packages/host/test/agents/native/nativeHome.js';
import { loginEntry } from '../../support/agents/loginAgent.js';
import { stubEntry, writeAgents } from '../../support/agents/stubEntry.js';
import { temporaryFolder } from '../../support/testHost.js';
import { composer, eventually, gone, log, makeSession, PATIENCE, seen, usePages } from '../pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 8 * PATIENCE };

const hasFocus = (target: Locator) => target.evaluate((it) => it.contains(document.activeElement));

/** Goes there with Tab, as a person without a pointer does. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await seen(target);
  for (let presses = 0; presses < 80; presses++) {
    if (await hasFocus(target.first())) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no Tab leads to ${target}`);
}

async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

/** By the palette, which has a key of its own. */
async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await seen(page.getByRole('combobox', { name: 'Search sessions and commands' }));
  await page.keyboard.type(`>${words}`);
  await seen(page.getByRole('option', { name: words }));
  await page.keyboard.press('Enter');
}

describe('without a pointer', () => {
  it('a device is paired, gets another role, and is revoked', SLOW, async () => {
    const host = await pages.host();
    await makeSession(host, ['hello']);
    const page = await pages.visit(host, { name: 'Tom' });
    await seen(page.locator('.host-row .meta').getByText('this machine', { exact: true }));
    await command(page, 'Devices');
    const settings = page.getByRole('dialog', { name: 'Settings' });
    await press(page, settings.getByRole('button', { name: 'Add a phone' }));
    const dialog = page.getByRole('dialog', { name: 'Add a phone' });
    await seen(dialog.getByRole('img', { name: 'QR code of the link' }));
    const link = `http://${await dialog.locator('.lnk span').textContent()}`;

    const phone = await pages.visit(host, { address: link, viewport: { width: 360, height: 740 } });
    await tabTo(phone, phone.getByLabel('Your name, as others see it'));
    await phone.keyboard.type('Mira');
    await press(phone, phone.getByRole('button', { name: 'Connect as Approver' }));
    await seen(phone.locator('.sidebar .row'));
    await gone(dialog);

    const role = settings.getByLabel(/^Role of Mira/);
    await tabTo(page, role);
    await page.keyboard.press('ArrowDown');
    await eventually(() => role.inputValue()).not.toBe('approver');
    await press(page, settings.getByRole('button', { name: /^Revoke Mira/ }));
    await press(page, page.getByRole('dialog', { name: /^Revoke Mira/ }).getByRole('button', { name: 'Revoke' }));
    await seen(phone.getByText(/doesn't accept this token/).first());
    await gone(role);
    await page.keyboard.press('Escape');
    await gone(settings);
  });

  it('an agent is logged in, by its program and by a key', SLOW, async () => {
    const stateDir = await temporaryFolder();
    await writeAgents(stateDir, { stub: loginEntry(stateDir), other: loginEntry(stateDir, 'code', { name: 'Other' }) });
    const host = await pages.host({ stateDir, agentSources: [new AcpAgents({ catalogue: [] })] });
    const { hash } = await makeSession(host, ['hello'], { provider: 'stub' });
    const page = await pages.visit(host, { hash });
    await press(page, page.getByRole('button', { name: 'Log in to Stub' }));
    const dialog = page.getByRole('dialog', { name: /^Log in to Stub on / });
    await seen(dialog.locator('.login-code'));
    await tabTo(page, dialog.getByRole('button', { name: 'Use a key' }));
    await page.keyboard.press('Enter');
    await tabTo(page, dialog.getByLabel('Key', { exact: true }));
    await page.keyboard.type('sk-test-1');
    await page.keyboard.press('Escape');
    await gone(dialog);
    await press(page, page.getByRole('button', { name: 'Log in to Stub' }));
    await seen(dialog.locator('.login-code'));
    await tabTo(page, dialog.getByRole('textbox', { name: 'Log-in program of Stub' }));
    await page.keyboard.type('open sesame');
    await page.keyboard.press('Enter');
    await gone(dialog);
    await seen(log(page).getByText('You said: hello'));
  });

  it('a session is started, handed over, and exported', SLOW, async () => {
    const stateDir = await temporaryFolder();
    await writeAgents(stateDir, { stub: stubEntry(stateDir) });
    const host = await pages.host({
      stateDir,
      agents: [new MockAgent()],
      agentSources: [new AcpAgents({ catalogue: [] })],
    });
    const page = await pages.visit(host, { acceptDownloads: true });
    await seen(page.getByRole('heading', { name: 'Start your first session' }));
    await page.keyboard.press('n');
    await tabTo(page, page.getByRole('radio', { checked: true }));
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    await seen(page.getByRole('radio', { name: /Mock/, checked: true }));
    await tabTo(page, page.getByRole('combobox', { name: 'Folder' }));
    await page.keyboard.press('Control+a');
    await page.keyboard.type(`${host.stateDir}/work`);
    await page.keyboard.press('Enter');
    await tabTo(page, composer(page));
    await page.keyboard.type('the number is 4711');
    await page.keyboard.press('Enter');
    await seen(log(page).getByText('You said: the number is 4711'));

    await command(page, 'Hand over…');
    const handOver = page.getByRole('dialog', { name: 'Hand over to another agent' });
    await press(page, handOver.getByRole('button', { name: 'Stub' }));
    await gone(handOver);
    await tabTo(page, composer(page));
    await page.keyboard.type('recall');
    await page.keyboard.press('Enter');
    await seen(log(page).getByText('Stub was given the earlier turn as text.'));

    await command(page, 'Export this session…');
    const dialog = page.getByRole('dialog', { name: 'Export the session' });
    await tabTo(page, dialog.getByRole('radio', { name: 'Markdown' }));
    await page.keyboard.press('ArrowDown');
    await eventually(() => dialog.getByRole('radio', { name: 'JSON' }).isChecked()).toBe(true);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      press(page, dialog.getByRole('button', { name: 'Export', exact: true })),
    ]);
    expect(file.suggestedFilename()).toMatch(/\.json$/);
    await press(page, dialog.getByRole('button', { name: 'Done' }));
    await gone(dialog);
  });

  it('a session of a terminal is read and continued, and what happened is read afterwards', SLOW, async () => {
    const [stateDir, home] = [await temporaryFolder(), await recordedHome()];
    await writeAgents(stateDir, { claude: stubEntry(stateDir) });
    const recorded = join(home, '.claude/projects/-work-uploader', `${RECORDED.claude}.jsonl`);
    const inFolder = async (folder: string) => {
      await writeFile(recorded, (await readFile(recorded, 'utf8')).replaceAll('/work/uploader', folder));
      const anHourAgo = Date.now() / 1_000 - 3_600;
      await utimes(recorded, anHourAgo, anHourAgo);
    };
    await inFolder('/work/uploader');
    const env = { ...process.env, HOME: home, XDG_DATA_HOME: undefined };
    const host = await pages.host({ stateDir, env, nativeSessions: true, agentSources: [new AcpAgents()] });
    const page = await pages.visit(host, { name: 'Tom' });
    const group = page.getByRole('region', { name: 'From your terminal' });
    await press(page, group.getByRole('button', { name: 'From your terminal', expanded: false }));
    // It is an hour old: those of the other agents are newer.
    await press(page, group.getByRole('button', { name: / older$/ }));
    await press(page, group.getByRole('button', { name: /Claude Code/ }));
    await press(page, page.getByRole('button', { name: 'Continue here' }));
    // Its folder is gone, which is said until the next try.
    await seen(page.getByRole('alert').filter({ hasText: '/work/uploader' }));
    await inFolder(home);
    await press(page, page.getByRole('button', { name: 'Continue here' }));
    await seen(composer(page));
    await command(page, 'Settings');
    const settings = page.getByRole('dialog', { name: 'Settings' });
    await press(page, settings.getByRole('button', { name: 'Activity' }));
    await seen(settings.getByRole('listitem').filter({ hasText: 'continued a conversation of a terminal' }).first());
    await page.keyboard.press('Escape');
    await gone(settings);
  });
});
