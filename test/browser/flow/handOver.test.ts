import { AcpAgents } from '@agenthost/host';
import { expect, it } from 'vitest';
import { stubEntry, writeAgents } from '../../support/agents/stubAgent.js';
import { temporaryFolder } from '../../support/testHost.js';
import { expectAccessible } from '../axe.js';
import { gone, log, makeSession, PATIENCE, seen, usePages, write } from '../pageWorld.js';

const pages = usePages();

it('a session is handed over to another agent, which knows what was said', { timeout: 6 * PATIENCE }, async () => {
  const stateDir = await temporaryFolder();
  await writeAgents(stateDir, { stub: stubEntry(stateDir) });
  const host = await pages.host({ stateDir, agentSources: [new AcpAgents({ catalogue: [] })] });
  const { hash } = await makeSession(host, ['the number is 4711']);
  const page = await pages.visit(host, { hash });
  await seen(log(page).getByText('You said: the number is 4711'));
  await page.getByRole('button', { name: 'Session actions' }).click();
  await page.getByRole('menuitem', { name: 'Hand over…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Hand over to another agent' });
  await seen(dialog.getByText('goes to its vendor'));
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Stub' }).click();
  await gone(dialog);
  await seen(log(page).getByText('You said: the number is 4711'));
  await write(page, 'recall');
  await seen(log(page).getByText('Stub was given the earlier turn as text.'));
  const client = await host.connect();
  const { items } = await client.listSessions({});
  expect(items.map(({ provider }) => provider).sort()).toEqual(['mock', 'stub']);
});

it('is not offered where there is no other agent', { timeout: 6 * PATIENCE }, async () => {
  const host = await pages.host();
  const { hash } = await makeSession(host, ['hello']);
  const page = await pages.visit(host, { hash });
  await page.getByRole('button', { name: 'Session actions' }).click();
  await seen(page.getByRole('menuitem', { name: 'Fork' }));
  expect(await page.getByRole('menuitem', { name: 'Hand over…' }).count()).toBe(0);
});
