import { parseArgs } from 'node:util';
import { MEASURES, type MeasureName } from '../measures.ts';

export interface Command {
  readonly names: readonly MeasureName[];
  readonly quick: boolean;
  readonly compare: boolean;
  readonly docs: boolean;
  readonly minutes: number | undefined;
}

export const HELP = `Usage: npm run bench -- [NAME …] [options]

Measures the host beside a baseline of the same run, prints a table and keeps it in bench/results.json.
All of them take under ten minutes, with --quick under one.

${Object.entries(MEASURES)
  .map(([name, what]) => `  ${name.padEnd(14)}${what}`)
  .join('\n')}

  --quick       less of everything
  --compare     against bench/results.json, which stays as it is: exit code 1 when a ratio is worse by more than 20 %
  --docs        measures nothing: puts what bench/results.json has into docs/benchmarks.md
  --minutes N   how long the soak of memory takes
  --help        this`;

/** What was asked for, or a sentence that says what is wrong with it. */
export function commandOf(args: readonly string[]): Command | { readonly text: string; readonly exitCode: number } {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    return wrong(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
  }
  const { values, positionals } = parsed;
  if (values.help) return { text: HELP, exitCode: 0 };
  const unknown = positionals.find((name) => !Object.hasOwn(MEASURES, name));
  if (unknown !== undefined) return wrong(`There is no measure '${unknown}'.`);
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
  if (minutes !== undefined && !(minutes > 0 && minutes <= 600)) {
    return wrong(`--minutes takes a number of minutes up to 600, not '${values.minutes}'.`);
  }
  const names = (positionals.length > 0 ? [...new Set(positionals)] : Object.keys(MEASURES)) as MeasureName[];
  const { quick = false, compare = false, docs = false } = values;
  return { names, quick, compare, docs, minutes };
}

function parse(args: readonly string[]) {
  const options = {
    quick: { type: 'boolean' },
    compare: { type: 'boolean' },
    docs: { type: 'boolean' },
    minutes: { type: 'string' },
    help: { type: 'boolean' },
  } as const;
  return parseArgs({ args: [...args], options, allowPositionals: true });
}

function wrong(what: string) {
  return {
    text: `${what}\nMeasures: ${Object.keys(MEASURES).join(', ')}. npm run bench -- --help says more.`,
    exitCode: 2,
  };
}
