import { MockAgent } from '@agenthost/host';
import { startTcpProxy } from '../../tcpProxy.ts';
import { enter, newFolder, type Stage, sessionWith, startStageHost } from './stage.ts';

/** A host that goes away, a host that does not let the page in, and one without a session. */
export async function awayStage(): Promise<Stage> {
  const proxy = await startTcpProxy();
  const [root, strangersRoot, emptyRoot] = [await newFolder(), await newFolder(), await newFolder()];
  const options = (home: string) => ({ agents: [new MockAgent()], env: { ...process.env, HOME: home } });
  const host = await startStageHost(root, options(root), { publicUrl: proxy.url });
  const stranger = await startStageHost(strangersRoot, options(strangersRoot));
  const empty = await startStageHost(emptyRoot, options(emptyRoot));
  proxy.forwardTo(host.url);
  const { uri } = await sessionWith(host.mira, 'mock', 'Explain the pricing rules', ['hello']);
  const reached = { url: proxy.url, token: host.token };
  const cut = () => {
    proxy.allow(false);
    proxy.cut();
  };
  return {
    screens: [
      {
        name: 'first-run',
        open: async (page) => {
          await enter(page, empty);
          await page.getByRole('heading', { name: 'Start your first session' }).waitFor();
        },
      },
      {
        name: 'ask-name',
        open: async (page) => {
          await enter(page, empty);
          await page.evaluate(() => localStorage.removeItem('agenthost.settings'));
          await page.reload();
          await page.getByLabel('Your name, as others see it').waitFor();
        },
      },
      {
        name: 'host-away',
        open: async (page) => {
          proxy.allow(true);
          await enter(page, reached, uri);
          await page.locator('.thread .turn').first().waitFor();
          await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
          cut();
          await page.locator('.banner').waitFor();
        },
      },
      {
        name: 'kept-message',
        open: async (page) => {
          proxy.allow(true);
          await enter(page, reached, uri);
          await page.locator('.thread .turn').first().waitFor();
          cut();
          await page.locator('.banner').waitFor();
          await page.locator('[data-composer]').fill('Write this down when you are back');
          await page.keyboard.press('Enter');
          await page.getByText(/^Kept on this device/).waitFor();
          await page.evaluate(() => localStorage.removeItem('agenthost.sessions.unsent'));
        },
      },
      {
        name: 'offline',
        open: async (page) => {
          proxy.allow(true);
          await enter(page, reached);
          await page.locator('.sidebar .row').first().waitFor();
          await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
          cut();
          await page.reload();
          await page.getByRole('heading', { name: /^Waiting for / }).waitFor();
        },
      },
      {
        name: 'add-host',
        open: async (page) => {
          proxy.allow(true);
          await enter(page, reached);
          await page.getByRole('button', { name: 'Add a host' }).click();
          await page.getByRole('dialog').getByRole('textbox').fill('nonsense');
          await page.keyboard.press('Enter');
          await page.getByText(/This is not a link/).waitFor();
        },
      },
      {
        name: 'host-refused',
        open: async (page) => {
          proxy.allow(true);
          await enter(page, reached);
          if ((await page.locator('.host-row').count()) === 1) {
            await page.getByRole('button', { name: 'Add a host' }).click();
            await page.getByRole('dialog').getByRole('textbox').fill(`${stranger.url.origin}/#token=${stranger.token}`);
            await page.keyboard.press('Enter');
          }
          await page.locator('.refused').waitFor();
        },
      },
      {
        name: 'host-refused-dialog',
        open: async (page) => {
          await enter(page, reached);
          await page.locator('.refused').waitFor();
          await page.locator('.host-row').nth(1).click();
          await page.getByRole('button', { name: 'Remove from this page' }).waitFor();
        },
      },
    ],
    async dispose() {
      await Promise.all([host.dispose(), stranger.dispose(), empty.dispose()]);
      await proxy.close();
    },
  };
}
