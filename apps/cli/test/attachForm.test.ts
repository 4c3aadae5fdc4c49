import type { HostClient, SessionHandle } from '@agenthost/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Terminal } from '../../../test/support/terminal.js';
import { startTestHost, type TestHost } from '../../../test/support/testHost.js';
import { until } from '../../../test/support/until.js';

const SECRET = 'xyzzy-hunter2';
const DOWN = '\u001b[B';

let host: TestHost;
let browser: HostClient;
beforeAll(async () => {
  host = await startTestHost();
  browser = await host.connect({ clientInfo: { name: 'Mira', device: 'iPhone' } });
});
afterAll(() => host.dispose());

async function inTerminal(use: (terminal: Terminal, session: SessionHandle) => Promise<void>): Promise<void> {
  const session = await browser.createSession({ provider: 'mock' });
  await session.ready();
  const env = { AGENTHOST_HOME: host.stateDir };
  const terminal = Terminal.inShell(['attach', session.uri], { env, cwd: host.stateDir, rows: 40, columns: 140 });
  try {
    await terminal.until('Write a message');
    await use(terminal, session);
  } finally {
    await terminal.dispose();
  }
}

it('a form is filled in field by field, and a secret is shown as dots', async () => {
  await inTerminal(async (terminal, session) => {
    await session.send('form all');
    await terminal.until('? Set up the deployment', 's Skip', 'n Decline', 'f Fill it in');
    terminal.type('f');
    await terminal.until('(1 of 6)', 'Which payment flow should stay?', '( ) 2 Embedded form');
    terminal.type(`${DOWN} `);
    await terminal.until('(•) 2 Embedded form');
    terminal.type('\r');
    await terminal.until('(2 of 6)', '[x] 2 Tests');
    terminal.type('1');
    await terminal.until('[x] 1 Lint');
    terminal.type('\r');
    await terminal.until('(3 of 6)', 'Who is told? (optional)');
    terminal.type('mira at example');
    await terminal.until('mira at example');
    terminal.type('\r');
    await terminal.until('Write an e-mail address.');
    terminal.type('\u0015');
    terminal.type('mira@example.com');
    await terminal.until('mira@example.com');
    terminal.type('\r');
    await terminal.until('(4 of 6)', 'How often is it tried again?');
    terminal.type('\r');
    await terminal.until('(5 of 6)', 'To the staging system first?');
    terminal.type('1');
    await terminal.until('(•) 1 Yes');
    terminal.type('\r');
    await terminal.until('(6 of 6)', 'Deploy token');
    terminal.type(SECRET);
    await terminal.until('•'.repeat(SECRET.length));
    expect(terminal.text).not.toContain(SECRET);
    terminal.type('\r');
    await terminal.until(`secret of ${SECRET.length} characters`);
    expect(terminal.text).not.toContain(SECRET);
    const { turns } = await until(session.confirmed, (state) => state.turns.length === 1);
    expect(turns[0]?.answeredPermissions?.[0]).toMatchObject({ form: 'answered' });
  });
});

it('Esc keeps what was filled in, and an answer from elsewhere closes the question', async () => {
  await inTerminal(async (terminal, session) => {
    await session.send('form');
    await terminal.until('f Fill it in');
    terminal.type('f');
    await terminal.until('( ) 2 Embedded form');
    terminal.type('2');
    await terminal.until('(•) 2 Embedded form');
    terminal.type('\u001b');
    await terminal.until('f Fill it in');
    terminal.type('f');
    await terminal.until('(•) 2 Embedded form');
    const [question] = session.pendingPermissions.value;
    await question?.fill({ flow: 'both' });
    await until(session.confirmed, ({ turns }) => turns.length === 1);
    terminal.type('\r');
    await terminal.until('(2 of 2)');
    terminal.type('\r');
    await terminal.until('Another client has answered meanwhile.');
  });
});

it('send asks field by field, and leaves a form with a secret to others', async () => {
  const session = await browser.createSession({ provider: 'mock' });
  await session.ready();
  const send = (message: string) => {
    const env = { AGENTHOST_HOME: host.stateDir };
    return Terminal.inShell(['send', session.uri, message], { env, cwd: host.stateDir, rows: 40, columns: 140 });
  };
  const asked = send('form');
  await asked.until('? Two questions', '2 Embedded form', 'Which payment flow should stay?:');
  asked.type('7\r');
  // What is typed before the question is there again is no answer.
  await asked.until(/Choose one of the choices\.\s+Which payment flow should stay\?:/);
  asked.type('2\r');
  await asked.until('What should the button say? (optional):');
  asked.type('Pay now\r');
  await asked.until('You answered: {"flow":"embedded","button":"Pay now"}', 'ended with 0');
  await asked.dispose();
  const secret = send('form all');
  await secret.until('It asks for a secret. Answer it on the page or with agenthost attach.', 'ended with 12');
  await secret.dispose();
  await session.pendingPermissions.value[0]?.skip();
});
