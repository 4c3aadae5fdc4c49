import { type FileEditResultContent, parseSessionUri, type URI } from '@agenthost/protocol';
import { contentRefOf } from './messages.js';
import type { AhpContentRef, AhpFileEdit } from './types.js';

export interface EditContext {
  readonly session: URI;
  /** The changeset that the edit is seen in; the session's own without it. */
  readonly turnId?: string;
}

export type EditSide = 'before' | 'after';

/**
 * Our agents tell what changed as a diff, not what a file was before and is after. What the diff shows of either side stands for
 * that side: `readSide` makes it. Without a diff there is the file itself, which VS Code reads without us.
 */
export function fileEditOf(edit: FileEditResultContent, context: EditContext): AhpFileEdit {
  const { uri, insertions, deletions, before, after, diff } = edit;
  const made = (side: EditSide): AhpContentRef => ({ uri: sideUri(context, side, uri), contentType: 'text/plain' });
  const isNew = !before && deletions === 0 && (diff === undefined || sideOfDiffs([diff], 'before') === '');
  const now = after ? contentRefOf(after) : diff === undefined ? { uri } : made('after');
  return {
    ...(!isNew && { before: { uri, content: before ? contentRefOf(before) : made('before') } }),
    after: { uri, content: now },
    diff: { added: insertions, removed: deletions },
  };
}

export interface EditSideAddress extends EditContext {
  readonly side: EditSide;
  readonly file: URI;
}

const SCHEME = 'ahp-edit:';

/**
 * With the file's own path, which is what is shown as its name. The query has letters alone: VS Code sends back what it has
 * decoded and encoded anew, after which `&` and `=` of a file's name can't be told from those between the parts.
 */
function sideUri({ session, turnId }: EditContext, side: EditSide, file: URI): URI {
  const query = new URLSearchParams({ session, ...(turnId !== undefined && { turnId }), side, file });
  return `${SCHEME}${URL.canParse(file) ? new URL(file).pathname : '/'}?${packed(`${query}`)}`;
}

export function parseSideUri(uri: URI): EditSideAddress | undefined {
  if (!uri.startsWith(SCHEME)) return undefined;
  const query = new URLSearchParams(unpacked(uri.slice(uri.indexOf('?') + 1)));
  const [session, turnId, side, file] = ['session', 'turnId', 'side', 'file'].map(
    (name) => query.get(name) ?? undefined,
  );
  if (!session || !parseSessionUri(session) || !file || (side !== 'before' && side !== 'after')) return undefined;
  return { session, ...(turnId !== undefined && { turnId }), side, file };
}

/** One side of what unified diffs show, hunk after hunk. */
export function sideOfDiffs(diffs: readonly string[], side: EditSide): string {
  const other = side === 'before' ? '+' : '-';
  const lines = diffs.flatMap((diff) => {
    const all = diff.replace(/\n$/, '').split('\n');
    const first = all.findIndex((line) => line.startsWith('@@'));
    return all
      .slice(Math.max(first, 0))
      .filter((line) => !line.startsWith('@@') && !line.startsWith(other) && !line.startsWith('\\'))
      .map((line) => line.slice(1));
  });
  return lines.length > 0 ? `${lines.join('\n')}\n` : '';
}

/** Of a query, which has no other characters than those of ASCII. */
function packed(query: string): string {
  return btoa(query).replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');
}

function unpacked(text: string): string {
  return /^[\w-]*$/.test(text) && text.length % 4 !== 1 ? atob(text.replaceAll('-', '+').replaceAll('_', '/')) : '';
}
