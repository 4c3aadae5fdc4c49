// One list of two kinds of sessions: those of a host, and markdown files of a folder (parts/markdownFolderProvider.ts).
import { deepEqual, equal } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '@agenthost/client';
import {
  AgentHostProvider,
  SessionsListModel,
  SessionsManagementService,
  SessionsProvidersService,
} from '@agenthost/sessions';
import { ended, exampleHost } from './parts/exampleHost.ts';
import { MarkdownFolderProvider } from './parts/markdownFolderProvider.ts';
import { nodeNoteFolder } from './parts/nodeNoteFolder.ts';

const { url, token, stateDir, close } = await exampleHost();
const host = await connect({ url, token });
const session = await host.createSession({ provider: 'mock' });
await session.ready();
await ended(session, await session.send('title Ask the agent'));

const folder = join(stateDir, 'notes');
await mkdir(folder);
await writeFile(join(folder, 'milk.md'), '# Buy milk\n');
const notes = new MarkdownFolderProvider(nodeNoteFolder(folder));

const providers = new SessionsProvidersService();
const sessions = new SessionsManagementService(providers);
const agentHost = new AgentHostProvider(host, { name: 'example' });
providers.registerProvider(notes);
providers.registerProvider(agentHost);
await agentHost.refreshSessions();

const draft = await sessions.createNewSession('markdown', sessions.resolveWorkspace('markdown', `file://${folder}`));
const note = await sessions.sendAndCreateChat(draft, { query: 'Call Ada' });
await sessions.renameChat(note, note.mainChat.resource, 'Call Grace');

const list = new SessionsListModel(sessions, { order: 'title', groupBy: 'none' });
const titles = () =>
  Array.from({ length: list.length }, (_, line) => list.at(line)).flatMap((item) =>
    item?.kind === 'session' ? [item.session.title.value] : [],
  );
deepEqual(titles(), ['Ask the agent', 'Buy milk', 'Call Grace']);
equal(sessions.getSessions().length, 3);
console.log(titles().join(', '));

list.dispose();
notes.dispose();
agentHost.dispose();
host.close();
await close();
