import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packAll } from '../../../scripts/pack.ts';
import { gone, log, PATIENCE, seen, write } from '../../browser/pageWorld.js';
import { launchBrowser } from '../../support/browser/browser.js';
import { InstalledRegistry } from '../../support/installedRegistry.js';
import { temporaryFolder } from '../../support/testHost.js';

const run = promisify(execFile);
const LONG = 300_000;

/** The whole way of a newcomer: a folder with nothing in it, a home with nothing in it, and one command. */
describe('npx agenthost, from the packed packages', () => {
  let world: string;
  let registry: InstalledRegistry;
  let host: ChildProcess;
  let said = '';

  const env = () => ({
    // This Node, not the one of the system, which may be too old.
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: join(world, 'home'),
    LANG: 'C.UTF-8',
    npm_config_registry: registry.url,
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  });
  const npx = (...args: string[]) =>
    run('npx', ['--yes', 'agenthost', ...args], { cwd: join(world, 'empty'), env: env() });

  beforeAll(async () => {
    world = await temporaryFolder();
    await mkdir(join(world, 'empty'));
    await mkdir(join(world, 'home'));
    registry = await InstalledRegistry.start(packAll(join(world, 'packed')));
  }, LONG);
  afterAll(async () => {
    if (host?.exitCode === null) {
      const ended = once(host, 'exit');
      process.kill(-(host.pid ?? 0), 'SIGTERM');
      await ended;
    }
    await registry?.dispose();
    await rm(world, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }, LONG);

  it('installs, starts a host and prints its link', { timeout: LONG }, async () => {
    host = spawn('npx', ['--yes', 'agenthost', '--port', '0'], {
      cwd: join(world, 'empty'),
      env: env(),
      detached: true,
    });
    await new Promise<void>((resolve, reject) => {
      const hear = (chunk: unknown) => {
        said += String(chunk);
        if (/#token=\S+\s/.test(said)) resolve();
      };
      host.stdout?.on('data', hear);
      host.stderr?.on('data', hear);
      host.on('exit', () => reject(new Error(`it ended: ${said}`)));
    });
    expect(said).toMatch(/Open this link.*\n\n {2}http:\/\/127\.0\.0\.1:\d+\/#token=\S+\n/);
  });

  it('serves the page with its scripts', async () => {
    const link = new URL(/http:\S+/.exec(said)?.[0] ?? '');
    const page = await fetch(new URL('/', link));
    const html = await page.text();
    expect(html).toContain('<script');
    const script = /src="([^"]+\.js)"/.exec(html)?.[1] ?? '';
    const answer = await fetch(new URL(script, link));
    expect([script, answer.status, answer.headers.get('content-type')]).toEqual([
      script,
      200,
      expect.stringContaining('javascript'),
    ]);
  });

  it('leads two browsers to a first answer and to an answer from a phone, by what is shown alone', {
    timeout: LONG,
  }, async () => {
    const browser = await launchBrowser();
    try {
      const open = async (url: string, options: BrowserContextOptions = {}) => {
        const page = await (await browser.newContext(options)).newPage();
        page.setDefaultTimeout(PATIENCE);
        await page.goto(url);
        return page;
      };
      const began = performance.now();
      const laptop = await open(/http:\S+/.exec(said)?.[0] ?? '');
      await laptop.getByRole('button', { name: 'New session' }).first().click();
      await laptop.getByRole('radio', { name: /Shell/ }).click();
      await write(laptop, 'echo the $((40 + 2))nd');
      const asked = (page: Page) => page.getByRole('region', { name: 'Needs your answer' });
      await asked(laptop).getByRole('button', { name: 'Allow once' }).click();
      await seen(log(laptop).getByText('the 42nd', { exact: true }));
      const answered = performance.now();

      await laptop.keyboard.press('Control+k');
      await laptop.keyboard.type('add a phone');
      await laptop.getByRole('option', { name: 'Add a phone' }).click();
      const dialog = laptop.getByRole('dialog', { name: 'Add a phone' });
      await seen(dialog.getByRole('img', { name: 'QR code of the link' }));
      const link = `http://${await dialog.locator('.lnk span').textContent()}`;
      const phone = await open(link, { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
      await phone.getByRole('button', { name: 'Connect as Approver' }).click();
      await gone(dialog);
      await write(laptop, 'echo from the $((1 + 1))nd device');
      await phone.locator('.sidebar .row').first().click();
      await asked(phone).getByRole('button', { name: 'Allow once' }).click();
      for (const page of [laptop, phone]) await seen(log(page).getByText('from the 2nd device', { exact: true }));
      const seconds = (from: number, to: number) => ((to - from) / 1_000).toFixed(1);
      console.info(
        `first answer ${seconds(began, answered)} s after the link, an answer from the phone ${seconds(answered, performance.now())} s later`,
      );
    } finally {
      await browser.close();
    }
  });

  it('runs a first command through the shell agent', { timeout: LONG }, async () => {
    const { stdout } = await npx('send', '--new', '--agent', 'shell', '--approve', 'all', 'echo first answer');
    expect(stdout).toContain('first answer');
    expect(JSON.parse((await npx('ls', '--json')).stdout)).toMatchObject({ total: 2 });
  });

  it('says where the host runs when it is started again, and leaves nothing in the folder', {
    timeout: LONG,
  }, async () => {
    expect((await npx()).stdout).toMatch(/^A host runs at http:\/\/127\.0\.0\.1:\d+\.\n/);
    expect(await readdir(join(world, 'empty'))).toEqual([]);
  });

  it('refuses to become a service from the cache of npx, which npm may clean', { timeout: LONG }, async () => {
    const failed = await npx('service', 'install', '--dry-run').catch(
      (error: { stderr: string; code: number }) => error,
    );
    expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining('npm install --global agenthost') });
  });
});
