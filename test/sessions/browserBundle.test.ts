import { runInContext } from 'node:vm';
import { expect, it } from 'vitest';
import { ROOT, withoutDocs } from '../architecture/workspace.js';
import { browserPage, bundled } from '../support/browser/browserPage.js';
import { startTestHost } from '../support/testHost.js';

it('the sessions layer runs with only what browsers have', async () => {
  const test = await startTestHost();
  try {
    const [sdk, sessions] = await Promise.all([
      bundled(`${ROOT}/packages/client/dist/index.js`, 'sdk'),
      bundled(`${ROOT}/packages/sessions/dist/index.js`, 'sessions'),
    ]);
    expect(withoutDocs(sessions)).not.toMatch(/\bfrom\s*['"]|\brequire\(|['"]node:/);
    const page = browserPage(test.url.origin);
    runInContext(`${sdk}; ${sessions}; Object.assign(globalThis, { sdk, sessions });`, page);
    const title: unknown = await runInContext(
      `(async () => {
        const host = await sdk.connect({ url: ${JSON.stringify(test.url.href)}, token: ${JSON.stringify(test.token)} });
        const registry = new sessions.SessionsProvidersService();
        const provider = new sessions.AgentHostProvider(host);
        registry.registerProvider(provider);
        const service = new sessions.SessionsManagementService(registry);
        const draft = await service.createNewSession(provider.id, provider.resolveWorkspace(host.defaultDirectory));
        const session = await service.sendAndCreateChat(draft, { query: 'hello' });
        const title = new sessions.SessionsListModel(service).at(1).session.title.value;
        provider.dispose();
        host.close();
        return title;
      })()`,
      page,
    );
    expect(title).toBe('hello');
  } finally {
    await test.dispose();
  }
});
