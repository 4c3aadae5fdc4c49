import { createInterface } from 'node:readline/promises';
import { CommandError, EXIT } from './commandError.js';

/** Asks on the terminal. Ctrl+C and the end of the input stop the command. */
export async function isSure(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const stopped = new Promise<never>((_, reject) => {
    const stop = () => reject(new CommandError(EXIT.interrupted, 'Stopped.', 'Nothing more was deleted.'));
    lines.once('SIGINT', stop);
    lines.once('close', stop);
  });
  try {
    return /^y(es)?$/i.test((await Promise.race([lines.question(question), stopped])).trim());
  } finally {
    stopped.catch(() => {});
    lines.close();
  }
}
