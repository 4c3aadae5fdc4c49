import { expect, it } from 'vitest';
import { cleanupsOfTests } from '../../support/cleanups.js';
import { WebhookReceiver } from '../../support/webhooks/webhookReceiver.js';
import { expectAccessible } from '../axe.js';
import { expectNoOverflow, gone, PATIENCE, seen, usePages } from '../pageWorld.js';

const pages = usePages();
const cleanups = cleanupsOfTests();

it('the settings show an owner the webhooks with their state, enable and remove them', {
  timeout: 4 * PATIENCE,
}, async () => {
  const host = await pages.host({ webhooks: { limits: { firstDelayMs: 5, maxDelayMs: 20 } } });
  const receiver = await WebhookReceiver.start();
  cleanups.push(() => receiver.close());
  const { webhooks } = await host.connect();
  const { webhook } = await webhooks.add({ url: receiver.url, events: ['turnEnded'], allowPrivate: true });
  const page = await pages.visit(host, { name: 'Ada' });
  await page.getByRole('button', { name: 'Settings' }).click();
  const dialog = page.getByRole('dialog', { name: 'Settings' });
  await dialog.getByRole('button', { name: 'Webhooks' }).click();
  const row = dialog.getByRole('listitem').filter({ hasText: receiver.url });
  await seen(row.getByText('works; turnEnded'));
  receiver.answer = () => 410;
  const client = await host.connect();
  await (await client.createSession({ provider: 'mock' })).send('say x');
  await seen(row.getByText(/^disabled .*410/));
  await expectAccessible(page);
  await expectNoOverflow(page, 'the webhooks');
  await row.getByRole('button', { name: 'Enable' }).click();
  await seen(row.getByText('works; turnEnded'));
  await row.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog', { name: 'Remove this webhook?' }).getByRole('button', { name: 'Remove' }).click();
  await gone(row);
  expect((await webhooks.list()).items.map(({ id }) => id)).not.toContain(webhook.id);
});
