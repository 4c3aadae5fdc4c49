import { readFileSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Session,
  SessionsListModel,
  SessionsManagementService,
  SessionsProvidersService,
} from '@agenthost/sessions';
import { providerContract } from '@agenthost/sessions/contract';
import { describe, expect, it, vi } from 'vitest';
import { MarkdownFolderProvider } from '../../examples/parts/markdownFolderProvider.js';
import { nodeNoteFolder } from '../../examples/parts/nodeNoteFolder.js';
import { ROOT } from '../architecture/workspace.js';
import { temporaryFolder } from '../support/testHost.js';

vi.spyOn(console, 'error').mockImplementation(() => {});

describe('the example of a provider', () => {
  const cases = providerContract(async () => {
    const folder = await temporaryFolder();
    const provider = new MarkdownFolderProvider(nodeNoteFolder(folder));
    return {
      provider,
      workspaceUri: `file://${folder}`,
      modelId: 'any',
      dispose: async () => {
        provider.dispose();
        await rm(folder, { recursive: true });
      },
    };
  });
  it.each(cases)('passes the contract: $name', ({ run }) => run());

  it('shows the content of the folder, and changes by others', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'milk.md'), '# Buy milk\n\nTwo litres.\n');
    await writeFile(join(folder, 'no heading.md'), 'x');
    const provider = new MarkdownFolderProvider(nodeNoteFolder(folder));
    try {
      const registry = new SessionsProvidersService();
      const service = new SessionsManagementService(registry);
      registry.registerProvider(provider);
      const list = new SessionsListModel(service, { order: 'title' });
      const titles = () =>
        list.groups.flatMap((group) =>
          Array.from({ length: group.length }, (_, n) => group.at(n)?.session.title.value),
        );
      expect(titles()).toEqual(['Buy milk', 'no heading.md']);
      const milk = service.getSession('markdown:milk.md') as Session;
      await service.renameChat(milk, milk.mainChat.resource, 'Buy oat milk');
      expect(await readFile(join(folder, 'milk.md'), 'utf8')).toBe('# Buy oat milk\n\nTwo litres.\n');
      const draft = await service.createNewSession('markdown', provider.resolveWorkspace(`file://${folder}`));
      await service.sendAndCreateChat(draft, { query: 'Call Ada\nabout the engine' });
      expect(titles()).toEqual(['Buy oat milk', 'Call Ada', 'no heading.md']);
      expect((await readdir(folder)).length).toBe(3);
      const gone = new Promise<string | undefined>((resolve) => {
        service.onDidChangeSessions(({ removed }) => removed[0] && resolve(removed[0].resource));
      });
      await rm(join(folder, 'milk.md'));
      expect(await gone).toBe('markdown:milk.md');
    } finally {
      provider.dispose();
      await rm(folder, { recursive: true });
    }
  });

  it('is under 200 lines', () => {
    const lines = readFileSync(join(ROOT, 'examples/parts/markdownFolderProvider.ts'), 'utf8').split('\n').length;
    expect(lines).toBeLessThan(200);
  });
});
