import { setImmediate as immediate } from 'node:timers/promises';
import { rankPath, searchedText } from './rankPath.js';

/** How long one turn of the event loop may take. */
const SLICE_MS = 8;
/** Paths between two looks at the clock. */
const STRIDE = 128;

interface Ranked {
  readonly path: string;
  readonly rank: number;
}

/** The paths that match, the best `keep` of them in order. The order depends on the query and the paths only. */
export async function searchFiles(
  paths: readonly string[],
  query: string,
  keep: number,
): Promise<{ readonly best: readonly string[]; readonly total: number }> {
  const wanted = searchedText(query);
  let best: Ranked[] = [];
  let total = 0;
  let began = performance.now();
  for (const [index, path] of paths.entries()) {
    const rank = wanted === '' ? 1 : rankPath(path, wanted);
    if (rank > 0) {
      total++;
      best.push({ path, rank });
      if (best.length >= keep * 4) best = inOrder(best).slice(0, keep);
    }
    if (index % STRIDE !== STRIDE - 1 || performance.now() - began < SLICE_MS) continue;
    await immediate();
    began = performance.now();
  }
  return {
    best: inOrder(best)
      .slice(0, keep)
      .map(({ path }) => path),
    total,
  };
}

function inOrder(found: Ranked[]): Ranked[] {
  return found.sort(
    (a, b) =>
      b.rank - a.rank ||
      depthOf(a.path) - depthOf(b.path) ||
      a.path.length - b.path.length ||
      (a.path < b.path ? -1 : 1),
  );
}

/** How many folders it is in. A folder's own slash does not count. */
function depthOf(path: string): number {
  let depth = 0;
  for (let at = path.indexOf('/'); at !== -1 && at < path.length - 1; at = path.indexOf('/', at + 1)) depth++;
  return depth;
}
