import type { WholeEdit } from '../../agent.js';

/** What an agent says that it replaced in a file, and by what. Either may be all of the file, or some of it. */
export interface ToldEdit {
  readonly oldText: string | undefined;
  readonly newText: string;
}

/** A file as it was found before the agent was done. */
export interface SeenFile {
  /** `null`: there was none. `undefined`: it is not known. */
  readonly text: string | null | undefined;
  /** The agent waited for an answer: it had not begun. */
  readonly isBefore: boolean;
}

/**
 * The whole contents of one file around each of the edits that an agent made in it, in their order. Agents tell whole files or
 * fragments, and don't say which; so what they tell is compared with the file itself. `undefined` where that proves nothing: who
 * restores a file must not be given what may be wrong.
 */
export function wholeEdits(
  told: readonly ToldEdit[],
  seen: SeenFile,
  after: string | null | undefined,
): readonly WholeEdit[] | undefined {
  if (typeof after !== 'string') return undefined;
  return forwards(told, seen, after) ?? replaced(told, seen, after) ?? backwards(told, seen, after);
}

/** From what the file was to what it is. */
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
  // What was read while the agent may have been writing counts only when the rest of the file is the same.
  const isProven = now === after || (isBefore && told.every(({ newText }) => after.includes(newText)));
  return isProven ? edits : undefined;
}

/** All of the file at once. */
function replaced(told: readonly ToldEdit[], { text, isBefore }: SeenFile, after: string): WholeEdit[] | undefined {
  const [only, ...more] = told;
  if (!only || more.length > 0 || only.newText !== after) return undefined;
  if (isBefore && text !== undefined) return [{ before: text, after }];
  // There was no file, as the agent says, too.
  if (text === null && !only.oldText) return [{ before: null, after }];
  // What was found is the file before it was written, or after: it must not be a third one.
  const fits = text === undefined || text === only.oldText || text === after;
  return only.oldText && fits ? [{ before: only.oldText, after }] : undefined;
}

/** From what the file is to what it must have been. */
function backwards(told: readonly ToldEdit[], { text }: SeenFile, after: string): WholeEdit[] | undefined {
  const edits: WholeEdit[] = [];
  let now = after;
  for (const { oldText = '', newText } of told.toReversed()) {
    const before = newText === now ? undefined : replaceOnly(now, newText, oldText);
    if (before === undefined) return undefined;
    edits.unshift({ before, after: now });
    now = before;
  }
  // Without an old text it may have been the whole file that was written, and changed by something else since.
  return told.every(({ oldText }) => oldText) || now === text ? edits : undefined;
}

/** `undefined` unless it is there once. */
function replaceOnly(text: string, part: string, by: string): string | undefined {
  const at = text.indexOf(part);
  if (part === '' || at < 0 || text.includes(part, at + 1)) return undefined;
  return `${text.slice(0, at)}${by}${text.slice(at + part.length)}`;
}
