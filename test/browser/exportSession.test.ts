import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { until } from '../support/until.js';
import { expectAccessible } from './axe.js';
import { expectNoOverflow, hashOf, makeSession, PATIENCE, seen, usePages } from './pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };
const CLI = join(import.meta.dirname, '../../apps/cli/dist/main.js');

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Export the session' });

async function openDialog(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Session actions' }).click();
  await page.getByRole('menuitem', { name: 'Export…' }).click();
  await seen(dialog(page));
}

async function download(page: Page, format: 'Markdown' | 'JSON'): Promise<{ name: string; text: string }> {
  await dialog(page).getByRole('radio', { name: format }).check();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    dialog(page).getByRole('button', { name: 'Export', exact: true }).click(),
  ]);
  await seen(dialog(page).getByText('Saved as'));
  await dialog(page).getByRole('button', { name: 'Done' }).click();
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

/** Only the time of the export differs. */
const withoutTime = (text: string) => text.replace(/"exportedAt":"[^"]+"/, '');

describe('export', () => {
  it('saves the bytes that the command writes, also of a fork, with a safe name', SLOW, async () => {
    const host = await pages.host();
    const { uri: made } = await makeSession(host, ['tool', 'image', 'bye']);
    const client = await host.connect();
    const session = await client.openSession(made);
    await until(session.confirmed, ({ turns }) => turns.length === 3, 'the turns');
    await session.rename('../../etc/\u202epasswd: a "title"');
    const fork = await client.forkSession({ source: made });
    for (const uri of [made, fork.uri]) {
      const page = await pages.visit(host, { hash: hashOf(uri), acceptDownloads: true });
      for (const [format, ending] of [
        ['Markdown', 'md'],
        ['JSON', 'json'],
      ] as const) {
        await openDialog(page);
        const { name, text } = await download(page, format);
        expect(name).toMatch(/^[\p{L}\p{N}_-]+\.(md|json)$/u);
        const args = [CLI, 'export', uri, '--format', ending];
        const env = { PATH: process.env['PATH'] ?? '', AGENTHOST_HOME: host.stateDir };
        const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 64 * 1024 * 1024 });
        expect(withoutTime(text)).toBe(withoutTime(stdout));
        expect(text.length).toBeGreaterThan(100);
      }
    }
  });

  it(
    'is in the palette, can be stopped, and goes on after a cut, and says when the session is gone',
    SLOW,
    async () => {
      const { host, proxy } = await pages.hostBehindProxy();
      const { uri, hash } = await makeSession(host, ['hello']);
      const page = await pages.visit(host, {
        hash,
        url: proxy.url,
        viewport: { width: 360, height: 740 },
        reducedMotion: 'reduce',
      });
      await openDialog(page);
      await expectAccessible(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      await expectAccessible(page);
      await expectNoOverflow(page, 'the export');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('Export this');
      await page.keyboard.press('Enter');
      await seen(dialog(page));
      // The request is on its way when the user stops it.
      proxy.swallowAnswers();
      await dialog(page).getByRole('button', { name: 'Export', exact: true }).click();
      await seen(dialog(page).getByRole('progressbar'));
      await expectAccessible(page);
      await dialog(page).getByRole('button', { name: 'Cancel' }).click();
      await seen(dialog(page).getByRole('radio', { name: 'JSON' }));
      await dialog(page).getByRole('button', { name: 'Export', exact: true }).click();
      await seen(dialog(page).getByRole('progressbar'));
      // It goes on when the connection is back.
      proxy.cut();
      await seen(dialog(page).getByText('Saved as'));
      await dialog(page).getByRole('button', { name: 'Done' }).click();
      await openDialog(page);
      proxy.swallowAnswers();
      await dialog(page).getByRole('button', { name: 'Export', exact: true }).click();
      await seen(dialog(page).getByRole('progressbar'));
      await (await host.connect()).disposeSession(uri);
      proxy.cut();
      await seen(dialog(page).getByText('Nothing was saved.'));
      expect(await dialog(page).getByText('Saved as').count()).toBe(0);
    },
  );
});
