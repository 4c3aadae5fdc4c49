// Sessions of two machines in one list, with one tray of all open questions.
import { deepEqual, equal } from 'node:assert/strict';
import { connect } from '@agenthost/client';
import {
  AgentHostProvider,
  NeedsInput,
  SessionsManagementService,
  SessionsProvidersService,
} from '@agenthost/sessions';
import { ended, exampleHost, when } from './parts/exampleHost.ts';

const machines = { laptop: await exampleHost(), 'dev-box': await exampleHost() };
const providers = new SessionsProvidersService();
const sessions = new SessionsManagementService(providers);
const tray = new NeedsInput(providers, sessions);

const hosts = await Promise.all(
  Object.entries(machines).map(async ([name, { url, token }]) => {
    const host = await connect({ url, token });
    providers.registerProvider(new AgentHostProvider(host, { name }));
    const session = await host.createSession({ provider: 'mock', workingDirectory: 'file:///tmp' });
    await session.ready();
    await ended(session, await session.send(`title Work on the ${name}`));
    await session.send('permission');
    await when(session.confirmed, ({ summary }) => summary.status === 'inputNeeded');
    return host;
  }),
);

const waiting = await when(tray.waiting, ({ length }) => length === 2);
const titles = sessions.getSessions().map(({ title }) => title.value);
deepEqual(titles.sort(), ['Work on the dev-box', 'Work on the laptop']);

// Answered from one place, whichever machine asked.
for (const { model } of waiting) {
  const [asked] = await when(model.permissions, ({ length }) => length > 0);
  await asked?.answer({ approved: true });
}
await when(tray.count, (count) => count === 0);
equal(tray.waiting.value.length, 0);
console.log(`${titles.join(', ')}: nothing waits any more`);

tray.dispose();
for (const host of hosts) host.close();
for (const machine of Object.values(machines)) await machine.close();
