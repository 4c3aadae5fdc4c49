import { useEffect, useState } from 'react';
import { canHighlight, type HighlightedLine, highlight } from '../markdown/highlight.js';
import type { DiffHunk } from './unifiedDiff.js';

/** The coloured spans of each line of a hunk, if known. */
export type HunkColours = readonly (HighlightedLine | undefined)[];

/** For the whole diff; a larger one is plain. */
const LONGEST = 60_000;

/** Plain first; hunk after hunk is coloured, with pauses so that the page stays responsive. */
export function useDiffColours(hunks: readonly DiffHunk[], path: string): ReadonlyMap<DiffHunk, HunkColours> {
  const [colours, setColours] = useState<ReadonlyMap<DiffHunk, HunkColours>>(new Map());
  useEffect(() => {
    const language = path
      .slice(path.lastIndexOf('/') + 1)
      .split('.')
      .at(-1);
    const length = hunks.reduce((sum, { lines }) => sum + lines.reduce((all, { text }) => all + text.length + 1, 0), 0);
    if (length > LONGEST || !canHighlight('', language)) return;
    const stopped = new AbortController();
    void (async () => {
      const done = new Map<DiffHunk, HunkColours>();
      for (const hunk of hunks) {
        await new Promise((resolve) => setTimeout(resolve, 0));
        if (stopped.signal.aborted) return;
        done.set(hunk, await hunkColours(hunk, language));
      }
      if (!stopped.signal.aborted) setColours(done);
      // Without its highlighter a diff is plain.
    })().catch(() => undefined);
    return () => stopped.abort();
  }, [hunks, path]);
  return colours;
}

/** Each side of a hunk is separate code: a removed line must not open a comment over added ones. */
async function hunkColours({ lines }: DiffHunk, language: string | undefined): Promise<HunkColours> {
  const colours: (HighlightedLine | undefined)[] = lines.map(() => undefined);
  for (const side of ['removed', 'added'] as const) {
    const places = lines.flatMap(({ kind }, index) => (kind === 'same' || kind === side ? [index] : []));
    if (places.length === 0) continue;
    const coloured = await highlight(places.map((index) => lines[index]?.text ?? '').join('\n'), language);
    for (const [row, index] of places.entries()) colours[index] = coloured?.[row];
  }
  return colours;
}
