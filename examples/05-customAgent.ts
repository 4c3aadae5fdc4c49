// A host with your own agent: parts/wordCountAgent.ts. It passes the contract suite for agents.
import { equal } from 'node:assert/strict';
import { connect } from '@agenthost/client';
import { ended, exampleHost, when } from './parts/exampleHost.ts';
import { WordCountAgent } from './parts/wordCountAgent.ts';

const { url, token, close } = await exampleHost([new WordCountAgent()]);
const host = await connect({ url, token });
const [agent] = host.root.state.value.agents;
equal(agent?.displayName, 'Word count');

const session = await host.createSession({ provider: 'words' });
await session.ready();
const turnId = await session.send('to be or not to be');
await when(session.confirmed, ({ summary }) => summary.status === 'inputNeeded');
const [asked] = session.pendingConfirmations.value;
equal(asked?.toolCall.confirmation.title, 'Count the words?');
await asked?.approve();
const turn = await ended(session, turnId);
equal(turn.text, 'That is 6 words.');

// The host does everything else: it stores, lists, searches, and keeps every client up to date.
const { items } = await host.listSessions({ filter: { text: '"not to be"' } });
equal(items[0]?.resource, session.uri);
console.log(`${agent?.displayName}: ${turn.text}`);

host.close();
await close();
