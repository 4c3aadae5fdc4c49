import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DeviceTokens } from '../../packages/host/src/server/deviceTokens.js';
import { gone, log, makeSession, PATIENCE, seen, usePages } from './pageWorld.js';

const pages = usePages();
const ASK = { name: 'Needs your answer' } as const;

it('offers a viewer nothing that it may not, an approver the answer alone', { timeout: 4 * PATIENCE }, async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'agenthost-roles-'));
  const devices = new DeviceTokens(stateDir);
  const [screen, phone] = [await devices.add('the screen', 'viewer'), await devices.add("Ann's phone", 'approver')];
  const host = await pages.host({ stateDir });
  const { hash } = await makeSession(host, ['hello', 'confirm-tool']);
  const viewer = await pages.visit(host, { hash, token: screen, name: 'The owner' });
  const approver = await pages.visit(host, { hash, token: phone, name: 'The owner' });
  await seen(viewer.getByRole('region', ASK));
  await seen(approver.getByRole('region', ASK));

  expect(await viewer.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
  expect(await viewer.getByRole('button', { name: 'Allow once' }).count()).toBe(0);
  const note = viewer.getByRole('note').getByText('This device may only watch (role viewer).');
  expect(await note.count()).toBe(2);
  await viewer.getByRole('region', ASK).focus();
  await viewer.keyboard.press('y');
  await seen(approver.getByRole('region', ASK));

  await seen(approver.getByRole('note').getByText('role driver'));
  expect(await approver.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
  await approver.getByRole('region', ASK).getByRole('button', { name: 'Allow once' }).click();
  await gone(viewer.getByRole('region', ASK));
  await seen(log(viewer).getByText(/Allowed once by Ann's phone/));
});
