import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AgentSession, MockAgent, type OpenSessionOptions, ShellAgent } from '@agenthost/host';
import { describe, it } from 'vitest';
import { eventually, gone, log, makeSession, PATIENCE, row, seen, usePages, write } from './pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };

/** Opens its sessions when the test says so. */
class HeldAgent extends MockAgent {
  readonly release = Promise.withResolvers<void>();

  override async openSession(options: OpenSessionOptions): Promise<AgentSession> {
    await this.release.promise;
    return super.openSession(options);
  }
}

describe('the page shows', () => {
  it("the mode of a session's agent", SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['mode plan Planning']);
    const page = await pages.visit(host, { hash });
    await seen(page.locator('.head .sub', { hasText: 'Mock, Planning' }));
    await write(page, 'mode none');
    await gone(page.locator('.head .sub', { hasText: 'Planning' }));
  });

  it('that the host will ask for trust, until it has, also before the first message', SLOW, async () => {
    const host = await pages.host();
    const folder = join(host.stateDir, 'project');
    await mkdir(folder);
    await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { tools: { command: 'true' } } }));
    const { hash } = await makeSession(host, ['hello'], { folder: pathToFileURL(folder).href });
    const page = await pages.visit(host, { hash });
    await seen(page.locator('.head').getByText('Not trusted'));
    // The form begins with the folder that was used last.
    await page.getByRole('button', { name: 'New session', exact: true }).first().click();
    await seen(page.getByText('Mock will ask whether you trust this folder.'));
    await page.getByRole('radio', { name: /^Shell/ }).click();
    await gone(page.getByText('will ask whether you trust this folder.'));
    await page.goBack();
    await page.getByRole('button', { name: /^Trust this folder/ }).click();
    await seen(log(page).getByText('Hello, world!'));
    await gone(page.locator('.head').getByText('Not trusted'));
  });

  it('that a session is starting, while another client creates it', SLOW, async () => {
    const agent = new HeldAgent();
    const host = await pages.host({ agents: [agent] });
    const page = await pages.visit(host);
    await seen(page.getByText('Ready'));
    const client = await host.connect({ clientInfo: { name: 'Script' } });
    const session = await client.createSession({ provider: 'mock' });
    await seen(row(page, 'Starting'));
    agent.release.resolve();
    await session.ready();
    await seen(row(page, 'Not started'));
  });
});

describe('the page offers', () => {
  it('commands for the open session, in the palette', SLOW, async () => {
    const host = await pages.host();
    await makeSession(host, ['title first']);
    const page = await pages.visit(host);
    const commands = async (text: string) => {
      await page.locator('body').press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill(`>${text}`);
    };
    await seen(row(page, 'first'));
    await commands('session');
    await seen(page.getByRole('option', { name: /^New session/ }));
    await eventually(() => page.getByRole('option', { name: 'Archive this session' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await row(page, 'first').click();
    await seen(log(page).getByText('The title is now'));
    await commands('this session');
    await page.getByRole('option', { name: 'Archive this session' }).click();
    await gone(row(page, 'first'));
    await commands('this session');
    await page.getByRole('option', { name: 'Unarchive this session' }).click();
    await seen(row(page, 'first'));
  });

  it('a new session with the chosen agent, or that of the last session', SLOW, async () => {
    const host = await pages.host({ agents: [new MockAgent(), new ShellAgent()] });
    const { hash } = await makeSession(host, ['echo hi'], { provider: 'shell' });
    const page = await pages.visit(host, { hash });
    await seen(log(page).getByText('echo hi'));
    await page.getByRole('button', { name: 'New session', exact: true }).first().click();
    await seen(page.getByRole('radio', { name: /^Shell/, checked: true }));
    await page.goBack();
    await page.getByRole('button', { name: 'Agent: Shell' }).click();
    await page.getByRole('menuitemradio', { name: 'New session with Mock' }).click();
    await seen(page.getByRole('radio', { name: /^Mock/, checked: true }));
  });
});
