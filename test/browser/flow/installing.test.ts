import { AcpAgents } from '@agenthost/host';
import { it } from 'vitest';
import { NpmRegistry } from '../../support/agents/npmRegistry.js';
import { writeAgents } from '../../support/agents/stubAgent.js';
import { temporaryFolder } from '../../support/testHost.js';
import { expectAccessible } from '../axe.js';
import { eventually, gone, PATIENCE, seen, usePages } from '../pageWorld.js';

const pages = usePages();

it('an installation shows its progress to everybody and can be cancelled', { timeout: 6 * PATIENCE }, async () => {
  const stateDir = await temporaryFolder();
  const npm = { package: 'tiny-acp', version: '1.0.0' };
  await writeAgents(stateDir, { stub: { name: 'Tiny', command: 'tiny-acp', npm } });
  const registry = await NpmRegistry.start({ name: 'tiny-acp', version: '1.0.0', files: { 'tiny.js': '' } });
  pages.cleanups.push(() => registry.dispose());
  registry.onTarball = () => new Promise(() => {});
  const env = { PATH: process.env['PATH'] ?? '', HOME: stateDir, npm_config_registry: registry.url };
  const host = await pages.host({ stateDir, env, agentSources: [new AcpAgents({ catalogue: [] })] });
  const owner = await pages.visit(host, { hash: 'new' });
  const other = await pages.visit(host, { hash: 'new' });
  for (const page of [owner, other]) {
    const more = page.getByRole('button', { name: /^Add an agent/ });
    await seen(more);
    if ((await more.getAttribute('aria-expanded')) === 'false') await more.click();
  }
  const fix = owner.locator('.add-agents li', { hasText: 'Tiny' });
  await fix.getByRole('button', { name: /^Install/ }).click();
  await seen(fix.getByText('Fetching tiny-acp@1.0.0'));
  const elsewhere = other.locator('.add-agents li', { hasText: 'Tiny' });
  await seen(elsewhere.getByText('Fetching tiny-acp@1.0.0'));
  await eventually(() => registry.requests.some((path) => path.endsWith('.tgz'))).toBe(true);
  await expectAccessible(owner);
  // Whoever may install may also end what somebody else began.
  await elsewhere.getByRole('button', { name: 'Cancel' }).click();
  await seen(fix.getByText('Cancelled'));
  await seen(elsewhere.getByText('Cancelled'));
  await gone(fix.getByRole('button', { name: 'Cancel' }));
  await seen(fix.getByRole('button', { name: /^Install/ }));
});
