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

interface RewindNotice {
  readonly by: Author;
  readonly removed: number;
  /** Of the first removed turn. */
  readonly number: number;
  /** How many files; absent when they were left as they are. */
  readonly restored: number | undefined;
}

/** The same of turns that were removed. */
export function rewindNotice({ by, removed, number, restored }: RewindNotice): string {
  const turns = removed === 1 ? '1 turn was' : `${removed} turns were`;
  const files = restored === 1 ? '1 file was' : `${restored ?? 0} files were`;
  const also = restored === undefined ? ' Files were left as they are.' : ` ${files} restored.`;
  return `${by.name ?? 'Somebody'} went back to before turn ${number}: ${turns} removed.${also}`;
}

/** The same of a file, or of parts of it. */
export function revertNotice(by: Author, path: string, hunks: number | undefined): string {
  const what = hunks === undefined ? '' : hunks === 1 ? '1 change in ' : `${hunks} changes in `;
  return `${by.name ?? 'Somebody'} reverted ${what}${path}.`;
}
