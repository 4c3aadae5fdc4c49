import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../support/browser/browser.js';
import { LanNamespace } from '../support/lanNamespace.js';
import { temporaryFolder } from '../support/testHost.js';
import { composer, log, PATIENCE, seen, write } from './pageWorld.js';

const CLI = join(import.meta.dirname, '../../apps/cli/dist/main.js');
const ADDRESS = '192.168.78.5';
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;
const lan = process.platform === 'linux' ? await LanNamespace.open(ADDRESS) : undefined;
afterAll(() => lan?.dispose());

// 2026-11-18: needs a network namespace with an interface of its own (Linux, unshare and ip); a container may forbid it.
describe.skipIf(lan === undefined)('a phone on the network of serve --lan', () => {
  let folder: string;
  let host: ChildProcess;
  let browser: Browser;
  let listening: { link: string; pairing: { link: string; words: string } };

  beforeAll(async () => {
    folder = await temporaryFolder();
    const env = { PATH: process.env['PATH'], LANG: 'C.UTF-8', HOME: folder, AGENTHOST_HOME: join(folder, 'state') };
    const serve = [process.execPath, CLI, 'serve', '--lan', '--json', '--port', '0', '--enable-mock-agent'];
    const [program, args] = lan?.wrap(...serve) ?? ['', []];
    host = spawn(program, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
    if (!host.stdout) throw new Error('no output');
    const [line] = (await once(createInterface({ input: host.stdout }), 'line')) as [string];
    listening = JSON.parse(line) as typeof listening;
    browser = await launchBrowser([], async (executable) => {
      const [enter, words] = lan?.wrap(executable) ?? ['', []];
      const script = join(folder, 'browser.sh');
      await writeFile(script, `#!/bin/sh\nexec ${[enter, ...words].map((word) => `'${word}'`).join(' ')} "$@"\n`);
      await chmod(script, 0o755);
      return script;
    });
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    const ended = once(host, 'exit');
    host.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });

  /** The certificate is not trusted there: the user has gone on after the warning. */
  const visit = async (address: string, options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    await page.goto(address);
    return page;
  };

  it('is let in by the printed code as an approver, once, and sees what the laptop does', {
    timeout: 6 * PATIENCE,
  }, async () => {
    const laptop = await visit(listening.link);
    await seen(laptop.getByRole('heading', { name: 'Start your first session' }));
    const phone = await visit(listening.pairing.link, PHONE);
    await seen(phone.getByText(listening.pairing.words));
    await phone.getByRole('textbox', { name: 'Your name' }).fill('Mira');
    await phone.getByRole('button', { name: 'Connect' }).click();
    await seen(phone.locator('.sidebar'));

    const second = await visit(listening.pairing.link, PHONE);
    await seen(second.getByText('This code was used already'));

    await laptop.getByRole('button', { name: 'Settings' }).click();
    const settings = laptop.getByRole('dialog', { name: 'Settings' });
    await settings.getByRole('button', { name: 'Devices' }).click();
    const row = settings.locator('.dr').filter({ hasText: 'Mira' });
    await seen(row);
    expect(await row.getByRole('combobox').inputValue()).toBe('approver');
    await laptop.keyboard.press('Escape');

    await laptop.goto(`${new URL(listening.link).origin}/#new=mock`);
    await write(laptop, 'say hello');
    await seen(log(laptop).getByText('You said: say hello'));
    await phone.locator('.row').filter({ hasText: 'say hello' }).first().click();
    await seen(log(phone).getByText('You said: say hello'));
    expect(await composer(phone).count()).toBe(0);
  });
});
