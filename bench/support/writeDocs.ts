import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Series } from './figure.ts';
import { plotOf } from './plot.ts';
import type { Results, Run } from './results.ts';
import { markdownTable, rowsOf } from './table.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const [BEGIN, END] = ['<!-- figures: npm run bench -- --docs -->', '<!-- /figures -->'];

/** Puts the newest figures into docs/benchmarks.md, and its plots beside it. */
export function writeDocs({ full }: Results, docs = DOCS): void {
  if (!full) throw new Error('bench/results.json has no full run: npm run bench makes one.');
  const page = join(docs, 'benchmarks.md');
  const folder = join(docs, 'benchmarks');
  mkdirSync(folder, { recursive: true });
  for (const series of full.series) writeFileSync(join(folder, fileOf(series)), plotOf(series));
  writeFileSync(page, withFigures(readFileSync(page, 'utf8'), full));
}

/** The text between the two marks is generated; the rest is written by hand. */
export function withFigures(page: string, run: Run): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`the page has no ${BEGIN} … ${END}`);
  const { figures, series } = rowsOf(run);
  const plots = run.series.map((one) => `![${one.name} over ${one.x}](benchmarks/${fileOf(one)})`);
  const measured = `${run.date.slice(0, 10)}, ${run.machine}; load ${run.load[0]} before, ${run.load[1]} after.`;
  const parts = [BEGIN, measured, markdownTable(figures), markdownTable(series), plots.join('\n'), END];
  return `${page.slice(0, from)}${parts.join('\n\n')}${page.slice(to + END.length)}`;
}

function fileOf({ measure, name }: Series): string {
  return `${`${measure} ${name}`.replaceAll(/[^A-Za-z0-9]+/g, '-')}.svg`;
}
