import { type Figure, missedBy, type Outcome, type Series } from './figure.ts';

const HEAD = ['measure', 'ours', 'baseline', 'ratio', 'spread', 'limit', 'verdict'];
const SERIES_HEAD = ['cost', 'over', 'from', 'to', 'exponent', 'limit', 'verdict'];

/** The figures and the series, each as rows of cells, the heads first. */
export function rowsOf({ figures, series }: Outcome): { readonly figures: string[][]; readonly series: string[][] } {
  return { figures: [HEAD, ...figures.map(figureRow)], series: [SERIES_HEAD, ...series.map(seriesRow)] };
}

export function textTable(outcome: Outcome): string {
  const { figures, series } = rowsOf(outcome);
  return [figures, series]
    .filter((rows) => rows.length > 1)
    .map(aligned)
    .join('\n\n');
}

export function markdownTable([head = [], ...rows]: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

export function verdict(figure: Figure): string {
  if (!figure.limit) return '';
  const missed = missedBy(figure);
  return missed === 0 ? 'reached' : `missed by ${Math.max(1, Math.round(missed * 100))} %`;
}

function figureRow(figure: Figure): string[] {
  const { measure, name, value, unit, baseline, ratio, spread, limit } = figure;
  const sign = limit?.is === 'atLeast' ? '≥' : '≤';
  const bound = limit ? `${sign} ${limit.bound}${limit.of === 'value' ? ` ${unit}` : ''}` : '';
  return [
    `${measure}: ${name}`,
    `${value} ${unit}`,
    `${baseline.value} ${unit} (${baseline.name})`,
    String(ratio),
    `${Math.round(spread * 100)} %`,
    bound,
    verdict(figure),
  ];
}

function seriesRow({ measure, name, x, points, exponent, atMost }: Series): string[] {
  const ends = [points[0], points.at(-1)].map((point) => (point ? `${point[1]} at ${point[0]}` : ''));
  return [
    `${measure}: ${name}`,
    x,
    ...ends,
    String(exponent),
    `≤ ${atMost}`,
    exponent <= atMost ? 'reached' : 'missed',
  ];
}

function aligned(rows: readonly string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}
