// A bot that watches all sessions of a host and reports when one needs input: replace console.log by a chat message.
import { deepEqual, equal } from 'node:assert/strict';
import { connect } from '@agenthost/client';
import { exampleHost, when } from './parts/exampleHost.ts';

const { url, token, close } = await exampleHost();
const told: string[] = [];
const toldOfBoth = Promise.withResolvers<void>();

const bot = await connect({ url, token, clientInfo: { name: 'Bot' } });
bot.onNotification((event) => {
  if (event.type === 'notify/sessionSummaryChanged' && event.changes.status === 'inputNeeded') void tell(event.session);
  // Notifications are not repeated after a lost connection: then it lists again.
  if (event.type === 'client/listsStale') void lookForAll();
});
await lookForAll();

async function lookForAll(): Promise<void> {
  const { items } = await bot.listSessions({ filter: { status: 'inputNeeded' } });
  for (const { resource } of items) await tell(resource);
}

async function tell(uri: string): Promise<void> {
  const session = await bot.openSession(uri);
  for (const { toolCall } of session.pendingConfirmations.value) say(`${toolCall.displayName}: ${toolCall.toolInput}`);
  for (const { request } of session.pendingPermissions.value) say(`${request.title} ${request.message}`);
  session.close();
}

function say(text: string): void {
  console.log(text);
  if (told.push(text) === 2) toldOfBoth.resolve();
}

// Another client works here.
const person = await connect({ url, token, clientInfo: { name: 'Ada' } });
for (const [provider, message] of [
  ['shell', 'make deploy'],
  ['mock', 'question'],
  ['mock', 'hello'],
] as const) {
  const session = await person.createSession({ provider });
  await session.ready();
  await session.send(message);
  const waits = message !== 'hello';
  await when(session.confirmed, ({ summary, turns }) =>
    waits ? summary.status === 'inputNeeded' : turns.length === 1,
  );
}
await toldOfBoth.promise;
deepEqual(told.sort(), ['Terminal: make deploy', 'Which colour? The mock agent needs a colour.']);
equal((await bot.listSessions({ filter: { status: 'inputNeeded' } })).total, 2);

bot.close();
person.close();
await close();
