// Runs the measures, each in a process of its own, one after the other; prints a table and keeps what they found.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Command, commandOf } from './support/commandLine.ts';
import { TOLERATED, type Worse, worseFigures, worseTwice } from './support/compare.ts';
import { missedBy, type Outcome } from './support/figure.ts';
import { hundredths } from './support/figures.ts';
import { endServersWhenStopped, note } from './support/measure.ts';
import { load, machine, merged, type Run, readResults, writeResults } from './support/results.ts';
import { textTable } from './support/table.ts';
import { writeDocs } from './support/writeDocs.ts';

const command = commandOf(process.argv.slice(2));
if ('text' in command) {
  (command.exitCode === 0 ? console.log : console.error)(command.text);
  process.exit(command.exitCode);
}
endServersWhenStopped();
if (command.docs) writeDocs(readResults());
else process.exitCode = await (command.compare ? compare(command) : keep(command)).catch(failed);

function failed(error: unknown): number {
  console.error(error instanceof Error ? error.message : error);
  return 1;
}

/** After each measure: what was found is not lost when a later one fails. */
async function keep(asked: Command): Promise<number> {
  const mode = asked.quick ? 'quick' : 'full';
  await measureAll(asked, (run, name) => {
    const results = readResults();
    writeResults({ ...results, [mode]: merged(results[mode], run, [name]) });
  });
  return 0;
}

/** What looks worse is measured once more, because machines are noisy: it counts when it is worse both times. */
async function compare(asked: Command): Promise<number> {
  const mode = asked.quick ? 'quick' : 'full';
  const before = readResults()[mode]?.figures;
  if (!before) {
    console.error(`bench/results.json has no ${mode} run to compare with: run without --compare first.`);
    return 2;
  }
  const first = worseFigures(before, (await measureAll(asked)).figures);
  const doubtful = asked.names.filter((name) => first.some(({ figure }) => figure.measure === name));
  if (doubtful.length === 0) {
    console.log(`\nNo ratio is worse than in bench/results.json by more than ${TOLERATED * 100} %.`);
    return 0;
  }
  note(`\nWorse than before, measured once more: ${doubtful.join(', ')}`);
  const worse = worseTwice(first, worseFigures(before, (await measureAll({ ...asked, names: doubtful })).figures));
  console.log(
    worse.length > 0 ? `\nWorse than in bench/results.json:\n${worse.map(told).join('\n')}` : '\nIt was noise.',
  );
  return worse.length > 0 ? 1 : 0;
}

function told({ figure, before, by }: Worse): string {
  const percent = Math.round(by * 100);
  return `  ${figure.measure}: ${figure.name}: ratio ${hundredths(figure.ratio)}, was ${hundredths(before)} (${percent} % worse)`;
}

async function measureAll(asked: Command, onMeasured?: (run: Run, name: string) => void): Promise<Run> {
  const before = load();
  const start = performance.now();
  const figures: Outcome['figures'][number][] = [];
  const series: Outcome['series'][number][] = [];
  for (const name of asked.names) {
    const begun = performance.now();
    const outcome = await measureOne(name, asked);
    figures.push(...outcome.figures);
    series.push(...outcome.series);
    onMeasured?.({ ...about(before), ...outcome }, name);
    note(`${name}: ${seconds(begun)} s`);
  }
  console.log(textTable({ figures, series }));
  const missed = figures.filter((figure) => missedBy(figure) > 0).length;
  console.log(`\n${seconds(start)} s, load ${before} before and ${load()} after; ${missed} of the limits missed.`);
  return { ...about(before), figures, series };
}

function about(loadBefore: number): Pick<Run, 'date' | 'machine' | 'load'> {
  return { date: new Date().toISOString(), machine: machine(), load: [loadBefore, load()] };
}

async function measureOne(name: string, { quick, minutes }: Command): Promise<Outcome> {
  const flags = [...(quick ? ['--quick'] : []), ...(minutes === undefined ? [] : ['--minutes', String(minutes)])];
  const child = spawn(process.execPath, [join(import.meta.dirname, `measures/${name}.ts`), '--json', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = () => child.kill();
  process.on('exit', stop);
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number | null]>]);
  process.off('exit', stop);
  if (code !== 0) throw new Error(`the measure ${name} ended with ${code}; what it said is above`);
  return JSON.parse(output) as Outcome;
}

function seconds(since: number): number {
  return Math.round((performance.now() - since) / 100) / 10;
}
