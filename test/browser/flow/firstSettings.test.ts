import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AcpAgents } from '@agenthost/host';
import { expect, it } from 'vitest';
import { stubEntry, writeAgents } from '../../support/agents/stubAgent.js';
import { temporaryFolder } from '../../support/testHost.js';
import { expectAccessible } from '../axe.js';
import { eventually, gone, log, makeSession, PATIENCE, row, seen, usePages, write } from '../pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };

async function stubHost(env: Readonly<Record<string, string>>) {
  const stateDir = await temporaryFolder();
  await writeAgents(stateDir, { stub: stubEntry(stateDir, env) });
  return pages.host({ stateDir, agents: [], agentSources: [new AcpAgents({ catalogue: [] })] });
}

it('a new session begins in the mode and with the effort that were chosen in its form', SLOW, async () => {
  const host = await stubHost({ STUB_SETTINGS: '1' });
  const folder = pathToFileURL(join(host.stateDir, 'work')).href;
  const { uri } = await makeSession(host, ['hello'], { provider: 'stub', folder });
  const page = await pages.visit(host, { hash: 'new' });
  await page.getByRole('button', { name: 'mode: default' }).click();
  await page.getByRole('menuitemradio', { name: 'Free' }).click();
  await page.getByRole('button', { name: 'Effort: default' }).click();
  await page.getByRole('menuitemradio', { name: 'HIGH' }).click();
  await seen(page.getByRole('button', { name: 'mode: Free' }));
  await expectAccessible(page);
  await write(page, 'begin now');
  await seen(log(page).getByText('You said: begin now'));
  const client = await host.connect();
  const { items } = await client.listSessions();
  const made = items.find(({ resource }) => resource !== uri);
  const { settings, summary } = (await client.openSession(made?.resource ?? '')).confirmed.value;
  expect(summary.mode?.id).toBe('free');
  expect(settings?.find(({ id }) => id === 'effort')).toMatchObject({ value: 'high' });
  // What an earlier session had is no default.
  await page.keyboard.press('Escape');
  await page.goto(`${host.url.origin}/#new`);
  await seen(page.getByRole('button', { name: 'mode: default' }));
});

it('nothing is offered before a session of that agent has said what there is', SLOW, async () => {
  const host = await stubHost({ STUB_SETTINGS: '1' });
  const page = await pages.visit(host, { hash: 'new' });
  await seen(page.getByRole('radio', { name: /Stub/ }));
  expect(await page.getByRole('button', { name: /default$/ }).count()).toBe(0);
});

it('a session is deleted everywhere, or says why its agent keeps it', SLOW, async () => {
  const host = await stubHost({ STUB_DELETE: '1' });
  const { hash } = await makeSession(host, ['the number is 4711'], { provider: 'stub' });
  const page = await pages.visit(host, { hash });
  await seen(log(page).getByText('You said: the number is 4711'));
  const ask = async () => {
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete everywhere…' }).click();
    return page.getByRole('dialog', { name: 'Delete everywhere?' });
  };
  await write(page, 'endless');
  await seen(log(page).getByText('tick', { exact: false }).first());
  const refused = await ask();
  await expectAccessible(page);
  await refused.getByRole('button', { name: 'Delete' }).click();
  await seen(refused.getByText('A turn runs'));
  await refused.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: /^Stop/ }).first().click();
  await gone(page.getByRole('button', { name: /^Stop/ }));
  const dialog = await ask();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await gone(dialog);
  await gone(row(page, 'the number is 4711'));
  await eventually(() => readdir(join(host.stateDir, 'stub-memory'))).toEqual([]);
});
