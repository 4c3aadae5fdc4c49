import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SessionHandle } from '@agenthost/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usePages } from '../browser/pageWorld.js';
import { VSCODE_VERSIONS } from './support/installVscode.js';
import { tidyAfterEach } from './support/tidyAfterEach.js';
import { turns, VscodeWorld } from './support/vscodeWorld.js';
import { PATIENCE, type Workbench } from './support/workbench.js';

// `Moded` is an ACP agent with modes and models, `Plain` is one with neither.

describe.each(VSCODE_VERSIONS)('ACP agents in VS Code %s', (version) => {
  const pages = usePages();
  let world: VscodeWorld;
  let window: Workbench;
  beforeAll(async () => {
    world = await VscodeWorld.start(version);
    await world.session('An old one', ['hello']);
    window = await world.window(pages.browser);
    // Once VS Code has the sessions, it has the agents, too.
    await window.row('An old one').waitFor();
  });
  afterAll(() => world?.dispose());
  tidyAfterEach(() => [window]);

  const listed = async () => (await world.program.listSessions()).items.map(({ provider, title }) => [provider, title]);

  /** The session that the window has made, once its first message is there. */
  async function made(provider: string): Promise<SessionHandle> {
    const own = async () => (await world.program.listSessions({ filter: { provider } })).items[0]?.resource;
    await expect.poll(own, { timeout: PATIENCE }).toBeDefined();
    return world.program.openSession((await own()) ?? '');
  }

  it.each(['Moded', 'Plain'])('a session for %s is hidden before its first message, and works', async (agent) => {
    const before = await listed();
    await window.newSession(agent);
    // VS Code asks for its state when it has made it, and for the list when it has changed.
    await window.write('pid');
    expect(await listed()).toEqual(before);
    await window.page.keyboard.press('Enter');
    const session = await made(agent.toLowerCase());
    await turns(session, 1);
    const { summary, turns: ended } = session.confirmed.value;
    expect(summary).toMatchObject({ provider: agent.toLowerCase(), title: 'pid' });
    expect(ended).toMatchObject([{ state: 'complete' }]);
    expect(await listed()).toHaveLength(before.length + 1);
  });

  it('offers an agent’s own answers for a command, and passes the chosen one on', async () => {
    const session = await world.session('Asks about a command', [], 'moded');
    await window.openSession('Asks about a command');
    await window.send('tool echo hello');
    await window.press('Allow once');
    await window.shows('Done (yes).');
    await turns(session, 1);
    await window.send('tool echo hello');
    await window.press('Deny');
    await window.shows('Not run (no).');
    await turns(session, 2);
    await window.send('tool echo hello');
    await window.button('Deny').waitFor();
    await window.pressMore('Always allow');
    await window.shows('Done (forever).');
    await turns(session, 3);
    const calls = session.confirmed.value.turns.map(({ toolCalls }) => toolCalls[0]);
    expect(calls).toMatchObject([
      { toolKind: 'terminal', status: 'completed', confirmed: { how: 'user', optionId: 'yes' } },
      { toolKind: 'terminal', status: 'cancelled', cancelled: 'denied', confirmed: { how: 'user', optionId: 'no' } },
      { toolKind: 'terminal', status: 'completed', confirmed: { how: 'user', optionId: 'forever' } },
    ]);
  });

  it('shows a whole command before it is allowed', async () => {
    const session = await world.session('Asks about a long command', [], 'moded');
    await window.openSession('Asks about a long command');
    await session.send(`tool ${'echo a step; '.repeat(10)}\necho the last step`);
    await expect.poll(() => window.asked(), { timeout: PATIENCE }).toContain('echo the last step');
    await window.press('Deny');
    await turns(session, 1);
  });

  it('renames a session', async () => {
    const session = await world.session('A first name', ['hello'], 'plain');
    await window.openSession('A first name');
    await window.rename('A first name', 'A second name');
    await window.row('A second name').waitFor();
    await expect.poll(() => session.confirmed.value.summary.title, { timeout: PATIENCE }).toBe('A second name');
    await session.rename('A third name');
    await window.page.locator('.chat-view-title-container').getByText('A third name').first().waitFor();
  });

  it('does not change the model of a session', async () => {
    const folder = pathToFileURL(world.folder).href;
    const chosen = await world.program.createSession({ provider: 'moded', model: 'large', workingDirectory: folder });
    await chosen.ready();
    await chosen.send('model');
    await turns(chosen, 1);
    await chosen.rename('Of the large model');
    const unchosen = await world.session('Of any model', ['model'], 'moded');
    await window.openSession('Of the large model');
    await window.model('Large').waitFor();
    await window.send('model');
    await turns(chosen, 2);
    await window.openSession('Of any model');
    await window.model('Default').waitFor();
    await window.send('model');
    await turns(unchosen, 2);
    expect(chosen.confirmed.value.summary.model).toBe('large');
    expect(chosen.confirmed.value.turns.map(({ model }) => model)).toEqual(['large', 'large']);
    expect(unchosen.confirmed.value.summary).not.toHaveProperty('model');
  });

  it('passes an attached file to the agent as a file of the machine', async () => {
    const session = await world.session('Attaches', [], 'plain');
    await window.openSession('Attaches');
    await window.attach('notes.txt');
    await window.send('blocks');
    await turns(session, 1);
    const uri = pathToFileURL(join(world.folder, 'notes.txt')).href;
    expect(session.confirmed.value.turns[0]?.userMessage.attachments).toMatchObject([{ kind: 'file', uri }]);
    await window.shows(uri);
  });

  it('drops unused sessions when the host starts again', async () => {
    const before = await listed();
    await window.newSession('Plain');
    await window.write('never sent');
    await world.host.end('SIGKILL');
    await world.host.start();
    await world.program.connected();
    expect(await listed()).toEqual(before);
  });
});
