import type { HostClient, SessionHandle } from '@agenthost/client';
import type { AgentEvent } from '@agenthost/host';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptedAgent } from '../../../test/support/agents/scriptedAgent.js';
import { Terminal } from '../../../test/support/terminal.js';
import { startTestHost, type TestHost } from '../../../test/support/testHost.js';
import { until } from '../../../test/support/until.js';

const ESC = '\u001b';
const DOWN = `${ESC}[B`;
const PAGE_DOWN = `${ESC}[6~`;
const LONG = [...Array.from({ length: 60 }, (_, n) => `echo step ${n + 1}`), 'rm -rf /srv/data'].join('\n');

const COMMANDS: Readonly<Record<string, string>> = {
  long: LONG,
  short: 'cd /srv\nls',
  hidden: 'rm -rf /srv\recho harmless',
};

/** Asks before it runs the named command. */
const asking = () =>
  new ScriptedAgent({
    provider: 'mock',
    displayName: 'Asking',
    script: async function* ({ text }, turn): AsyncIterable<AgentEvent> {
      const toolCallId = `call ${text}`;
      const answered = turn.answer(toolCallId);
      yield {
        type: 'toolStart',
        toolCall: {
          toolCallId,
          toolName: 'any',
          displayName: 'Shell',
          invocationMessage: 'Running a command',
          toolKind: 'terminal',
          language: 'shellscript',
          toolInput: COMMANDS[text] ?? text,
          status: 'pendingConfirmation',
          confirmation: { title: 'Run it?' },
        },
      };
      const { approved } = await answered;
      if (!approved) return;
      yield { type: 'toolComplete', toolCallId, result: { success: true, pastTenseMessage: 'Ran it', exitCode: 0 } };
      yield { type: 'text', text: 'It was run.' };
    },
  });

describe('before a command is allowed', () => {
  let host: TestHost;
  let session: SessionHandle;
  const terminals: Terminal[] = [];

  beforeEach(async () => {
    host = await startTestHost({ agents: [asking()] });
    const client: HostClient = await host.connect({ clientInfo: { name: 'Mira' } });
    session = await client.createSession({ provider: 'mock' });
    await session.ready();
  });
  afterEach(async () => {
    await Promise.all(terminals.splice(0).map((terminal) => terminal.dispose()));
    await host.dispose();
  });

  function open(args: readonly string[], rows = 24): Terminal {
    const env = { AGENTHOST_HOME: host.stateDir };
    const terminal = Terminal.inShell(args, { env, cwd: host.stateDir, columns: 80, rows });
    terminals.push(terminal);
    return terminal;
  }

  const asked = () => until(session.pendingConfirmations, (open) => open.length === 1, 'the question');

  it('attach shows all lines of a command that fits, and takes the answer', async () => {
    const terminal = open(['attach', session.uri]);
    await terminal.until('Write a message');
    await session.send('short');
    await terminal.until('? Run it?', '    cd /srv', '    ls', 'Tab, then a key');
    terminal.type('\ty');
    await terminal.until('It was run.');
  });

  it('attach scrolls a long command, and takes no yes before its end was shown', async () => {
    const terminal = open(['attach', session.uri]);
    await terminal.until('Write a message');
    await session.send('long');
    await terminal.until('? Run it?', '    echo step 1', /lines 1 to \d+ of 61/);
    terminal.type('\ty');
    await terminal.until('Look at the rest of it first');
    expect(session.pendingConfirmations.value).toHaveLength(1);
    terminal.type(DOWN);
    await terminal.until(/lines 2 to \d+ of 61/);
    for (let page = 0; page < 10; page++) terminal.type(PAGE_DOWN);
    await terminal.until('    rm -rf /srv/data', /to 61 of 61/);
    terminal.type('y');
    await terminal.until('It was run.');
  });

  it('attach takes a no at once', async () => {
    const terminal = open(['attach', session.uri]);
    await terminal.until('Write a message');
    await session.send('long');
    await terminal.until('? Run it?');
    terminal.type('\tn');
    const { turns } = await until(session.confirmed, (state) => state.turns.length === 1, 'the end of the turn');
    expect(turns[0]?.toolCalls).toMatchObject([{ status: 'cancelled', cancelled: 'denied' }]);
  });

  it('attach and send show text that a terminal would overwrite', async () => {
    const terminal = open(['attach', session.uri]);
    await terminal.until('Write a message');
    await session.send('hidden');
    await asked();
    await terminal.until('    rm -rf /srv⟨U+000D⟩echo harmless');
  });

  it('send prints every line before it asks', async () => {
    const terminal = open(['send', session.uri, 'long'], 200);
    await terminal.until('? Run it?', '    echo step 1', '    echo step 60', '    rm -rf /srv/data', 'y Allow once');
    terminal.type('y\r');
    await terminal.until('It was run.', 'ended with 0');
  });
});
