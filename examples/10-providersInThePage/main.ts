// Providers that the page shows beside its hosts. A custom build of the page has, instead of apps/web/src/main.tsx:
//   startPage(document.getElementById('root'), { providers: await providers() });
// test/browser/providers.test.ts builds that and opens it.
import { InMemoryProvider, type SessionsProvider } from '@agenthost/sessions';
import { MarkdownFolderProvider } from '../parts/markdownFolderProvider.ts';
import { storageNoteFolder } from '../parts/storageNoteFolder.ts';

export async function providers(): Promise<readonly SessionsProvider[]> {
  const notebook: InMemoryProvider = new InMemoryProvider({
    id: 'notebook',
    label: 'Notebook',
    browseActions: [{ label: 'Shelf', icon: 'folder', run: async () => notebook.resolveWorkspace('file:///shelf') }],
    reply: async ({ text }) => {
      if (text === 'refuse this') throw new Error('the notebook is full');
      return `Noted: **${text}**`;
    },
  });
  await begin(notebook, 'Buy milk');
  // Lists its sessions and shows no conversation.
  const index = new InMemoryProvider({ id: 'index', label: 'Index', supportsMultipleChats: false });
  await begin(index, 'Say nothing');
  Object.assign(index, { openChat: undefined });
  return [notebook, new MarkdownFolderProvider(storageNoteFolder(localStorage)), index];
}

async function begin(provider: InMemoryProvider, query: string): Promise<void> {
  const { sessionId } = await provider.createNewSession(provider.resolveWorkspace('file:///desk'));
  await provider.sendAndCreateChat(sessionId, { query });
}
