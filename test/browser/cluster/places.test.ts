import { hostname } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { postgresOfFile } from '../../support/storage/postgresOfFile.js';
import { composer, gone, log, makeSession, PATIENCE, row, seen, usePages, write } from '../pageWorld.js';

const postgres = postgresOfFile();
const pages = usePages();

it('[PLACE1] [PLACE3] shows where a session lives, and what can be done while its machine is away', {
  timeout: 5 * PATIENCE,
}, async () => {
  const database = await postgres.server.newDatabase();
  const at = (place: string) => pages.host({ database, place, leaseMs: 1_000 });
  const [north, south] = [await at('north'), await at('south')];
  const { hash } = await makeSession(north, ['hello']);
  const page = await pages.visit(south, { hash });
  await seen(log(page).getByText('Hello, world!'));
  const header = page.locator('header.head');
  await seen(header.getByText(`north, ${hostname()} ${north.host.instanceId.slice(0, 8)}`));
  await composer(page).fill('not sent yet');

  await north.host.close();
  const why = 'Its machine north is away: read on, or fork it to go on elsewhere.';
  await seen(page.getByRole('note').getByText(why));
  await seen(header.getByText('north, away'));
  await seen(row(page, 'hello').getByText('Its machine north is away'));
  expect(await composer(page).count()).toBe(0);
  await seen(log(page).getByText('Hello, world!'));

  const back = await at('north');
  await gone(page.getByRole('note').getByText(why));
  await seen(header.getByText(`north, ${hostname()} ${back.host.instanceId.slice(0, 8)}`));
  await gone(row(page, 'hello').getByText('Its machine north is away'));
  expect(await composer(page).inputValue()).toBe('not sent yet');
  await write(page, 'say on');
  await seen(log(page).getByText('You said: say on'));

  await back.host.close();
  await page.getByRole('note').getByRole('button', { name: 'Fork the session' }).click();
  await seen(header.getByText(`south, ${hostname()} ${south.host.instanceId.slice(0, 8)}`));
  await write(page, 'say here');
  await seen(log(page).getByText('You said: say here'));
});

it('[PLACE2] offers the folders of sessions at another place, and starts the next one there', {
  timeout: 3 * PATIENCE,
}, async () => {
  const database = await postgres.server.newDatabase();
  const at = (place: string) => pages.host({ database, place, leaseMs: 1_000 });
  const [north, south] = [await at('north'), await at('south')];
  await makeSession(north, ['hello'], { folder: pathToFileURL(join(north.stateDir, 'work')).href });
  const page = await pages.visit(south);
  await seen(row(page, 'hello'));
  await page.getByRole('button', { name: 'New session' }).first().click();
  await seen(page.getByRole('list', { name: 'Recent folders' }).getByText('work [north]'));
  await page.getByRole('button', { name: 'Browse…' }).click();
  await page.getByRole('navigation', { name: 'Folder' }).getByRole('button').last().click();
  await page.getByRole('button', { name: 'work', exact: true }).click();
  await page.getByRole('button', { name: 'Use this folder' }).click();
  await page.getByRole('radio', { name: /Mock/ }).click();
  await write(page, 'say there');
  await seen(log(page).getByText('You said: say there'));
  await seen(page.locator('header.head').getByText(`north, ${hostname()} ${north.host.instanceId.slice(0, 8)}`));
});
