import type { HostClient, SessionHandle } from '@agenthost/client';
import type { Turn } from '@agenthost/protocol';
import { MAX_TEXT_LENGTH } from '@agenthost/protocol';
import { defineCommand, HOST_OPTIONS, JSON_OPTION, type Values } from '../command.js';
import { CommandError, EXIT, usageError } from '../commandError.js';
import { findSession, idOf } from '../sessionName.js';
import { styleFor } from '../text/style.js';
import type { ApprovalPolicy } from '../turn/approvals.js';
import { chooseSettings, SETTING_OPTIONS } from '../turn/chooseSettings.js';
import { printEvent } from '../turn/jsonTurn.js';
import { runTurn } from '../turn/runTurn.js';
import { outcomeLine } from '../turn/turnPrinter.js';
import { withHost } from '../withHost.js';
import { createSession, NEW_OPTIONS } from './new.js';

const options = {
  ...HOST_OPTIONS,
  ...JSON_OPTION,
  new: { type: 'boolean', help: 'in a new session, without SESSION' },
  ...NEW_OPTIONS,
  ...SETTING_OPTIONS,
  approve: {
    type: 'string',
    value: 'WHAT',
    help: 'answer questions of the agent automatically',
    choices: ['all', 'reads', 'none'],
  },
  tools: {
    type: 'string',
    value: 'HOW',
    help: 'show tool calls as one line each, with their output, or not at all',
    choices: ['line', 'output', 'none'],
  },
  reasoning: { type: 'boolean', help: 'also the reasoning of the agent' },
  steer: { type: 'boolean', help: 'steer the running turn instead of waiting for its end' },
  detach: { type: 'boolean', short: 'd', help: 'do not wait for the answer; print the id of the turn' },
} as const;

export const command = defineCommand({
  name: 'send',
  summary: 'send a message and print the answer while it streams',
  usage: 'SESSION MESSAGE… | --new MESSAGE… [flags]',
  options,
  completes: 'session',
  notes: `The answer goes to standard output, everything else (tool calls, questions, errors) to standard error. A MESSAGE of - reads
standard input and appends it to the other words. While another turn runs, the message waits for its end.

Answer the agent's questions with y (once), s (for this session) or n (no). --approve all allows everything, reads only calls
that the agent marks as read-only, none denies. Without a terminal and without --approve a question stays open for other
clients, and the command exits with 12. Ctrl+C cancels the turn; twice leaves it running, and so does a closed pipe.
A form is asked field by field; skip lets the agent decide, decline gives no answer. One with a secret stays open.
The shell agent's tool output is its answer, so --tools defaults to output there, else to line.

--mode and --set change the agent's settings before the message is sent, and for later turns. They take ids or names; a wrong one
lists those that there are. When the agent refuses, nothing is sent and the command exits with 1.

Exit codes: 0 complete, 10 the turn failed, 11 cancelled, 12 waits for an answer, 13 complete but something was denied.`,
  examples: [
    'agenthost send --new --agent shell "npm test"',
    'agenthost send last "and now fix it" --approve reads',
    'agenthost send last --mode plan --set effort=high "how would you do it?"',
    'git diff | agenthost send last "review this:" -',
    'agenthost send --new --approve all "ls" | head -1',
  ],
  run: async (values, positionals) => {
    const name = values.new ? undefined : positionals[0];
    const words = values.new ? positionals : positionals.slice(1);
    if (!values.new && name === undefined) {
      throw usageError('A session is missing.', 'Name one as agenthost ls does, say last, or give --new.');
    }
    const message = await readMessage(words);
    return withHost(values, async (host) => {
      const session = values.new
        ? await createSession(host, values)
        : await host.openSession(await findSession(host, name), { turns: 1 });
      await session.ready();
      await chooseSettings(session, values);
      if (values.steer) return steer(session, message);
      // Queued, because then it starts at once or as soon as possible, whatever else happens meanwhile.
      const turnId = await session.queue(message);
      if (values.json) printEvent('turn', { session: session.uri, turnId });
      if (values.detach) {
        if (!values.json) process.stdout.write(`${session.uri}\t${turnId}\n`);
        return EXIT.ok;
      }
      if (values.new && !values.json) process.stderr.write(styleFor(process.stderr).dim(`· ${session.uri}\n`));
      return follow(host, session, turnId, values);
    });
  },
});

async function steer(session: SessionHandle, message: string): Promise<number> {
  if (!session.confirmed.value.activeTurn) {
    throw new CommandError(EXIT.failed, 'No turn runs that could be steered.', 'Send it without --steer.');
  }
  await session.steer(message);
  return EXIT.ok;
}

async function follow(
  host: HostClient,
  session: SessionHandle,
  turnId: string,
  values: Values<typeof options>,
): Promise<number> {
  const provider = session.confirmed.value.summary.provider;
  const canAsk = process.stdin.isTTY === true && process.stderr.isTTY === true;
  const { turn, wasDenied } = await runTurn(host, session, {
    turnId,
    policy: (values.approve as ApprovalPolicy | undefined) ?? (canAsk ? 'ask' : 'leave'),
    canAsk,
    tools: (values.tools as 'line' | 'output' | 'none' | undefined) ?? (runsInput(host, provider) ? 'output' : 'line'),
    reasoning: values.reasoning ?? false,
    json: values.json ?? false,
    howToAttach: `agenthost attach ${idOf(session.uri)}`,
  });
  report(turn, values.json ?? false);
  if (turn.state === 'error') return EXIT.turnFailed;
  if (turn.state === 'cancelled') return EXIT.turnCancelled;
  return wasDenied ? EXIT.denied : EXIT.ok;
}

/** For such an agent the output is the answer. */
function runsInput({ root }: HostClient, provider: string): boolean {
  return root.state.value.agents.some((agent) => agent.provider === provider && agent.runsInput);
}

function report(turn: Turn, json: boolean): void {
  if (json) {
    printEvent('end', {
      state: turn.state,
      ...(turn.error && { error: turn.error }),
      ...(turn.usage && { usage: turn.usage }),
    });
    return;
  }
  const line = outcomeLine(turn, styleFor(process.stderr));
  if (line !== undefined) process.stderr.write(`${line}\n`);
}

/** The message from the arguments; `-`, or a pipe without arguments, stands for standard input. */
async function readMessage(words: readonly string[]): Promise<string> {
  const readsInput = words.includes('-') || (words.length === 0 && !process.stdin.isTTY);
  const given = words.filter((word) => word !== '-').join(' ');
  const input = readsInput ? await readInput() : '';
  const message = [given, input].filter((part) => part.trim() !== '').join('\n\n');
  if (message === '')
    throw usageError('The message is missing.', 'Give it after the session, or - to read standard input.');
  if (message.length > MAX_TEXT_LENGTH) throw tooLong();
  return message;
}

async function readInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk;
    // An endless pipe must not fill the memory.
    if (text.length > MAX_TEXT_LENGTH) throw tooLong();
  }
  return text.trimEnd();
}

function tooLong(): CommandError {
  return new CommandError(
    EXIT.usage,
    `The message has more than ${MAX_TEXT_LENGTH} characters.`,
    'Put it into a file that the agent can read, and name that file.',
  );
}
