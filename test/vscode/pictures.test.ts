// The pictures of docs/vscode.md, from the real workbench on the demo host: `npm run screenshots:vscode`.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@agenthost/host';
import { describe, it } from 'vitest';
import { openAhpRoute } from '../../apps/cli/src/ahpRoute.js';
import { ahpToken } from '../../apps/cli/src/ahpToken.js';
import { usePages } from '../browser/pageWorld.js';
import { startDemoHost } from '../support/demoHost.js';
import { VSCODE_VERSIONS } from './support/installVscode.js';
import { startVscodeServer } from './support/vscodeServer.js';
import { Workbench } from './support/workbench.js';

const wanted = process.env['AGENTHOST_PICTURES'] !== undefined;
const FOLDER = join(import.meta.dirname, '../../docs/screenshots');
/** A path that pictures may show. */
const ROOT = join(tmpdir(), 'demo');

describe.runIf(wanted)('the pictures', () => {
  const pages = usePages();

  it('are made anew', async () => {
    const [newest] = VSCODE_VERSIONS.toReversed();
    if (!newest) throw new Error('no version of VS Code is installed');
    const demo = await startDemoHost({
      root: ROOT,
      listen: (host) => {
        const { routes, dispose } = openAhpRoute(host, silentLog);
        pages.cleanups.push(async () => dispose());
        return { socketRoutes: routes };
      },
    });
    pages.cleanups.push(() => demo.dispose());
    const token = await ahpToken(demo.host.stateDir, 'driver');
    const server = await startVscodeServer(newest, { url: demo.url, token });
    pages.cleanups.push(() => server.dispose());
    const window = await Workbench.open(pages.browser, server.address(join(ROOT, 'code/agenthost')), {
      width: 1440,
      height: 900,
    });
    pages.cleanups.push(() => window.close());

    await window.openSession('Queued message sent twice');
    await window.button('Allow').waitFor();
    await save('vscode-confirmation');
    await window.openEdit('writeAhead.ts');
    await window.page.locator('.part.editor .monaco-diff-editor .view-line').first().waitFor();
    await save('vscode-diff');

    async function save(name: string): Promise<void> {
      await window.page.mouse.move(700, 20);
      await window.page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled', caret: 'hide' });
    }
  });
});
