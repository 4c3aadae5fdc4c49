import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Role } from '@agenthost/protocol';
import { roleRefusal } from '@agenthost/protocol/internal';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { DeviceTokens } from '../../packages/host/src/server/access/deviceTokens.js';
import { eventually, gone, log, makeSession, PATIENCE, row, seen, usePages } from './pageWorld.js';

const pages = usePages();
const ASK = { name: 'Needs your answer' } as const;

it('offers a viewer nothing that it may not do, and an approver only the answer', {
  timeout: 4 * PATIENCE,
}, async () => {
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

it('limits an approver’s answer like the host', { timeout: 4 * PATIENCE }, async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'agenthost-roles-'));
  const phone = await new DeviceTokens(stateDir).add('phone', 'approver');
  const host = await pages.host({ stateDir });
  const { hash } = await makeSession(host, ['question']);
  const [approver, owner] = [await pages.visit(host, { hash, token: phone }), await pages.visit(host, { hash })];
  const words = { name: 'Answer in your own words' };
  expect(await owner.getByRole('textbox', words).getAttribute('maxlength')).toBeNull();
  await approver.getByRole('textbox', words).fill('x'.repeat(1_000));
  await approver.getByRole('textbox', words).press('End');
  await approver.keyboard.type('yz');
  expect(await approver.getByRole('textbox', words).inputValue()).toBe('x'.repeat(1_000));
  await approver.getByRole('button', { name: 'Answer', exact: true }).click();
  await gone(approver.getByRole('region', ASK));
});

/** What the page of a conversation lets be done, by the names of its controls. */
async function offers(page: Page) {
  await page.getByRole('button', { name: 'Session actions' }).click();
  const menu = page.getByRole('menu', { name: 'Session actions' });
  await seen(menu);
  const items = await menu.getByRole('menuitem').evaluateAll((all) =>
    (all as HTMLButtonElement[]).map((item) => ({
      label: item.querySelector('span')?.textContent,
      refusal: item.disabled ? item.title : undefined,
    })),
  );
  await page.keyboard.press('Escape');
  const queue = page.getByRole('region', { name: 'Queue' });
  await seen(queue.getByText('later'));
  return {
    menu: items.filter(({ refusal }) => refusal === undefined).map(({ label }) => label),
    refusals: [...new Set(items.flatMap(({ refusal }) => refusal ?? []))],
    queue: await queue.getByRole('button').evaluateAll((all) => all.map((one) => one.ariaLabel?.split(' ')[0])),
    title: await page.getByRole('heading', { level: 1 }).getByRole('button').count(),
    write: await page.getByRole('textbox', { name: 'Message' }).count(),
    editCommand: await page.getByRole('button', { name: 'Edit the command' }).count(),
    start: await page.getByRole('button', { name: 'New session', exact: true }).count(),
    fork: await log(page).getByRole('button', { name: 'Fork from here' }).count(),
  };
}

const WATCH = ['Review changes', 'Files', 'Terminals', 'Customizations', 'Export…'];
const DRIVE = [
  'Review changes',
  'Open a file',
  'Rename',
  'Archive',
  'Mark unread',
  'Fork',
  'New chat in this session',
  ...WATCH.slice(1),
  'Delete',
];
const NOTHING = { queue: [], title: 0, write: 0, editCommand: 0, start: 0, fork: 0 };
const needs = (role: Role, needed: Role) => roleRefusal(role, needed) ?? '';
const OFFERED = {
  viewer: {
    ...NOTHING,
    menu: WATCH,
    refusals: (['driver', 'approver', 'owner'] as const).map((role) => needs('viewer', role)),
  },
  approver: {
    ...NOTHING,
    menu: ['Review changes', 'Mark unread', ...WATCH.slice(1)],
    refusals: [needs('approver', 'driver'), needs('approver', 'owner')],
  },
  driver: {
    ...{ queue: ['Reorder', 'Edit', 'Remove'], title: 1, write: 1, editCommand: 1, start: 1, fork: 1 },
    ...{ menu: DRIVE, refusals: [needs('driver', 'owner')] },
  },
} as const;

it('offers each role what the host allows, and says why the rest is missing', { timeout: 6 * PATIENCE }, async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'agenthost-roles-'));
  const devices = new DeviceTokens(stateDir);
  const roles = ['viewer', 'approver', 'driver'] as const;
  const tokens = new Map<Role, string>();
  for (const role of roles) tokens.set(role, await devices.add(`the ${role}`, role));
  const host = await pages.host({ stateDir });
  const { uri, hash } = await makeSession(host, ['title watched', 'confirm-tool']);
  const script = await host.connect({ clientInfo: { name: 'Script' } });
  await (await script.openSession(uri)).queue('later');
  const project = join(stateDir, 'project');
  await mkdir(project);
  await writeFile(join(project, '.mcp.json'), JSON.stringify({ mcpServers: { one: { command: 'true' } } }));
  const untrusted = await makeSession(host, ['customizations'], { folder: pathToFileURL(project).href });

  for (const role of roles) {
    const page = await pages.visit(host, { hash, token: tokens.get(role) ?? '' });
    await seen(page.getByRole('region', ASK));
    // The host tells the role with the connection, which is there before the session is.
    expect([role, await offers(page)]).toEqual([role, OFFERED[role]]);
    await page.getByRole('log', { name: 'Conversation' }).focus();
    await page.keyboard.press('r');
    const rename = page.getByRole('dialog', { name: 'Rename' });
    if (role === 'driver') await rename.getByRole('button', { name: 'Cancel' }).click();
    else await seen(page.getByRole('main').getByRole('alert').getByText(`(role ${role})`));
    expect(await rename.count()).toBe(0);

    if (role !== 'driver') {
      await row(page, 'watched').focus();
      await page.keyboard.press('e');
      await seen(page.getByRole('navigation').getByRole('alert').getByText(`(role ${role})`));
      await seen(row(page, 'watched'));
    }

    await page.goto(`${host.url.origin}/#${untrusted.hash}`);
    const question = page.getByRole('region', { name: 'Needs your answer: Trust the folder project?' });
    await seen(question);
    const answers = question.getByRole('button', { disabled: false });
    await eventually(() => answers.allInnerTexts().then((all) => all.map((one) => one.split('\n')[0]))).toEqual(
      role === 'viewer' ? [] : [expect.stringContaining('Go on without them')],
    );
    if (role === 'viewer') continue;
    await seen(question.getByText(needs(role, 'owner')));
    expect(await question.getByRole('button', { name: 'Trust this folder' }).getAttribute('title')).toBe(
      needs(role, 'owner'),
    );
  }
});
