import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usePages } from '../browser/pageWorld.js';
import type { StubEdit } from '../support/stubAcp/edits.js';
import { VSCODE_VERSIONS } from './support/installVscode.js';
import { tidyAfterEach } from './support/tidyAfterEach.js';
import { turns, VscodeWorld } from './support/vscodeWorld.js';
import { PATIENCE, type Workbench } from './support/workbench.js';

const WHOLE = `${Array.from({ length: 40 }, (_, n) => `line ${n + 1}`).join('\n')}\n`;
const CHANGED = WHOLE.replace('line 20\n', 'line twenty\n');

describe.each(VSCODE_VERSIONS)('checkpoints in VS Code %s', (version) => {
  const pages = usePages();
  let world: VscodeWorld;
  let window: Workbench;
  beforeAll(async () => {
    world = await VscodeWorld.start(version);
    await world.session('Another one', ['hello']);
    window = await world.window(pages.browser);
  });
  afterAll(() => world?.dispose());
  tidyAfterEach(() => [window]);

  it('compare whole files, of which the agent reported a fragment, and change none', async () => {
    const file = join(world.folder, 'long.txt');
    await writeFile(file, WHOLE);
    const session = await world.session('Edits', ['hello'], 'plain');
    await window.openSession('Edits');
    const told = [{ oldText: 'line 20', newText: 'line twenty' }];
    const edit: StubEdit = { path: 'long.txt', when: 'asked', told, content: CHANGED };
    await window.send(`edit ${JSON.stringify(edit)}`);
    await window.press('Allow once');
    await turns(session, 2);
    expect(await readFile(file, 'utf8')).toBe(CHANGED);
    await window.openEdit('long.txt');
    const lines = async () => (await window.diff()).before.concat((await window.diff()).after);
    await expect
      .poll(lines, { timeout: PATIENCE })
      .toEqual(expect.arrayContaining(['line 20', 'line twenty', 'line 40']));
    await window.closeChanges();
    await window.restoreCheckpoint(1, { hasEdits: true });
    await window.shows('Checkpoint Restored');
    // In a browser VS Code has no way to files of the machine: it can't give them back. What is there must not suffer.
    expect(await readFile(file, 'utf8')).toBe(CHANGED);
  });

  it('don’t go back in the conversation: the window says so, and continues when the session is opened again', async () => {
    const session = await world.session('Goes back', ['hello', 'hello', 'reasoning']);
    await window.openSession('Goes back');
    await window.shows('The answer is 42.');
    await window.restoreCheckpoint(1);
    await window.conversation.getByText('The answer is 42.').waitFor({ state: 'hidden' });
    // What was said then is in the composer again.
    await window.composer.getByText('hello').waitFor();
    await window.write(' again');
    await window.page.keyboard.press('Enter');
    await window.shows(/Going back to an earlier message is not supported/);
    expect(session.confirmed.value.turns).toHaveLength(3);
    await window.openSession('Another one');
    await window.openSession('Goes back');
    await window.shows('The answer is 42.');
    await window.send('hello');
    await turns(session, 4);
    expect(session.confirmed.value.turns.map(({ userMessage }) => userMessage.text)).toEqual([
      'hello',
      'hello',
      'reasoning',
      'hello',
    ]);
  });
});
