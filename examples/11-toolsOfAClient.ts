// Offers a tool to the agent of a session: the agent calls it, a person approves, this program carries it out.
import { deepEqual, equal } from 'node:assert/strict';
import { connect } from '@agenthost/client';
import { ended, exampleHost } from './parts/exampleHost.ts';

const { url, token, close } = await exampleHost();
const host = await connect({ url, token, clientInfo: { name: 'The editor' } });
const session = await host.createSession({ provider: 'mock' });
await session.ready();

const opened: string[] = [];
const tools = await session.registerTools([
  {
    name: 'open_file',
    description: 'Opens a file in the editor.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    // The input is what a model made: look at it before you use it.
    handler: async ({ path }, { signal }) => {
      if (typeof path !== 'string') throw new Error('path must be a string');
      signal.throwIfAborted();
      opened.push(path);
      return `Opened ${path}.`;
    },
  },
]);

// The agent asks about it as about any other tool.
const approving = session.pendingConfirmations.subscribe(([question]) => {
  if (question) void question.approve();
});
const answer = await ended(session, await session.send('client-tool open_file {"path":"README.md"}'));
equal(answer.text, 'Answered: Opened README.md.');
deepEqual(opened, ['README.md']);
console.log(answer.text);

approving.dispose();
tools.dispose();
host.close();
await close();
