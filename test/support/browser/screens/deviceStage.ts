import { MockAgent } from '@agenthost/host';
import type { Page } from 'playwright-core';
import {
  chooseFromMenu,
  enter,
  newFolder,
  openSettings,
  type Stage,
  type StagedScreen,
  type StageHost,
  sessionWith,
  startStageHost,
} from './stage.ts';

const LATER = 11 * 60_000;

/** Who is let in: pairing, devices, roles, links that others may read, notifications. */
export async function deviceStage(): Promise<Stage> {
  const root = await newFolder();
  const host = await startStageHost(root, { agents: [new MockAgent()], env: { ...process.env, HOME: root } });
  const { uri } = await sessionWith(host.mira, 'mock', 'Explain the pricing rules', ['hello', 'confirm-tool']);
  const tokens = host.host.deviceTokens;
  await tokens.addNumbered({ name: "Mira's iPhone", role: 'approver', user: 'Mira Kovač' });
  await tokens.add('A tablet with a rather long name in the kitchen', 'viewer');
  await tokens.add('Office', 'driver');
  const roles = { approver: await tokens.add('Watch', 'approver'), viewer: await tokens.add('Screen', 'viewer') };
  await host.mira.devices.share({ session: uri, validMs: 7 * 24 * 3_600_000 });
  return { screens: screens(host, uri, roles), dispose: () => host.dispose() };
}

function screens(
  host: StageHost,
  uri: string,
  roles: { readonly approver: string; readonly viewer: string },
): readonly StagedScreen[] {
  const { mira } = host;
  const devices = async (page: Page) => {
    await enter(page, host);
    await openSettings(page, 'Devices');
    await page.locator('.setp .dr').nth(3).waitFor();
  };
  const pair = async (page: Page) => {
    await devices(page);
    await page.getByRole('button', { name: 'Add a phone' }).click();
    await page.getByRole('img', { name: 'QR code of the link' }).waitFor();
  };
  /** As a browser that knows nothing. */
  const asNew = async (page: Page, hash: string) => {
    await page.goto('about:blank');
    await page.goto(`${host.url.origin}/favicon.svg`);
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await page.goto(`${host.url.origin}/${hash}`);
    await page.evaluate(() => document.fonts.ready);
  };
  const join = async (page: Page) => {
    const { code } = await mira.devices.createPairing({ role: 'approver' });
    await asNew(page, `#pair=${code}`);
    await page.getByRole('button', { name: 'Connect as Approver' }).waitFor();
    await page.getByLabel('Your name, as others see it').fill('Ada Lovelace');
    return code;
  };
  const shared = async (page: Page) => {
    const { token } = await mira.devices.share({ session: uri, validMs: 24 * 3_600_000 });
    await asNew(page, `#share=${token}`);
    await page.getByRole('note').getByText('Read-only link.').first().waitFor();
    await page.locator('.thread .turn').first().waitFor();
  };
  const asRole = async (page: Page, token: string) => {
    await asNew(page, '');
    await enter(page, { url: host.url, token }, uri);
    await page.locator('.thread .turn').first().waitFor();
  };
  return [
    { name: 'devices', open: devices },
    {
      name: 'devices-revoke',
      open: async (page) => {
        await devices(page);
        await page.getByRole('button', { name: 'Revoke Office' }).click();
        await page.getByRole('dialog', { name: 'Revoke Office?' }).waitFor();
      },
    },
    {
      name: 'activity',
      open: async (page) => {
        await enter(page, host);
        await openSettings(page, 'Activity');
        await page.locator('.setp .dr').first().waitFor();
      },
    },
    { name: 'pair', open: pair },
    {
      name: 'pair-expired',
      open: async (page) => {
        await pair(page);
        await page.evaluate((later) => {
          const now = Date.now;
          Date.now = () => now() + later;
        }, LATER);
        await page.getByRole('button', { name: 'Make a new code' }).waitFor();
      },
    },
    {
      name: 'share',
      open: async (page) => {
        await enter(page, host, uri);
        await page.locator('.thread .turn').first().waitFor();
        await chooseFromMenu(page, 'Share a read-only link…');
      },
    },
    {
      name: 'share-link',
      open: async (page) => {
        await enter(page, host, uri);
        await page.locator('.thread .turn').first().waitFor();
        await chooseFromMenu(page, 'Share a read-only link…');
        await page.getByRole('button', { name: 'Make the link' }).click();
        await page.getByRole('img', { name: 'QR code of the link' }).waitFor();
      },
    },
    { name: 'sign-in', open: (page) => asNew(page, '') },
    {
      name: 'sign-in-refused',
      open: async (page) => {
        await asNew(page, '');
        await page.getByLabel('Or paste the link here').fill('not-the-token');
        await page.keyboard.press('Enter');
        await page
          .getByRole('alert')
          .getByText(/doesn't accept this token/)
          .waitFor();
      },
    },
    { name: 'pair-phone', open: join },
    {
      name: 'pair-phone-used',
      open: async (page) => {
        const code = await join(page);
        await page.getByRole('button', { name: 'Connect as Approver' }).click();
        await page.locator('.sidebar .row').first().waitFor();
        await asNew(page, `#pair=${code}`);
        await page.getByText('This code was used already').waitFor();
        const { items } = await mira.devices.list();
        for (const { id, user } of items) if (user === 'Ada Lovelace') await mira.devices.remove(id);
      },
    },
    {
      name: 'pair-phone-expired',
      open: async (page) => {
        await asNew(page, `#pair=${'x'.repeat(22)}`);
        await page.getByRole('alert').waitFor();
      },
    },
    {
      name: 'paired',
      open: async (page) => {
        await join(page);
        await page.getByRole('button', { name: 'Connect as Approver' }).click();
        await page.locator('.sidebar .row').first().waitFor();
        const { items } = await mira.devices.list();
        for (const { id, user, isConnected } of items)
          if (user === 'Ada Lovelace' && !isConnected) await mira.devices.remove(id);
      },
    },
    { name: 'approver', open: (page) => asRole(page, roles.approver) },
    { name: 'viewer', open: (page) => asRole(page, roles.viewer) },
    {
      name: 'activity-refused',
      open: async (page) => {
        await asRole(page, roles.approver);
        if ((page.viewportSize()?.width ?? 0) < 720)
          await page.getByRole('button', { name: 'Back to sessions' }).click();
        await openSettings(page, 'Activity');
      },
    },
    { name: 'shared-page', open: shared },
    {
      name: 'shared-page-ended',
      open: async (page) => {
        await asNew(page, `#share=${'x'.repeat(43)}`);
        await page.getByText('This link no longer works').waitFor();
      },
    },
    {
      name: 'push-refused',
      open: async (page) => {
        await asNew(page, '');
        await enter(page, host);
        await openSettings(page);
        await page.getByRole('button', { name: 'Needs input', exact: true }).click();
        await page.getByRole('alert').waitFor();
      },
    },
    {
      name: 'push-page-only',
      open: async (page) => {
        // A browser without a window never allows them, and reaches no push service.
        await page.addInitScript(() => Object.defineProperty(Notification, 'permission', { get: () => 'granted' }));
        await enter(page, host);
        await openSettings(page);
        await page.getByRole('button', { name: 'Needs input', exact: true }).click();
        await page.getByText(/^Only while this page is open/).waitFor();
      },
    },
  ];
}
