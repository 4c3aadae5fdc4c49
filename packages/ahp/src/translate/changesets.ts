import type { FileEditResultContent, SessionState, ToolCallState, URI } from '@agenthost/protocol';
import type { AhpAction, AhpChangeset, AhpChangesetFile } from '../types.js';
import { fileEditOf } from './fileEdits.js';

/**
 * What the agent's tools changed, one entry per file, in one turn or in all loaded turns. Files without known whole contents before
 * and after are left out: there is nothing to compare.
 */
export function changesetOf(state: SessionState, turnId?: string): AhpChangeset {
  const counted = new Map(turnId === undefined ? state.summary.changes?.map((change) => [change.uri, change]) : []);
  const files = [...editsByFile(state, turnId)].flatMap(([uri, edits]) => {
    const [first, last] = [edits[0], edits.at(-1)];
    if (!first || !last || !isKnown(first) || !isKnown(last)) return [];
    const { insertions, deletions } = counted.get(uri) ?? {
      insertions: edits.reduce((sum, edit) => sum + edit.insertions, 0),
      deletions: edits.reduce((sum, edit) => sum + edit.deletions, 0),
    };
    const { before } = first;
    const { after } = last;
    const edit = fileEditOf({
      type: 'fileEdit',
      uri,
      insertions,
      deletions,
      ...(before && { before }),
      ...(after && { after }),
    });
    return edit ? [{ id: uri, edit }] : [];
  });
  return { status: 'ready', files };
}

/** Marked files, each with what was marked: another content is not reviewed. */
export type Reviews = ReadonlyMap<string, string>;

export function withReviews(changeset: AhpChangeset, reviews: Reviews): AhpChangeset {
  if (reviews.size === 0) return changeset;
  return { ...changeset, files: changeset.files.map((file) => withReview(file, reviews)) };
}

function withReview(file: AhpChangesetFile, reviews: Reviews): AhpChangesetFile {
  return reviews.get(file.id) === revisionOf(file) ? { ...file, reviewed: true } : file;
}

/** What a mark is about. */
export function revisionOf({ edit }: AhpChangesetFile): string {
  return JSON.stringify(edit);
}

/** The actions that lead from one to the other. */
export function changesetActions(before: AhpChangeset, after: AhpChangeset, reviews: Reviews = new Map()): AhpAction[] {
  const was = new Map(before.files.map((file) => [file.id, JSON.stringify(file)]));
  const is = new Set(after.files.map(({ id }) => id));
  return [
    ...before.files.flatMap(({ id }) => (is.has(id) ? [] : [{ type: 'changeset/fileRemoved', fileId: id }])),
    ...after.files.flatMap((file) =>
      was.get(file.id) === JSON.stringify(file) ? [] : [{ type: 'changeset/fileSet', file: withReview(file, reviews) }],
    ),
  ];
}

function isKnown({ before, after }: FileEditResultContent): boolean {
  return before !== undefined || after !== undefined;
}

function editsByFile(state: SessionState, turnId: string | undefined): Map<URI, FileEditResultContent[]> {
  const { turns, activeTurn } = state;
  const wanted = turnId === undefined ? turns : turns.filter(({ id }) => id === turnId);
  const calls: readonly ToolCallState[] = [
    ...wanted.flatMap(({ toolCalls }) => toolCalls),
    ...(activeTurn && (turnId === undefined || activeTurn.id === turnId) ? Object.values(activeTurn.toolCalls) : []),
  ];
  return Map.groupBy(calls.flatMap(editsOf), ({ uri }) => uri);
}

function editsOf(call: ToolCallState): FileEditResultContent[] {
  if (call.status !== 'completed') return [];
  return (call.result.content ?? []).flatMap((piece) => (piece.type === 'fileEdit' ? [piece] : []));
}
