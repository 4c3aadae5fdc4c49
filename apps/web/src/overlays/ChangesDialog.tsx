import type { FileChangeSummary, FileEditResultContent, SessionState } from '@agenthost/protocol';
import { relativePath } from '../conversation/relativePath.js';
import { Delta, DiffCard } from '../conversation/turn/DiffCard.js';
import { SidePanel } from './SidePanel.js';

interface ChangesDialogProps {
  readonly changes: readonly FileChangeSummary[];
  readonly folder: string | undefined;
  readonly state: SessionState | undefined;
  readonly onClose: () => void;
}

/** Every file that the session changed, with the diffs that are in the loaded turns. */
export function ChangesDialog({ changes, folder, state, onClose }: ChangesDialogProps) {
  const edits = editsOf(state);
  return (
    <SidePanel title="Changed files" onClose={onClose}>
      {changes.map((change) => {
        const diffs = edits.get(change.uri) ?? [];
        if (diffs.length > 0)
          return diffs.map((edit, index) => <DiffCard key={`${change.uri} ${index}`} edit={edit} />);
        return (
          <div className="line" key={change.uri}>
            <span className="mono clip grow">{relativePath(change.uri, folder)}</span>
            <Delta insertions={change.insertions} deletions={change.deletions} />
          </div>
        );
      })}
    </SidePanel>
  );
}

function editsOf(state: SessionState | undefined): Map<string, FileEditResultContent[]> {
  const edits = new Map<string, FileEditResultContent[]>();
  const turns = [
    ...(state?.turns.map((turn) => turn.toolCalls) ?? []),
    Object.values(state?.activeTurn?.toolCalls ?? {}),
  ];
  for (const call of turns.flat()) {
    if (call.status !== 'completed') continue;
    for (const content of call.result.content ?? []) {
      if (content.type === 'fileEdit' && content.diff !== undefined)
        edits.set(content.uri, [...(edits.get(content.uri) ?? []), content]);
    }
  }
  return edits;
}
