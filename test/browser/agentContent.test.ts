import { rm } from 'node:fs/promises';
import { AcpAgents } from '@agenthost/host';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { stubEntry, stubSession, writeAgents } from '../support/agents/stubAgent.js';
import { png, wav } from '../support/samples.js';
import { say } from '../support/say.js';
import { temporaryFolder } from '../support/testHost.js';
import { hashOf, makeSession, PATIENCE, usePages } from './pageWorld.js';

const SLOW = { timeout: 4 * PATIENCE };
const pages = usePages();

const log = (page: Page) => page.getByRole('log');
const widthOf = (page: Page, name: string | RegExp) =>
  log(page)
    .getByRole('img', { name })
    .evaluate((image) => (image as HTMLImageElement).naturalWidth);

/** What axe finds wrong with the conversation, or with the dialog above it. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: loaded } = window as unknown as { axe: typeof axe };
    const { violations: found } = await loaded.run(document.querySelector('dialog[open]') ?? '[role=log]');
    return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
  });
}

describe('bytes of an agent', () => {
  it(
    'show an image in the answer and in a tool result, with its size; it can be enlarged and saved',
    SLOW,
    async () => {
      const host = await pages.host();
      const { hash } = await makeSession(host, ['image', 'image tool']);
      const page = await pages.visit(host, { hash });
      await log(page).getByText('Look at it.').waitFor();
      const inAnswer = log(page).getByRole('img', { name: 'Image from Mock' });
      const inResult = log(page).getByRole('img', { name: 'Made a picture' });
      for (const image of [inAnswer, inResult]) await image.waitFor();
      await expect.poll(() => widthOf(page, 'Image from Mock'), { timeout: PATIENCE }).toBe(320);
      expect(
        await log(page)
          .getByText(/^PNG image, \d/)
          .count(),
      ).toBe(2);

      expect(await violations(page)).toEqual([]);
      await page.getByRole('button', { name: 'Enlarge: Image from Mock' }).click();
      const dialog = page.getByRole('dialog', { name: 'Image from Mock' });
      await dialog.getByRole('img').waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), { timeout: PATIENCE })
        .toBe('Enlarge: Image from Mock');

      await page.getByRole('button', { name: 'Session actions' }).click();
      await page.getByRole('menuitem', { name: 'Files' }).click();
      const files = page.getByRole('dialog', { name: 'Files' });
      await files.getByRole('button', { name: /^agent-/ }).click();
      await files.getByRole('img', { name: /^agent-.*\.png$/ }).waitFor();
      await page.keyboard.press('Escape');

      const saving = page.waitForEvent('download');
      await log(page).getByRole('button', { name: 'Save: Made a picture' }).click();
      expect((await saving).suggestedFilename()).toMatch(/^agent-[0-9a-f]{64}\.png$/);
    },
  );

  it('show a player for audio', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['audio']);
    const page = await pages.visit(host, { hash });
    const player = log(page).locator('audio');
    await player.waitFor();
    expect(await player.getAttribute('aria-label')).toBe('Audio from Mock');
    await expect
      .poll(() => player.evaluate((audio) => (audio as HTMLAudioElement).duration), { timeout: PATIENCE })
      .toBeCloseTo(0.5, 1);
    await log(page)
      .getByText(/^WAV audio, 4/)
      .waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('never show executable content as an image, and broken content can still be saved', SLOW, async () => {
    const stateDir = await temporaryFolder();
    pages.cleanups.push(() => rm(stateDir, { recursive: true, force: true, maxRetries: 5 }));
    await writeAgents(stateDir, { stub: stubEntry(stateDir) });
    const host = await pages.host({ stateDir, agentSources: [new AcpAgents()] });
    const session = await stubSession(await host.connect());
    const hit = '<svg xmlns="http://www.w3.org/2000/svg" onload="parent.hit=1"><script>parent.hit=1</script></svg>';
    const block = (bytes: Uint8Array, mimeType: string, type = 'image') => ({
      type,
      mimeType,
      data: Buffer.from(bytes).toString('base64'),
    });
    const blocks = [
      block(Buffer.from(hit), 'image/svg+xml'),
      block(Buffer.from('<html><script>parent.hit=1</script>'), 'image/png'),
      block(Buffer.concat([png().subarray(0, 20), Buffer.from('<script>hit=1</script>')]), 'image/png'),
      block(wav().subarray(0, 30), 'audio/wav', 'audio'),
      block(png(), 'text/html'),
    ];
    await say(session, `say-blocks ${JSON.stringify(blocks)}`);
    const page = await pages.visit(host, { hash: hashOf(session.uri) });
    await log(page).getByText('After.').waitFor();
    // The last one is what its bytes are, the third one only begins like an image.
    await expect
      .poll(() => log(page).getByRole('img', { name: 'Image from Stub' }).count(), { timeout: PATIENCE })
      .toBe(1);
    await log(page)
      .getByText(/The image can't be shown/)
      .waitFor();
    await expect.poll(() => log(page).getByRole('button', { name: /^Save/ }).count(), { timeout: PATIENCE }).toBe(5);
    expect(await page.evaluate(() => 'hit' in window)).toBe(false);
    expect(await page.locator('iframe, object, embed').count()).toBe(0);
  });
});
