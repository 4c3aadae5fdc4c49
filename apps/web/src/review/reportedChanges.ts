import type { DiffHunk, ListChangesResult, SessionState } from '@agenthost/protocol';
import { relativePath } from '../conversation/relativePath.js';

export interface ReportedChanges {
  readonly list: ListChangesResult;
  readonly hunks: ReadonlyMap<string, readonly DiffHunk[]>;
}

const NO_TREE = '0'.repeat(40);
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/** What the agent says it changed, of the loaded turns: for folders without git. */
export function reportedChanges(state: SessionState | undefined): ReportedChanges {
  const folder = state?.summary.workingDirectory;
  const changes = state?.summary.changes ?? [];
  const hunks = new Map<string, readonly DiffHunk[]>();
  const calls = [
    ...(state?.turns.map((turn) => turn.toolCalls) ?? []),
    Object.values(state?.activeTurn?.toolCalls ?? {}),
  ].flat();
  for (const call of calls) {
    if (call.status !== 'completed') continue;
    for (const content of call.result.content ?? []) {
      if (content.type !== 'fileEdit' || content.diff === undefined) continue;
      const path = relativePath(content.uri, folder);
      hunks.set(path, [...(hunks.get(path) ?? []), ...hunksOf(content.diff)]);
    }
  }
  const files = changes
    .map(({ uri, insertions, deletions }) => ({
      path: relativePath(uri, folder),
      status: 'M' as const,
      additions: insertions,
      deletions,
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const sum = (key: 'insertions' | 'deletions') => changes.reduce((total, change) => total + change[key], 0);
  return {
    list: {
      source: 'snapshots',
      from: NO_TREE,
      to: NO_TREE,
      files,
      total: files.length,
      additions: sum('insertions'),
      deletions: sum('deletions'),
      hasSnapshots: false,
    },
    hunks,
  };
}

function hunksOf(diff: string): DiffHunk[] {
  const hunks: (DiffHunk & { lines: string[] })[] = [];
  let left = 0;
  for (const line of diff.split('\n')) {
    const head = HUNK.exec(line);
    if (head && left <= 0) {
      const [oldLines, newLines] = [Number(head[2] ?? 1), Number(head[4] ?? 1)];
      left = oldLines + newLines;
      const heading = head[5] ?? '';
      hunks.push({ oldStart: Number(head[1]), oldLines, newStart: Number(head[3]), newLines, heading, lines: [] });
    } else if (line.startsWith('\\') || left > 0) {
      hunks.at(-1)?.lines.push(line === '' ? ' ' : line);
      left -= line.startsWith('\\') ? 0 : /^[-+]/.test(line) ? 1 : 2;
    }
  }
  return hunks;
}
