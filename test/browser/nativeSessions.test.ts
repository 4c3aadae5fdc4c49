import { appendFile, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AcpAgents } from '@agenthost/host';
import { expect, it } from 'vitest';
import { DeviceTokens } from '../../packages/host/src/server/access/deviceTokens.js';
import { RECORDED, recordedHome } from '../../packages/host/test/agents/native/nativeHome.js';
import { stubEntry, writeAgents } from '../support/agents/stubAgent.js';
import { temporaryFolder } from '../support/testHost.js';
import { expectAccessible } from './axe.js';
import { gone, log, makeSession, PATIENCE, row, seen, usePages } from './pageWorld.js';

const pages = usePages();

async function start() {
  const [stateDir, home] = [await temporaryFolder(), await recordedHome()];
  await writeAgents(stateDir, { claude: stubEntry(stateDir) });
  const driver = await new DeviceTokens(stateDir).add('phone', 'driver');
  const path = join(home, '.claude/projects/-work-uploader', `${RECORDED.claude}.jsonl`);
  await writeFile(
    path,
    (await readFile(path, 'utf8')).replaceAll('/work/uploader', home).replaceAll('say hello', 'greet'),
  );
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: undefined };
  const host = await pages.host({ stateDir, env, nativeSessions: true, agentSources: [new AcpAgents()] });
  const rest = async () => {
    const then = Date.now() / 1_000 - 3_600;
    await utimes(path, then, then);
  };
  await rest();
  return { host, path, rest, driver };
}

it('shows what was begun in a terminal, folded at first, and continues it here', {
  timeout: 4 * PATIENCE,
}, async () => {
  const { host, path, rest } = await start();
  const page = await pages.visit(host);
  const group = page.getByRole('region', { name: 'From your terminal' });
  await seen(group.getByRole('button', { name: 'From your terminal', expanded: false }));
  expect(await group.getByText('read only').count()).toBe(0);
  await group.getByRole('button', { name: 'From your terminal' }).click();
  await seen(group.getByText('read only').first());
  expect(await group.getByText('read only').count()).toBe(3);
  await group.getByRole('button', { name: '2 older' }).click();
  await group.getByRole('button', { name: /greet/ }).click();
  await seen(log(page).getByText('Hello from the model.').first());
  await seen(page.getByText('Read only here'));
  expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
  await expectAccessible(page);
  // Somebody uses it in the terminal.
  await appendFile(path, `${JSON.stringify({ type: 'mode' })}\n`);
  await page.getByRole('button', { name: 'Continue here' }).click();
  await seen(page.getByText('It is open in a terminal. Continue in a copy'));
  await seen(page.getByRole('button', { name: 'Continue in a copy' }));
  await rest();
  await page.getByRole('button', { name: 'Continue here' }).click();
  await seen(page.getByRole('textbox', { name: 'Message' }));
  await seen(log(page).getByText('Hello from the model.').first());
  // It is a session like any other now, and the row leads to it.
  await page.goBack();
  await seen(page.getByRole('button', { name: 'Open its session' }));
});

it('fits a phone: the group follows the last session, and the note is not squeezed', {
  timeout: 2 * PATIENCE,
}, async () => {
  const { host } = await start();
  await makeSession(host, ['title the last']);
  const page = await pages.visit(host, { viewport: { width: 360, height: 740 } });
  const group = page.getByRole('region', { name: 'From your terminal' });
  await seen(group);
  await seen(row(page, 'the last'));
  const [last, first] = [await row(page, 'the last').boundingBox(), await group.boundingBox()];
  expect((first?.y ?? 0) - (last ? last.y + last.height : 0)).toBeLessThan(40);
  await group.getByRole('button', { name: 'From your terminal' }).click();
  await group.getByRole('button', { name: '2 older' }).click();
  await group.getByRole('button', { name: /greet/ }).click();
  const note = page.getByText(/You started it in your terminal/);
  await seen(note);
  expect((await note.boundingBox())?.width).toBeGreaterThan(200);
});

it('has no group for a driver, and none where nothing was found', { timeout: 4 * PATIENCE }, async () => {
  const { host, driver } = await start();
  const phone = await pages.visit(host, { token: driver });
  await seen(phone.getByText('Agent Sessions').first());
  const bare = await pages.host({ nativeSessions: true });
  const page = await pages.visit(bare);
  await seen(page.getByText('Agent Sessions').first());
  for (const one of [phone, page]) await gone(one.getByRole('region', { name: 'From your terminal' }));
});
