import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startTestHost, type TestHost, temporaryFolder } from '../support/testHost.js';
import { expectAccessible } from './axe.js';
import {
  composer,
  eventually,
  expectNoOverflow,
  gone,
  log,
  makeSession,
  PAGE_FOLDER,
  PATIENCE,
  seen,
  usePages,
} from './pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;
const START = { name: 'Start your first session' } as const;

const kept = (page: Page) =>
  page.evaluate(() => ({
    address: location.href,
    tab: JSON.stringify(sessionStorage),
    browser: JSON.stringify(localStorage),
    cookies: document.cookie,
  }));

/** The host's row says so when the link was exchanged and the page is connected. */
async function signedIn(page: Page): Promise<void> {
  await seen(page.locator('.host-row .meta').getByText('this machine', { exact: true }));
}

async function openFromPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await seen(page.getByRole('combobox', { name: 'Search sessions and commands' }));
  await page.keyboard.type('add a phone');
  await seen(page.getByRole('option', { name: 'Add a phone' }));
  await page.keyboard.press('Enter');
}

async function openDevices(page: Page) {
  await page.getByRole('button', { name: 'Settings' }).click();
  const dialog = page.getByRole('dialog', { name: 'Settings' });
  await dialog.getByRole('button', { name: 'Devices' }).click();
  await seen(dialog.getByRole('heading', { name: 'Devices' }));
  return dialog;
}

/** Opens the dialog with the code and reads its link. */
async function addPhone(page: Page): Promise<{ link: string; words: string }> {
  const dialog = page.getByRole('dialog', { name: 'Add a phone' });
  await seen(dialog.getByRole('img', { name: 'QR code of the link' }));
  const shown = (await dialog.locator('.lnk span').textContent()) ?? '';
  return {
    link: `http://${shown}`,
    words: ((await dialog.locator('.wrd').textContent()) ?? '').replace(/.*must show/, ''),
  };
}

async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env['AGENTHOST_PICTURES'];
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

describe('a browser', () => {
  it(
    'is remembered after its link was opened: over tabs, restarts of the host, until it is revoked',
    SLOW,
    async () => {
      const stateDir = await temporaryFolder();
      let host: TestHost = await pages.host({ stateDir });
      const page = await pages.visit(host);
      await seen(page.getByRole('heading', START));
      await signedIn(page);
      const stored = await kept(page);
      expect(JSON.stringify(stored)).not.toContain(host.token);
      expect(stored.cookies).toBe('');
      expect(stored.browser).toContain(`agenthost.token ${host.url.origin}`);

      const other = await page.context().newPage();
      await page.close();
      await other.goto(host.url.href);
      await seen(other.getByRole('heading', START));

      const { port } = host.url;
      await host.host.close();
      host = await startTestHost({ stateDir }, { pageFolder: PAGE_FOLDER, port: Number(port) });
      pages.cleanups.push(() => host.dispose());
      const third = await other.context().newPage();
      await third.goto(host.url.href);
      await seen(third.getByRole('heading', START));

      const owner = await host.connect();
      const [device] = (await owner.devices.list()).items;
      expect(device).toMatchObject({ name: 'Chrome on Linux', role: 'owner', isConnected: true });
      // Not the last owner, so that it may be revoked.
      await owner.devices.add({ name: 'another' });
      await owner.devices.remove(device?.id ?? '');
      for (const tab of [other, third]) await seen(tab.getByRole('heading', { name: /doesn't accept this token/ }));
      await third.reload();
      await seen(third.getByRole('heading', { name: /doesn't accept this token/ }));
      await seen(third.getByText('this device was revoked'));
    },
  );

  it(
    'without a token says where the link is; a wrong one is said in the dialog, and a pasted link works',
    SLOW,
    async () => {
      const host = await pages.host();
      const { hash } = await makeSession(host, ['hello']);
      const context = await pages.browser.newContext();
      pages.cleanups.push(() => context.close());
      const page = await context.newPage();
      await page.goto(host.url.href);
      await seen(page.getByRole('heading', { name: 'Open the link that agenthost printed' }));
      await expectAccessible(page);
      await takePicture(page, 'sign-in');
      const field = page.getByLabel('Or paste the link here');
      await field.fill('not-the-token');
      await page.keyboard.press('Enter');
      await seen(page.getByRole('alert').getByText(/doesn't accept this token/));
      await field.fill(host.url.href);
      await page.keyboard.press('Enter');
      await seen(page.getByRole('alert').getByText('The link has no token.'));
      await field.fill(`${host.url.href}#token=${host.token}`);
      await page.keyboard.press('Enter');
      await seen(page.getByRole('heading', { name: 'Pick a session, or start one' }));

      const third = await pages.browser.newContext();
      pages.cleanups.push(() => third.close());
      const paired = await third.newPage();
      await paired.goto(host.url.href);
      const { code } = await (await host.connect()).devices.createPairing({ role: 'viewer' });
      await paired.getByLabel('Or paste the link here').fill(`${host.url.href}#pair=${code}`);
      await paired.keyboard.press('Enter');
      await seen(paired.getByRole('button', { name: 'Connect' }));
      await seen(paired.getByText('Read all sessions on'));

      const second = await pages.browser.newContext();
      pages.cleanups.push(() => second.close());
      const elsewhere = await second.newPage();
      await elsewhere.goto(`${host.url.href}#${hash}`);
      await elsewhere.getByRole('alert').getByRole('button', { name: 'Paste the link' }).click();
      const dialog = elsewhere.getByRole('dialog', { name: /^Connect to/ });
      await dialog.getByLabel('Link or token').fill('wrong');
      await elsewhere.keyboard.press('Enter');
      await seen(dialog.getByRole('alert').getByText(/doesn't accept this token/));
      await dialog.getByLabel('Link or token').fill(host.token);
      await elsewhere.keyboard.press('Enter');
      await seen(log(elsewhere).getByText('Hello, world!'));
    },
  );

  it('that opens its link again stays one device, and an old link takes no access away', SLOW, async () => {
    const host = await pages.host();
    const page = await pages.visit(host);
    await signedIn(page);
    await page.goto('about:blank');
    await page.goto(`${host.url.href}#token=${host.token}`);
    await signedIn(page);
    await page.evaluate(() => {
      location.hash = '#token=old-and-wrong';
    });
    await eventually(() => page.url()).toBe(host.url.href);
    await signedIn(page);
    expect((await (await host.connect()).devices.list()).items.length).toBe(1);
  });

  it('is asked for the name of its user once', SLOW, async () => {
    const host = await pages.host();
    const page = await pages.visit(host, { asksName: true });
    const field = page.getByLabel('Your name, as others see it');
    await field.fill('Ada');
    await page.getByRole('button', { name: 'Save' }).click();
    await gone(field);
    await page.reload();
    await seen(page.getByRole('heading', START));
    expect(await field.count()).toBe(0);
    expect((await kept(page)).browser).toContain('userName\\":\\"Ada');
  });
});

describe.each(['light', 'dark'] as const)('a phone, %s', (colorScheme) => {
  it('is paired by the code that another browser shows, with its role and the same words', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['hello', 'confirm-tool']);
    const page = await pages.visit(host, { colorScheme, viewport: { width: 1440, height: 900 } });
    const settings = await openDevices(page);
    await seen(settings.getByText('This browser'));
    await settings.getByRole('button', { name: 'Add a phone' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a phone' });
    const { link, words } = await addPhone(page);
    await expectAccessible(page);
    await takePicture(page, `pair-${colorScheme}`);

    const phone = await pages.visit(host, { ...PHONE, colorScheme, address: link });
    await seen(phone.getByRole('heading', { name: /^Connect this browser to/ }));
    expect(await phone.locator('.words').textContent()).toBe(words);
    await phone.getByLabel('Your name, as others see it').fill('Mira Kovač');
    expect(await phone.getByLabel(/^Name of this/).inputValue()).toBe("Mira's Chrome on Linux");
    await phone.getByLabel(/^Name of this/).fill('Mira’s iPhone');
    await expectNoOverflow(phone, 'pair');
    await expectAccessible(phone);
    await takePicture(phone, `pair-phone-${colorScheme}`);
    await seen(dialog.getByText(/is connecting…$/));
    expect(phone.url()).toBe(host.url.href);
    await phone.getByRole('button', { name: 'Connect as Approver' }).click();
    await seen(phone.locator('.sidebar .row'));
    await gone(dialog);
    await seen(settings.getByText("Mira's iPhone"));
    await seen(settings.getByText(/^Mira Kovač, added/));
    await expectAccessible(page);
    await takePicture(page, `devices-${colorScheme}`);

    await phone.goto(`${host.url.href}#${hash}`);
    const ask = phone.getByRole('region', { name: 'Needs your answer' });
    await ask.getByRole('button', { name: 'Allow once' }).click();
    await gone(ask);
    expect(await composer(phone).count()).toBe(0);

    await settings.getByLabel("Role of Mira's iPhone").selectOption('driver');
    await seen(composer(phone));
    await settings.getByRole('button', { name: "Revoke Mira's iPhone" }).click();
    await page.getByRole('dialog', { name: "Revoke Mira's iPhone?" }).getByRole('button', { name: 'Revoke' }).click();
    await gone(settings.getByText("Mira's iPhone"));
    await seen(phone.getByText(/doesn't accept this token/));

    const again = await pages.visit(host, { ...PHONE, colorScheme, address: link });
    await seen(again.getByRole('alert').filter({ hasText: 'This code was used already' }));
    await expectAccessible(again);
    await again.getByRole('button', { name: 'Open the page' }).click();
    await seen(again.getByText('Open the link that agenthost printed'));
  });
});

describe('a code', () => {
  it('is made anew for another role, and ends with its dialog; all of it by keys alone', SLOW, async () => {
    const host = await pages.host();
    const page = await pages.visit(host);
    await seen(page.getByRole('heading', START));
    await openFromPalette(page);
    const dialog = page.getByRole('dialog', { name: 'Add a phone' });
    const first = await addPhone(page);
    await seen(dialog.getByText(/127\.0\.0\.1 is for this machine only/));
    await page.keyboard.press('3');
    await eventually(() => dialog.getByRole('radio', { name: /^Viewer/ }).isChecked()).toBe(true);
    await eventually(async () => (await addPhone(page)).link === first.link).toBe(false);
    const second = await addPhone(page);
    await page.keyboard.press('Escape');
    await gone(dialog);
    for (const { link } of [first, second]) {
      const phone = await pages.visit(host, { address: link });
      await seen(phone.getByRole('alert').filter({ hasText: 'This code has expired' }));
    }
  });

  it('that has expired is blurred, and another one can be made', SLOW, async () => {
    const host = await pages.host();
    const page = await pages.visit(host);
    await seen(page.getByRole('heading', START));
    const dialog = page.getByRole('dialog', { name: 'Add a phone' });
    await openFromPalette(page);
    const { link } = await addPhone(page);
    await page.evaluate(() => {
      const now = Date.now;
      Date.now = () => now() + 11 * 60_000;
    });
    await seen(dialog.getByRole('button', { name: 'Make a new code' }));
    await seen(dialog.locator('.qp.over'));
    await takePicture(page, 'pair-expired');
    await dialog.getByRole('button', { name: 'Make a new code' }).click();
    await seen(dialog.getByText('Expires in'));
    expect((await addPhone(page)).link).not.toBe(link);
  });

  it('of a host that went away says so', SLOW, async () => {
    const host = await pages.host();
    const { code } = await (await host.connect()).devices.createPairing({ role: 'viewer' });
    const page = await pages.visit(host, { address: `${host.url.href}#pair=${code}`, ...PHONE });
    await seen(page.getByRole('button', { name: 'Connect as Viewer' }));
    await host.host.close();
    await page.getByRole('button', { name: 'Connect as Viewer' }).click();
    await seen(page.getByRole('alert').filter({ hasText: "isn't answering. Same network?" }));
    await seen(page.getByRole('button', { name: 'Try again' }));
  });

  it('and the list of devices fit 360 pixels', SLOW, async () => {
    const host = await pages.host();
    await host.host.deviceTokens.add('A tablet with a rather long name in the kitchen', 'driver');
    const page = await pages.visit(host, PHONE);
    const settings = await openDevices(page);
    await seen(settings.getByText('This browser'));
    await expectNoOverflow(page, 'devices');
    await expectAccessible(page);
    await takePicture(page, 'devices-phone');
    await settings.getByRole('button', { name: 'Add a phone' }).click();
    await addPhone(page);
    await expectNoOverflow(page, 'pair');
    // What scrolls sideways inside itself is not noticed above.
    expect(await page.locator('dialog.dlg').evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    await expectAccessible(page);
    await takePicture(page, 'pair-360');
  });

  it('is not for a device that is no owner', SLOW, async () => {
    const host = await pages.host();
    const token = await host.host.deviceTokens.add('tablet', 'driver');
    const page = await pages.visit(host, { token });
    const dialog = await openDevices(page);
    await seen(dialog.getByText('Ask the owner of the host for a token with the role owner.'));
    expect(await dialog.getByRole('button', { name: 'Add a phone' }).count()).toBe(0);
  });
});
