// The pictures of docs/vscode.md, from the real workbench on the demo host: `npm run screenshots:vscode`.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@agenthost/host';
import { describe, expect, it } from 'vitest';
import { openAhpRoute } from '../../apps/cli/src/serve/ahpRoute.js';
import { ahpToken } from '../../apps/cli/src/serve/ahpToken.js';
import { usePages } from '../browser/pageWorld.js';
import { startDemoHost } from '../support/browser/demoHost.js';
import { VSCODE_VERSIONS } from './support/installVscode.js';
import { startVscodeServer } from './support/vscodeServer.js';
import { VscodeWorld } from './support/vscodeWorld.js';
import { PATIENCE, Workbench } from './support/workbench.js';

const wanted = process.env['AGENTHOST_PICTURES'] !== undefined;
const FOLDER = join(import.meta.dirname, '../../docs/screenshots');
const NEWEST = VSCODE_VERSIONS.at(-1) ?? '1.139.1';
/** A path that pictures may show. */
const ROOT = join(tmpdir(), 'demo');

// 2026-11-15: these write the pictures of the docs, which is wanted by `npm run screenshots:vscode` alone.
describe.runIf(wanted)('the pictures', () => {
  const pages = usePages();

  it('of a question', async () => {
    const demo = await startDemoHost({
      root: ROOT,
      listen: (host) => {
        const { routes, dispose } = openAhpRoute(host, silentLog);
        pages.cleanups.push(async () => dispose());
        return { socketRoutes: routes };
      },
    });
    pages.cleanups.push(() => demo.dispose());
    const token = await ahpToken(demo.host, 'driver');
    const server = await startVscodeServer(NEWEST, { url: demo.url, token });
    pages.cleanups.push(() => server.dispose());
    const window = await Workbench.open(pages.browser, server.address(join(ROOT, 'code/agenthost')), {
      width: 1440,
      height: 900,
    });
    pages.cleanups.push(() => window.close());

    await window.openSession('Queued message sent twice');
    await window.button('Allow').waitFor();
    await save(window, 'vscode-confirmation');
  });

  it('of a diff', async () => {
    const world = await VscodeWorld.start(NEWEST);
    pages.cleanups.push(() => world.dispose());
    await world.session('Rewrite the notes');
    const window = await world.window(pages.browser);
    await window.openSession('Rewrite the notes');
    await window.send('write-file notes.txt');
    await window.press('Allow once');
    await window.openEdit('notes.txt');
    await expect.poll(async () => (await window.diff()).after.length, { timeout: PATIENCE }).toBeGreaterThan(0);
    await save(window, 'vscode-diff');
  });

  async function save({ page }: Workbench, name: string): Promise<void> {
    // Where nothing says what it is when it is pointed at.
    await page.mouse.move(0, 0);
    await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled', caret: 'hide' });
  }
});
