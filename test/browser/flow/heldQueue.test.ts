import { expect, it } from 'vitest';
import { eventually, gone, log, makeSession, PATIENCE, seen, usePages, write } from '../pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };

it('Stop holds the queue back and says so; it can be sent, and a new message goes before it', SLOW, async () => {
  const host = await pages.host();
  const { hash, uri } = await makeSession(host, ['slow']);
  const page = await pages.visit(host, { hash });
  const session = await (await host.connect()).openSession(uri);
  const texts = () => session.confirmed.value.turns.map(({ userMessage }) => userMessage.text);
  const queue = page.getByRole('region', { name: 'Queue' });
  for (const text of ['one', 'two']) {
    await write(page, text);
    await seen(queue.getByText(text, { exact: true }));
  }
  await seen(queue.getByText('sent one by one when this turn ends'));
  await page.getByRole('button', { name: 'Stop the turn' }).click();
  await seen(queue.getByText('held, because the turn was stopped'));
  await seen(queue.getByText('one', { exact: true }));
  expect(texts()).toEqual(['slow']);
  // An edit does not send it.
  await queue.getByRole('button', { name: 'Edit message 1' }).click();
  await write(page, 'one, edited');
  await seen(queue.getByText('one, edited'));
  expect(session.confirmed.value.activeTurn).toBeUndefined();
  await page.reload();
  await seen(queue.getByText('held, because the turn was stopped'));
  await write(page, 'first');
  await eventually(texts).toEqual(['slow', 'first', 'one, edited', 'two']);
  await gone(queue);

  await write(page, 'slow');
  await seen(page.getByRole('button', { name: 'Stop the turn' }));
  await write(page, 'three');
  await seen(queue.getByText('three'));
  await page.getByRole('button', { name: 'Stop the turn' }).click();
  await queue.getByRole('button', { name: 'Send now' }).press('Enter');
  await seen(log(page).getByText('You said: three'));
});
