import type { WholeEdit } from '../../agent.js';

/** What an agent says that it replaced in a file. Each text may be the whole file or a fragment. */
export interface ToldEdit {
  readonly oldText: string | undefined;
  readonly newText: string;
}

/** A file as it was read before the agent was done. */
export interface SeenFile {
  /** `null`: no file existed. `undefined`: unknown. */
  readonly text: string | null | undefined;
  /** Whether the agent waited for an answer, so that it had not begun. */
  readonly isBefore: boolean;
}

/**
 * The whole contents of one file around each of an agent's edits, in order. Agents report whole files or fragments without saying
 * which, so their texts are compared with the file. The result is `undefined` when that proves nothing: a client that restores a
 * file must not get contents that may be wrong.
 */
export function wholeEdits(
  told: readonly ToldEdit[],
  seen: SeenFile,
  after: string | null | undefined,
): readonly WholeEdit[] | undefined {
  if (typeof after !== 'string') return undefined;
  return forwards(told, seen, after) ?? replaced(told, seen, after) ?? backwards(told, seen, after);
}

/** Forward, from the old file to the new one. */
function forwards(told: readonly ToldEdit[], { text, isBefore }: SeenFile, after: string): WholeEdit[] | undefined {
  if (typeof text !== 'string') return undefined;
  const edits: WholeEdit[] = [];
  let now = text;
  for (const { oldText = '', newText } of told) {
    const next = replaceOnly(now, oldText, newText);
    if (next === undefined) return undefined;
    edits.push({ before: now, after: next });
    now = next;
  }
  // A read while the agent may have been writing counts only if the rest of the file is the same.
  const isProven = now === after || (isBefore && told.every(({ newText }) => after.includes(newText)));
  return isProven ? edits : undefined;
}

/** The edit replaced the whole file. */
function replaced(told: readonly ToldEdit[], { text, isBefore }: SeenFile, after: string): WholeEdit[] | undefined {
  const [only, ...more] = told;
  if (!only || more.length > 0 || only.newText !== after) return undefined;
  if (isBefore && text !== undefined) return [{ before: text, after }];
  // No file existed, as the agent says too.
  if (text === null && !only.oldText) return [{ before: null, after }];
  // The read file must be the one before or after the write, not a third one.
  const fits = text === undefined || text === only.oldText || text === after;
  return only.oldText && fits ? [{ before: only.oldText, after }] : undefined;
}

/** Backward, from the current file to the old one. */
function backwards(told: readonly ToldEdit[], { text }: SeenFile, after: string): WholeEdit[] | undefined {
  const edits: WholeEdit[] = [];
  let now = after;
  for (const { oldText = '', newText } of told.toReversed()) {
    const before = newText === now ? undefined : replaceOnly(now, newText, oldText);
    if (before === undefined) return undefined;
    edits.unshift({ before, after: now });
    now = before;
  }
  // Without an old text, the whole file may have been written and then changed by something else.
  return told.every(({ oldText }) => oldText) || now === text ? edits : undefined;
}

/** `undefined` unless the text occurs exactly once. */
function replaceOnly(text: string, part: string, by: string): string | undefined {
  const at = text.indexOf(part);
  if (part === '' || at < 0 || text.includes(part, at + 1)) return undefined;
  return `${text.slice(0, at)}${by}${text.slice(at + part.length)}`;
}
