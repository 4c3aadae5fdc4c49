// While an agent works: one message for the running turn, two for later, reordered, and one removed.
import { deepEqual, match } from 'node:assert/strict';
import { connect } from '@agenthost/client';
import { ended, exampleHost, when } from './parts/exampleHost.ts';

const { url, token, close } = await exampleHost();
const host = await connect({ url, token });
const session = await host.createSession({ provider: 'mock' });
await session.ready();

const running = await session.send('steer'); // the mock agent waits for a steering message
const first = await session.queue('write the tests');
const second = await session.queue('read the issue');
const third = await session.queue('have lunch');
await session.reorderQueue([second, first, third]);
await session.removePending(third);
await session.editPending(second, 'read the issue twice');
deepEqual(
  session.confirmed.value.queuedMessages?.map(({ userMessage }) => userMessage.text),
  ['read the issue twice', 'write the tests'],
);

await session.steer('to the left');
match((await ended(session, running)).text, /Steered: to the left$/);

// The queue continues automatically; a queued message's turn has its id.
await ended(session, first);
const { turns } = await when(
  session.confirmed,
  ({ activeTurn, queuedMessages = [] }) => !activeTurn && queuedMessages.length === 0,
);
const asked = turns.map(({ userMessage }) => userMessage.text);
deepEqual(asked, ['steer', 'read the issue twice', 'write the tests']);
console.log(asked.join(' → '));

host.close();
await close();
