import { GitError } from '../gitError.js';

const MAX_WAITING = 32;

interface Line {
  last: Promise<unknown>;
  count: number;
}

/** By the folder of the repository that all its worktrees share. */
const lines = new Map<string, Line>();

/** One thing at a time for each repository, whichever session it is of. */
export async function oneAtATime<T>(commonDir: string, task: () => Promise<T>): Promise<T> {
  const line = lines.get(commonDir) ?? { last: Promise.resolve(), count: 0 };
  if (line.count >= MAX_WAITING) {
    throw new GitError('busy', 'Too many commits and merges of this repository wait already. Try again in a moment.');
  }
  lines.set(commonDir, line);
  line.count++;
  const done = line.last.then(task);
  line.last = done.catch(() => {});
  try {
    return await done;
  } finally {
    line.count--;
    if (line.count === 0) lines.delete(commonDir);
  }
}
