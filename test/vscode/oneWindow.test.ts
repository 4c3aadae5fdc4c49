import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usePages } from '../browser/pageWorld.js';
import { VSCODE_VERSIONS } from './support/installVscode.js';
import { tidyAfterEach } from './support/tidyAfterEach.js';
import { turns, VscodeWorld } from './support/vscodeWorld.js';
import { PATIENCE, type Workbench } from './support/workbench.js';

describe.each(VSCODE_VERSIONS)('a window of VS Code %s', (version) => {
  const pages = usePages();
  let world: VscodeWorld;
  let window: Workbench;

  beforeAll(async () => {
    world = await VscodeWorld.start(version);
    await world.session('An old one', ['reasoning', 'use-tool']);
    window = await world.window(pages.browser);
  });
  afterAll(() => world?.dispose());
  tidyAfterEach(() => [window]);

  /** A session of its own for each test, opened from the list. */
  async function open(title: string) {
    const session = await world.session(title);
    await window.openSession(title);
    return session;
  }

  it('lists existing and new sessions', async () => {
    await window.row('An old one').waitFor();
    const session = await world.session('A new one', ['hello']);
    await window.row('A new one').waitFor();
    await session.rename('A renamed one');
    await window.row('A renamed one').waitFor();
    await world.program.disposeSession(session.uri);
    await window.row('A renamed one').waitFor({ state: 'detached' });
  });

  it('opens one and shows its history', async () => {
    await window.openSession('An old one');
    await window.shows('The answer is 42.');
    await window.shows('There are two files.');
    await window.unfold();
    await window.shows('Listed 2 files');
  });

  it('creates a session and shows the streamed answer', async () => {
    await window.newSession('Mock');
    await window.send('steer');
    await window.shows('Waiting to be steered.');
    const running = await world.newest();
    const session = await world.program.openSession(running);
    expect(session.confirmed.value.activeTurn?.userMessage.text).toBe('steer');
    await session.steer('to the left');
    await window.shows('Steered: to the left');
    await window.idle();
    expect(session.confirmed.value.summary.provider).toBe('mock');
  });

  it('shows reasoning', async () => {
    const session = await open('Reasons');
    await window.send('reasoning');
    await window.shows('The answer is 42.');
    await turns(session, 1);
    await window.idle();
    await window.unfold();
    await window.shows('Let me think about it.');
  });

  it('an approval there lets the agent continue', async () => {
    const session = await open('Asks');
    await window.send('confirm-tool');
    await window.press('Allow');
    await window.shows('Done.');
    await turns(session, 1);
    expect(session.confirmed.value.turns[0]?.toolCalls[0]).toMatchObject({
      status: 'completed',
      confirmed: { how: 'user', by: { name: 'VS Code' } },
    });
  });

  it('a denial there stops the agent', async () => {
    const session = await open('Asks in vain');
    await window.send('confirm-tool');
    await window.press('Deny');
    await window.shows(/^Not run/);
    await turns(session, 1);
    expect(session.confirmed.value.turns[0]?.toolCalls[0]).toMatchObject({ status: 'cancelled', cancelled: 'denied' });
  });

  it('offers its own answers when the agent offers none', async () => {
    const session = await open('Asks without answers of its own');
    await window.send('confirm-long 100');
    await window.press('Skip');
    await turns(session, 1);
    await window.send('confirm-long 100');
    await window.press('Allow');
    await turns(session, 2);
    const statuses = session.confirmed.value.turns.map(({ toolCalls }) => toolCalls[0]?.status);
    expect(statuses).toEqual(['cancelled', 'completed']);
  });

  it("offers the agent's answers", async () => {
    const session = await open('Asks with answers of its own');
    await window.send('write-file other.txt');
    await window.press('Deny');
    await window.shows('Not written.');
    await window.send('write-file other.txt');
    await window.press('Allow once');
    await window.shows('Written.');
    await turns(session, 2);
    expect(session.confirmed.value.turns.map(({ toolCalls }) => toolCalls[0]?.confirmed?.optionId)).toEqual([
      'deny',
      'once',
    ]);
  });

  it('a question answered there reaches the agent', async () => {
    const session = await open('Has a question');
    await window.send('question');
    await window.answerQuestion('Blue');
    await window.shows('You answered: blue');
    await turns(session, 1);
  });

  it("shows a tool's changes as a diff, and all changes of the session", async () => {
    const session = await open('Writes');
    await window.send('write-file notes.txt');
    await window.press('Allow once');
    await turns(session, 1);
    expect(await readFile(join(world.folder, 'notes.txt'), 'utf8')).toBe('Written by the mock agent.\n');
    const diff = { before: ['one', 'two'], after: ['Written by the mock agent.'] };
    await window.openEdit('notes.txt');
    await expect.poll(() => window.diff(), { timeout: PATIENCE }).toEqual(diff);
    await window.closeChanges();
    // 1.136 does not show the changes of a whole session.
    if (version === '1.136.1') return;
    await window.openChanges();
    await expect.poll(() => window.diff(), { timeout: PATIENCE }).toEqual(diff);
    await window.closeChanges();
  });

  it('shows errors', async () => {
    await open('Fails');
    await window.send('error');
    await window.shows('The mock agent was told to fail.');
    await window.idle();
  });

  it('stops a turn, and the next one runs', async () => {
    const session = await open('Endless');
    await window.send('slow');
    await window.shows(/1 2 3/);
    await window.stop();
    await turns(session, 1);
    await window.idle();
    expect(session.confirmed.value.turns[0]?.state).toBe('cancelled');
    await window.send('hello');
    await window.shows('Hello, world!');
  });
});
