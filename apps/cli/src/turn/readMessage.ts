import { MAX_TEXT_LENGTH } from '@agenthost/protocol';
import { CommandError, EXIT, usageError } from '../commandError.js';

/** The message of the arguments; `-`, or a pipe where no arguments are, stands for standard input. */
export async function readMessage(words: readonly string[]): Promise<string> {
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
    // Whoever pipes in something without an end must not fill the memory.
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
