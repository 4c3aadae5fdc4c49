import { expect, it } from 'vitest';
import { usePages } from '../browser/pageWorld.js';
import { VSCODE_VERSIONS } from './support/installVscode.js';
import { turns, VscodeWorld } from './support/vscodeWorld.js';

const pages = usePages();

it.each(VSCODE_VERSIONS)('VS Code %s asks whether a folder is trusted before it sends anything', async (version) => {
  const world = await VscodeWorld.start(version, { asksForTrust: true });
  pages.cleanups.push(() => world.dispose());
  const session = await world.session('First of all');
  const window = await world.window(pages.browser);
  await window.openSession('First of all');
  await window.send('hello');
  const trust = window.page.getByText('Trust Folder & Continue');
  await trust.waitFor();
  expect(session.confirmed.value).toMatchObject({ turns: [], activeTurn: undefined });
  await trust.click();
  await window.shows('Hello, world!');
  await turns(session, 1);
});
