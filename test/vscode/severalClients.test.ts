import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOf, log, usePages, write } from '../browser/pageWorld.js';
import { Terminal } from '../support/terminal.js';
import { VSCODE_VERSIONS } from './support/installVscode.js';
import { tidyAfterEach } from './support/tidyAfterEach.js';
import { turns, VscodeWorld } from './support/vscodeWorld.js';
import { PATIENCE, type Workbench } from './support/workbench.js';

const ASK = { name: 'Needs your answer' } as const;

const INTERRUPTED = /The host restarted during/;

describe.each(VSCODE_VERSIONS)('VS Code %s among others', (version) => {
  const pages = usePages();

  let world: VscodeWorld;
  let first: Workbench;
  let second: Workbench;
  // One host and two windows for all tests: to load the workbench takes longer than to use it.
  beforeAll(async () => {
    world = await VscodeWorld.start(version);
    [first, second] = await Promise.all([world.window(pages.browser), world.window(pages.browser)]);
  });
  afterAll(() => world?.dispose());
  tidyAfterEach(() => [first, second]);

  it('two windows and our own page are in one session', async () => {
    const session = await world.session('Shared', ['hello']);
    for (const window of [first, second]) await window.openSession('Shared');
    const page = await pages.visit(world.host, { hash: hashOf(session.uri) });
    await seen(log(page).getByText('Hello, world!'));

    await first.send('steer');
    await second.shows('Waiting to be steered.');
    await seen(log(page).getByText('Waiting to be steered.'));
    await session.steer('by a program');
    for (const window of [first, second]) await window.shows('Steered: by a program');
    await seen(log(page).getByText('Steered: by a program'));
    await turns(session, 2);

    await write(page, 'confirm-tool');
    for (const window of [first, second]) await window.button('Allow').waitFor();
    await second.press('Allow');
    for (const window of [first, second]) await window.shows('Done.');
    await seen(log(page).getByText('Done.', { exact: true }));
    await first.button('Allow').waitFor({ state: 'hidden' });
    await turns(session, 3);
  });

  it('sockets cut in the middle of a turn: both windows continue, and nothing is lost or shown twice', async () => {
    const session = await world.session('Cut');
    for (const window of [first, second]) await window.openSession('Cut');
    await first.send('slow');
    for (const window of [first, second]) await window.shows(/1 2 3/);
    for (let times = 0; times < 3; times += 1) {
      const before = Math.max(...(await Promise.all([first, second].map(counted))));
      world.host.cut(1);
      // Each number once, in order, and more of them than before.
      for (const window of [first, second]) {
        await expect.poll(() => counted(window), { timeout: PATIENCE }).toBeGreaterThan(before + 10);
      }
    }
    await second.stop();
    await turns(session, 1);
    for (const window of [first, second]) await window.idle();
    await first.send('hello');
    for (const window of [first, second]) await window.shows('Hello, world!');
  });

  it('our page, the terminal and VS Code in one session, through the end and the restart of the host', async () => {
    const session = await world.session('Three of us', [], 'shell');
    const window = first;
    await window.openSession('Three of us');
    const page = await pages.visit(world.host, { hash: hashOf(session.uri) });
    const terminal = Terminal.run(['attach', session.uri, '--url', world.host.url.href, '--token', world.host.token], {
      rows: 50,
    });
    pages.cleanups.push(() => terminal.dispose());
    await terminal.until('Write a message');

    // Typed in the terminal, allowed in VS Code, seen by all.
    terminal.type('echo from-the-terminal > one.txt; echo did-$((20 + 1))\r');
    await page.getByRole('region', ASK).waitFor();
    await window.press('Allow');
    await terminal.until('did-21');
    await seen(log(page).getByText('did-21'));
    await window.shows(/from-the-terminal/);
    await turns(session, 1);

    // Typed in VS Code, allowed on the page.
    await window.send('echo did-$((20 + 2))');
    await terminal.until('did-$((20 + 2))');
    await page.getByRole('region', ASK).getByRole('button', { name: 'Allow once' }).click();
    await terminal.until('did-22');
    await turns(session, 2);

    // Typed on the page; the host dies while it waits for an answer.
    await write(page, 'echo did-$((20 + 3))');
    await window.button('Allow').waitFor();
    await world.host.end('SIGKILL');
    await world.host.start();
    await turns(session, 3);
    expect(session.confirmed.value.turns[2]?.state).not.toBe('complete');

    // All three have reconnected, whatever their delays, and continue.
    await expect.poll(() => terminal.text, { timeout: PATIENCE }).not.toContain("isn't answering");
    await window.idle();
    await terminal.until(INTERRUPTED);
    await seen(log(page).getByText(INTERRUPTED));
    await window.shows(INTERRUPTED);
    await window.send('echo did-$((20 + 4))');
    await terminal.until('did-$((20 + 4))');
    await window.press('Allow');
    await terminal.until('did-24');
    await seen(log(page).getByText('did-24'));
    await turns(session, 4);
  });
});

async function seen(locator: Locator): Promise<void> {
  await locator.first().waitFor({ timeout: PATIENCE });
}

/** How far the counting has come in a window; 0 when a number is missing, comes twice or is out of order. */
async function counted(window: Workbench): Promise<number> {
  const texts = await window.answer.locator('.rendered-markdown').allInnerTexts();
  const numbers = (texts.join(' ').match(/\d+/g) ?? []).map(Number);
  return numbers.every((number, index) => number === index + 1) ? numbers.length : 0;
}
