import { expect, it } from 'vitest';
import { TestPostgres } from '../../support/storage/postgres.js';
import { gone, log, makeSession, PATIENCE, seen, usePages, write } from '../pageWorld.js';

const pages = usePages();

it('[FEN6] says in one line that the database is away, and what was typed meanwhile arrives once', {
  timeout: 4 * PATIENCE,
}, async () => {
  const server = await TestPostgres.start();
  pages.cleanups.push(() => server.dispose());
  const host = await pages.host({ database: await server.newDatabase() });
  pages.cleanups.push(() => server.run());
  const { hash } = await makeSession(host, ['hello']);
  const page = await pages.visit(host, { hash });
  await seen(log(page).getByText('Hello, world!'));

  await server.stop('SIGQUIT');
  await write(page, 'say once');
  const line = page.getByRole('status').getByText("The database isn't answering.");
  await seen(line);
  await seen(log(page).getByText('Hello, world!'));
  expect(await log(page).getByText('You said: say once').count()).toBe(0);

  await server.run();
  await gone(line);
  await seen(log(page).getByText('You said: say once'));
  expect(await log(page).getByText('You said: say once').count()).toBe(1);
});
