// Connects to a host, creates a session and prints the answer while it streams.
import { deepEqual, equal } from 'node:assert/strict';
import { connect } from '@agenthost/client';
import { ended, exampleHost } from './parts/exampleHost.ts';

const { url, token, close } = await exampleHost();
const host = await connect({ url, token });
deepEqual(
  host.root.state.value.agents.map(({ provider }) => provider),
  ['shell', 'mock'],
);

const session = await host.createSession({ provider: 'mock' });
await session.ready();

// The state changes as text comes in; the new text is what is longer than before.
let printed = '';
session.state.subscribe(({ turns, activeTurn }) => {
  const parts = (activeTurn ?? turns.at(-1))?.responseParts ?? [];
  const text = parts.map((part) => (part.kind === 'markdown' ? part.content : '')).join('');
  process.stdout.write(text.slice(printed.length));
  printed = text;
});
const answer = await ended(session, await session.send('hello'));
process.stdout.write('\n');

equal(answer.state, 'complete');
equal(answer.text, 'Hello, world!');
equal(printed, answer.text);

host.close();
await close();
