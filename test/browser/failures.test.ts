import { join } from 'node:path';
import { AcpAgents, CopilotAgent, MockAgent, ShellAgent } from '@agenthost/host';
import { parseSessionUri, type UnavailableAgent } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { FaultPlan } from '../faults/support/faultPlan.js';
import { FaultyLocalStorage } from '../faults/support/faultyLocal.js';
import { FlakyStorage } from '../support/storage/flakyStorage.js';
import { temporaryFolder } from '../support/testHost.js';
import {
  composer,
  eventually,
  gone,
  hashOf,
  log,
  makeSession,
  PATIENCE,
  row,
  seen,
  usePages,
  write,
} from './pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };

/** A fake, because an agent that is not installed can't be had otherwise. */
class AbsentAgent extends MockAgent {
  override readonly descriptor = {
    provider: 'gemini',
    displayName: 'Gemini',
    description: 'Not here.',
    supportsMultipleChats: false,
  };
  override availability(): Promise<never> {
    const absent: UnavailableAgent = {
      state: 'unavailable',
      reason: 'Gemini is not installed.',
      howToFix: 'Run `agenthost agents add gemini` on this machine.',
    };
    return Promise.resolve(absent as never);
  }
}

describe('a failure is a sentence with what to do, and no typed text is lost', () => {
  it('a wrong token, until a current one is pasted', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['hello']);
    const page = await pages.visit(host, { hash, token: 'not-the-token' });
    const banner = page.getByRole('alert').filter({ hasText: "doesn't accept this token" });
    await seen(banner);
    await seen(banner.getByText('agenthost token show'));
    await banner.getByRole('button', { name: 'Paste the link' }).click();
    const dialog = page.getByRole('dialog', { name: /^Connect to/ });
    await dialog.getByLabel('Link or token').fill(host.token);
    await page.keyboard.press('Enter');
    await seen(log(page).getByText('Hello, world!'));
    await gone(banner);
    await page.reload();
    await seen(log(page).getByText('Hello, world!'));
  });

  it('[REC3] a session whose files can not be read for a while', SLOW, async () => {
    const stateDir = await temporaryFolder();
    const storage = new FlakyStorage(stateDir);
    const { host, proxy } = await pages.hostBehindProxy({ stateDir, storage, sessionIdleMs: 20 });
    const { hash, uri } = await makeSession(host, ['hello']);
    const page = await pages.visit(host, { hash, url: proxy.url });
    await seen(log(page).getByText('Hello, world!'));
    proxy.allow(false);
    proxy.cut();
    const id = parseSessionUri(uri)?.sessionId ?? '';
    await storage.unloaded(id);
    storage.failing.set(id, 'EIO');
    proxy.allow(true);
    const banner = page.getByRole('status').filter({ hasText: "can't load this session right now" });
    await seen(banner.getByText('EIO: a hiccup'));
    await seen(log(page).getByText('Hello, world!'));
    await write(page, 'reasoning');
    await seen(log(page).getByText('reasoning'));
    storage.failing.clear();
    // Unless it has just tried again by itself.
    await banner
      .getByRole('button', { name: 'Try now' })
      .click({ timeout: 3_000 })
      .catch(() => {});
    await gone(banner);
    await seen(log(page).getByText('The answer is 42.'));
  });

  it('a token that is rotated while the user types', SLOW, async () => {
    const { host, proxy } = await pages.hostBehindProxy();
    const { hash } = await makeSession(host, ['hello']);
    const page = await pages.visit(host, { hash, url: proxy.url });
    await seen(log(page).getByText('Hello, world!'));
    await composer(page).fill('half a thought');
    await page.evaluate(() => localStorage.setItem(`agenthost.token ${location.origin}`, 'old'));
    await page.reload();
    await seen(page.getByText(/doesn't accept this token/));
    await page.getByRole('button', { name: 'Paste the link' }).click();
    await page.getByRole('dialog').getByLabel('Link or token').fill(host.token);
    await page.keyboard.press('Enter');
    await seen(log(page).getByText('Hello, world!'));
    expect(await composer(page).inputValue()).toBe('half a thought');
  });

  it('a session that another client deletes', SLOW, async () => {
    const host = await pages.host();
    const { hash, uri } = await makeSession(host, ['hello']);
    const page = await pages.visit(host, { hash });
    await seen(log(page).getByText('Hello, world!'));
    await composer(page).fill('my long answer');
    const client = await host.connect();
    await client.disposeSession(uri);
    await seen(page.getByText('This session was deleted.'));
    await seen(log(page).getByText('Hello, world!'));
    expect(await composer(page).inputValue()).toBe('my long answer');
    await composer(page).press('Enter');
    await seen(page.locator('.composer').getByRole('alert'));
    expect(await composer(page).inputValue()).toBe('my long answer');
  });

  it('a session whose creation failed says why, shows its messages, and accepts no more', SLOW, async () => {
    const host = await pages.host();
    const client = await host.connect();
    const config = { creationDelayMs: 200, failCreation: 'There is no licence.' };
    const session = await client.createSession({ provider: 'mock', config });
    await session.queue('Fix the parser');
    const page = await pages.visit(host, { hash: hashOf(session.uri) });
    const banner = page.getByRole('alert').filter({ hasText: 'This session could not be created.' });
    await seen(banner.getByText('There is no licence.'));
    await seen(log(page).getByText('Fix the parser'));
    await seen(log(page).getByText(/stopped: There is no licence\./));
    expect(await log(page).getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await seen(row(page, 'Fix the parser'));
    await write(page, 'And test it');
    await seen(page.locator('.composer').getByText(/session could not be created: There is no licence\./));
    expect(await composer(page).inputValue()).toBe('And test it');
  });

  it('an address of an unknown session', SLOW, async () => {
    const host = await pages.host();
    const page = await pages.visit(host, { hash: hashOf('mock:/nowhere') });
    await seen(page.getByRole('heading', { name: 'There is no such session' }));
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await seen(page.getByRole('heading', { name: 'Start your first session' }));
    const other = await pages.visit(host, { hash: hashOf('mock:/nowhere', 'agenthost-elsewhere') });
    await seen(other.getByText(/on a host that this page doesn't know/));
    const nonsense = await pages.visit(host, { hash: 'session=nonsense' });
    await seen(nonsense.getByRole('heading', { name: /no such session|Start your first session/ }));
  });

  it('an agent that is not installed', SLOW, async () => {
    const host = await pages.host({ agents: [new ShellAgent(), new AbsentAgent()] });
    const page = await pages.visit(host, { hash: 'new' });
    await page.getByRole('button', { name: /^Add an agent/ }).click();
    await seen(page.locator('.fix', { hasText: 'Gemini is not installed.' }));
    await seen(page.locator('.fix', { hasText: 'agenthost agents add gemini' }));
    const alone = await pages.host({ agents: [new AbsentAgent()] });
    const other = await pages.visit(alone, { hash: 'new' });
    await seen(other.locator('.fix', { hasText: 'agenthost agents add gemini' }));
    await write(other, 'do it anyway');
    await seen(other.getByText('No agent can be used yet: add one above.'));
    expect(await composer(other).inputValue()).toBe('do it anyway');
  });

  it('every agent of the catalogue, on a machine that has none', SLOW, async () => {
    const nothing = await temporaryFolder();
    const host = await pages.host({
      stateDir: nothing,
      env: { PATH: nothing, HOME: nothing },
      agents: [new ShellAgent(), new CopilotAgent({ agentsFolder: join(nothing, 'agents') })],
      agentSources: [new AcpAgents()],
    });
    const page = await pages.visit(host, { hash: 'new' });
    await seen(page.getByRole('radio', { name: /Shell/ }));
    await page.getByRole('button', { name: /^Add an agent/ }).click();
    const agents = page.locator('.add-agents li');
    await eventually(() => agents.count()).toBe(6);
    for (const [name, id] of [
      ['GitHub Copilot', 'copilot'],
      ['Claude Code', 'claude'],
      ['Codex', 'codex'],
      ['Gemini CLI', 'gemini'],
      ['opencode', 'opencode'],
      ['Copilot CLI', 'copilot-acp'],
    ] as const) {
      const fix = agents.filter({ hasText: name }).locator('.fix', { hasText: 'Not installed' });
      await seen(fix.getByTitle(`Run agenthost agents add ${id}.`));
      await seen(fix.getByRole('button', { name: /^Install, \d+ MB$/ }));
    }
  });

  it('an agent that does not start', SLOW, async () => {
    const failing = new MockAgent();
    failing.openSession = () => Promise.reject(new Error('Its licence has ended: renew it.'));
    const host = await pages.host({ agents: [failing] });
    const page = await pages.visit(host, { hash: 'new' });
    await write(page, 'begin');
    await seen(page.getByText(/Its licence has ended: renew it\./));
    expect(await composer(page).inputValue()).toBe('begin');
  });

  it('a failed turn that is tried again', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['error']);
    const page = await pages.visit(host, { hash });
    await seen(log(page).getByText(/Mock stopped: The mock agent was told to fail\./));
    await log(page).getByRole('button', { name: 'Try again' }).click();
    await eventually(() => log(page).getByRole('alert').count()).toBe(2);
  });

  it('a command that fails', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['ls /no-such-folder'], { provider: 'shell' });
    const page = await pages.visit(host, { hash });
    await page.getByRole('region', { name: 'Needs your answer' }).getByRole('button', { name: 'Allow once' }).click();
    await seen(log(page).getByText(/exit [12]/));
    await seen(log(page).getByText(/No such file/));
  });

  it('a host that is away when the list is opened', SLOW, async () => {
    const { host, proxy } = await pages.hostBehindProxy();
    await makeSession(host, ['title known']);
    const page = await pages.visit(host, { url: proxy.url });
    await seen(row(page, 'known'));
    await page.keyboard.press('n');
    await composer(page).fill('a new beginning');
    proxy.allow(false);
    proxy.cut();
    await seen(page.getByText(/isn't answering/));
    await seen(row(page, 'known'));
    await page.keyboard.press('Escape');
    proxy.allow(true);
    await page.reload();
    await seen(page.getByRole('heading', { name: 'New session' }));
    expect(await composer(page).inputValue()).toBe('a new beginning');
  });
});

describe('a full disk', () => {
  it('is reported, the message stays, and is sent when there is room', SLOW, async () => {
    const stateDir = await temporaryFolder();
    const plan = new FaultPlan();
    const host = await pages.host({ stateDir, storage: new FaultyLocalStorage(stateDir, plan) });
    const { hash } = await makeSession(host, ['hello']);
    const page = await pages.visit(host, { hash });
    await seen(log(page).getByText('Hello, world!'));
    plan.failFromNow('full');
    await write(page, 'no room for this');
    await seen(
      page
        .locator('.composer')
        .getByRole('alert')
        .filter({ hasText: /The host refused it: .+/ }),
    );
    expect(await composer(page).inputValue()).toBe('no room for this');
    plan.repair();
    await composer(page).press('Enter');
    await seen(log(page).getByText('You said: no room for this'));
    await gone(page.locator('.composer').getByRole('alert'));
  });
});
