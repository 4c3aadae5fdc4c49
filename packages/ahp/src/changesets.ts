import type { FileEditResultContent, SessionState, ToolCallState, URI } from '@agenthost/protocol';
import { type EditSideAddress, fileEditOf, sideOfDiffs } from './fileEdits.js';
import type { AhpAction, AhpChangeset, AhpChangesetFile } from './types.js';

/** What the agent's tools changed, a file an entry: in one turn, or in all turns that are held. */
export function changesetOf(state: SessionState, turnId?: string): AhpChangeset {
  const context = { session: state.summary.resource, ...(turnId !== undefined && { turnId }) };
  const counted = new Map(turnId === undefined ? state.summary.changes?.map((change) => [change.uri, change]) : []);
  const files = new Map<URI, AhpChangesetFile>();
  for (const [uri, edits] of editsByFile(state, turnId)) {
    const [first, last] = [edits[0], edits.at(-1)];
    if (!first || !last) continue;
    const sums = counted.get(uri) ?? {
      insertions: edits.reduce((sum, edit) => sum + edit.insertions, 0),
      deletions: edits.reduce((sum, edit) => sum + edit.deletions, 0),
    };
    const { insertions, deletions } = sums;
    const { before } = first;
    const { after } = last;
    const diffs = edits.flatMap(({ diff }) => diff ?? []);
    const edit = {
      type: 'fileEdit',
      uri,
      insertions,
      deletions,
      ...(before && { before }),
      ...(after && { after }),
      ...(diffs.length > 0 && { diff: diffs.join('\n') }),
    } as const;
    files.set(uri, { id: uri, edit: fileEditOf(edit, context) });
  }
  // Changed by something that is no tool of a turn that is held: there is nothing to show but how much.
  for (const [uri, { insertions, deletions }] of counted) {
    if (files.has(uri)) continue;
    files.set(uri, { id: uri, edit: fileEditOf({ type: 'fileEdit', uri, insertions, deletions }, context) });
  }
  return { status: 'ready', files: [...files.values()] };
}

/** The actions that lead from one to the other. */
export function changesetActions(before: AhpChangeset, after: AhpChangeset): AhpAction[] {
  const was = new Map(before.files.map((file) => [file.id, JSON.stringify(file)]));
  const is = new Set(after.files.map(({ id }) => id));
  return [
    ...before.files.flatMap(({ id }) => (is.has(id) ? [] : [{ type: 'changeset/fileRemoved', fileId: id }])),
    ...after.files.flatMap((file) =>
      was.get(file.id) === JSON.stringify(file) ? [] : [{ type: 'changeset/fileSet', file }],
    ),
  ];
}

/** The text of one side of a file, as far as the tools told it; `undefined` when none of them changed that file. */
export function readSide(state: SessionState, { turnId, file, side }: EditSideAddress): string | undefined {
  const edits = editsByFile(state, turnId).get(file);
  if (edits)
    return sideOfDiffs(
      edits.flatMap(({ diff }) => diff ?? []),
      side,
    );
  return state.summary.changes?.some(({ uri }) => uri === file) ? '' : undefined;
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
