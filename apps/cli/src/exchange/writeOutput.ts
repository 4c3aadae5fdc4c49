import { open, rename, rm } from 'node:fs/promises';
import { CommandError, EXIT } from '../commandError.js';

/** Writes to standard output, or to a file that appears when it is complete. */
export async function writeOutput(file: string | undefined, pieces: AsyncIterable<string>): Promise<void> {
  if (file === undefined || file === '-') {
    for await (const piece of pieces) {
      if (!process.stdout.write(piece)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
    return;
  }
  const draft = `${file}.${process.pid}.part`;
  try {
    // Conversations are private.
    const handle = await open(draft, 'wx', 0o600);
    try {
      for await (const piece of pieces) await handle.write(piece);
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw writeError(file, error);
  }
}

function writeError(file: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined || !/^E[A-Z]+$/.test(code)) return error;
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return new CommandError(
    EXIT.failed,
    full ? `${file} could not be written: the disk is full.` : `${file} could not be written: ${message}.`,
    full ? 'Free some space, or write it elsewhere with --output.' : 'Choose another place with --output.',
    { cause: error },
  );
}
