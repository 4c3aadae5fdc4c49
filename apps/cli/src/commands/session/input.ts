import type { ToolCallInput } from '@agenthost/client';
import { defineCommand, HOST_OPTIONS } from '../../command.js';
import { CommandError, EXIT, usageError } from '../../commandError.js';
import { findSession } from '../../sessionName.js';
import { inputCall } from '../../turn/inputCall.js';
import { withHost } from '../../withHost.js';

const MAX_INPUT = 1024 * 1024;

export const command = defineCommand({
  name: 'input',
  summary: 'type into the command that runs in a session',
  usage: 'SESSION [TEXT…] [flags]',
  options: {
    ...HOST_OPTIONS,
    eof: { type: 'boolean', help: 'press Ctrl+D after it: the end of the input' },
    interrupt: { type: 'boolean', help: 'press Ctrl+C: interrupt the command, and not the turn' },
  },
  completes: 'session',
  notes: `TEXT is one line. A TEXT of - reads lines from standard input, so that a password is not in the list of processes.
Nobody keeps what is typed; what the command prints of it is output. Exits with 1 when no command runs that takes input, or when
it does not read what was typed.`,
  examples: [
    'agenthost input last yes',
    'agenthost input last - < answers.txt',
    'agenthost input last --eof',
    'agenthost input last --interrupt',
  ],
  run: async (values, [name, ...words]) => {
    const inputs = await readInputs(words, values.eof ?? false, values.interrupt ?? false);
    return withHost(values, async (host) => {
      const session = await host.openSession(await findSession(host, name), { turns: 1 });
      for (const input of inputs) {
        const call = inputCall(session.confirmed.value);
        if (!call) {
          throw new CommandError(
            EXIT.failed,
            'No command runs in this session that takes input.',
            'Start one with agenthost send, or look at agenthost log.',
          );
        }
        await session.sendInput(call.toolCallId, input);
      }
      return EXIT.ok;
    });
  },
});

async function readInputs(words: readonly string[], eof: boolean, interrupt: boolean): Promise<ToolCallInput[]> {
  const text = words.length === 1 && words[0] === '-' ? await readStandardInput() : words.join(' ');
  const lines = words.length === 0 ? [] : text.split('\n');
  if (lines.length === 0 && !eof && !interrupt) {
    throw usageError('Nothing to type.', 'Give a line after the session, - for standard input, --eof or --interrupt.');
  }
  return [
    ...lines.map((line) => ({ kind: 'line', text: line }) as const),
    ...(eof ? [{ kind: 'endOfInput' } as const] : []),
    ...(interrupt ? [{ kind: 'interrupt' } as const] : []),
  ];
}

async function readStandardInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk;
    // An endless pipe must not fill the memory.
    if (text.length > MAX_INPUT) throw usageError('Standard input has more than 1 MiB.', 'Give the command a file.');
  }
  return text.replaceAll('\r\n', '\n').replace(/\n$/, '');
}
