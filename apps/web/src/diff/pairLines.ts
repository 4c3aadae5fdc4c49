/** More comparisons than this are not worth their time: such a large block is a rewrite. */
const MOST_PAIRS = 2_500;
/** Lines that share less are different lines. */
const ALIKE = 0.4;

/** Which removed line became which added one, in order; each at most once. */
export function pairLines(removed: readonly string[], added: readonly string[]): (readonly [number, number])[] {
  const [rows, columns] = [removed.length, added.length];
  if (rows * columns > MOST_PAIRS) return rows === columns ? removed.map((_, index) => [index, index] as const) : [];
  const before = removed.map(words);
  const after = added.map(words);
  // best[i][j]: the best similarity of the lines from i and from j on, paired without crossing.
  const best = Array.from({ length: rows + 1 }, () => new Float64Array(columns + 1));
  const alike = before.map((a) => after.map((b) => likeness(a, b)));
  const at = (row: number, column: number) => best[row]?.[column] ?? 0;
  const paired = (row: number, column: number) => {
    const value = alike[row]?.[column] ?? 0;
    return value < ALIKE ? -1 : value + at(row + 1, column + 1);
  };
  for (let row = rows - 1; row >= 0; row -= 1) {
    const line = best[row];
    for (let column = columns - 1; line && column >= 0; column -= 1)
      line[column] = Math.max(at(row + 1, column), at(row, column + 1), paired(row, column));
  }
  const pairs: (readonly [number, number])[] = [];
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    if (paired(row, column) >= Math.max(at(row + 1, column), at(row, column + 1))) pairs.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return pairs;
}

function words(line: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of line.matchAll(/\w+|[^\s\w]/g)) counts.set(word, (counts.get(word) ?? 0) + word.length);
  return counts;
}

/** From 0 to 1: the share of both lines' letters in common words. */
function likeness(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let common = 0;
  for (const [word, length] of a) common += Math.min(length, b.get(word) ?? 0);
  const total = sum(a) + sum(b);
  return total === 0 ? 0 : (2 * common) / total;
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
