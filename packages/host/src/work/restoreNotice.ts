import type { Author } from '@agenthost/protocol';

export interface RestoreNotice {
  readonly by: Author;
  readonly count: number;
  /** Absent for an undo. */
  readonly turn: { readonly number: number | undefined } | undefined;
}

/** What the conversation says when somebody has restored files. */
export function restoreNotice({ by, count, turn }: RestoreNotice): string {
  const who = by.name ?? 'Somebody';
  const files = count === 1 ? '1 file' : `${count} files`;
  if (!turn) return `${who} took back a restoring of ${files}.`;
  return `${who} restored ${files} to before ${turn.number === undefined ? 'an earlier turn' : `turn ${turn.number}`}.`;
}

/** The same of a file, or of parts of it. */
export function revertNotice(by: Author, path: string, hunks: number | undefined): string {
  const what = hunks === undefined ? '' : hunks === 1 ? '1 change in ' : `${hunks} changes in `;
  return `${by.name ?? 'Somebody'} reverted ${what}${path}.`;
}
