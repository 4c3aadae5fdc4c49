import type { ChangedFile, DiffHunk as HunkOnWire, ListChangesResult } from '@agenthost/protocol';
import { useEffect, useMemo, useState } from 'react';
import { problemText } from '../app/problemText.js';
import { joinPages, type ReviewHunk, reviewHunk } from './reviewLines.js';
import type { ChangeLists, DiffPage } from './useChanges.js';

export interface FileDiff {
  readonly kind: DiffPage['kind'];
  readonly hunks: readonly ReviewHunk[];
  readonly oldSize: number | undefined;
  readonly newSize: number | undefined;
  /** Loads the next lines. */
  readonly more: (() => void) | undefined;
}

interface Loaded {
  readonly key: string;
  readonly page: DiffPage;
  readonly hunks: readonly HunkOnWire[];
}

/** The differences in one file, page by page. While it changes, the last ones stay. */
export function useFileDiff(
  changes: ChangeLists,
  list: ListChangesResult,
  file: ChangedFile,
  isWanted: boolean,
): { readonly diff: FileDiff | undefined; readonly problem: string | undefined } {
  const { fetchDiff, reload, isReported, isConnected } = changes;
  const [loaded, setLoaded] = useState<Loaded>();
  const [problem, setProblem] = useState<string>();
  const [wanted, setWanted] = useState<{ readonly key: string; readonly cursor: number }>();
  // The same content against the same tree is the same difference.
  const key = isReported ? `${file.additions} ${file.deletions}` : `${list.from} ${file.id ?? list.to}`;
  const cursor = wanted?.key === key ? wanted.cursor : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` is what it depends on
  useEffect(() => {
    if (!isWanted || !isConnected || (loaded?.key === key && cursor === undefined)) return;
    let isStopped = false;
    fetchDiff(list, file, cursor).then(
      (page) => {
        if (isStopped) return;
        setProblem(undefined);
        setWanted(undefined);
        setLoaded((before) => ({
          key,
          page,
          hunks: before?.key === key && cursor !== undefined ? joinPages(before.hunks, page.hunks) : page.hunks,
        }));
      },
      (error: unknown) => {
        if (isStopped) return;
        setWanted(undefined);
        // It changed in between: the next list says how it is now.
        if ((error as { data?: { code?: string } }).data?.code === 'notFound') reload();
        else setProblem(problemText(error));
      },
    );
    return () => {
      isStopped = true;
    };
  }, [key, isWanted, isConnected, cursor]);
  const diff = useMemo<FileDiff | undefined>(() => {
    if (!loaded) return undefined;
    const { page, hunks } = loaded;
    const next = page.nextCursor;
    return {
      kind: page.kind,
      hunks: hunks.map((hunk) => reviewHunk(file.path, hunk)),
      oldSize: page.oldSize,
      newSize: page.newSize,
      more: next === undefined ? undefined : () => setWanted({ key: loaded.key, cursor: next }),
    };
  }, [loaded, file.path]);
  return { diff, problem };
}
