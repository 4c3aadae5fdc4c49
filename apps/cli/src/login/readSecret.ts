import type { ReadStream } from 'node:tty';
import { CommandError, EXIT } from '../commandError.js';

const MAX_LENGTH = 8_192;

/** A secret from the terminal, without an echo, or from standard input. Never from the command line: other users can read that. */
export async function readSecret(prompt: string): Promise<string> {
  const { stdin } = process;
  const secret = stdin.isTTY ? await typed(stdin, prompt) : await piped();
  if (secret === '') throw new CommandError(EXIT.usage, 'There is no key.', 'Type it, or pass it on standard input.');
  return secret;
}

async function piped(): Promise<string> {
  let text = '';
  for await (const piece of process.stdin) {
    text += String(piece);
    if (text.length > MAX_LENGTH)
      throw new CommandError(EXIT.usage, 'That is too long for a key.', 'Pass only the key.');
  }
  return text.trim();
}

function typed(stdin: ReadStream, prompt: string): Promise<string> {
  // First: a key that is pasted as soon as the question is there would be shown.
  stdin.setRawMode(true);
  process.stderr.write(prompt);
  stdin.resume();
  return new Promise((resolve, reject) => {
    let text = '';
    const end = (settle: () => void) => {
      stdin.off('data', read);
      stdin.setRawMode(false);
      stdin.pause();
      process.stderr.write('\n');
      settle();
    };
    const read = (data: Buffer) => {
      for (const character of data.toString('utf8')) {
        if (character === '\r' || character === '\n') return end(() => resolve(text.trim()));
        if (character === '\u0003' || character === '\u0004') {
          return end(() => reject(new CommandError(EXIT.interrupted, 'Interrupted.', 'Nothing was saved.')));
        }
        if (character === '\u007f' || character === '\b') text = text.slice(0, -1);
        else if (character >= ' ' && text.length < MAX_LENGTH) text += character;
      }
    };
    stdin.on('data', read);
  });
}
