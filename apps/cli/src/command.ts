import { parseArgs } from 'node:util';
import { usageError } from './commandError.js';

export interface OptionSpec {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** The placeholder for the value in the help. */
  readonly value?: string;
  readonly help: string;
  readonly multiple?: true;
  /** The allowed values; shells complete them. */
  readonly choices?: readonly string[];
}

type Value<O extends OptionSpec> = O extends { type: 'boolean' }
  ? boolean
  : O extends { multiple: true }
    ? readonly string[]
    : string;

export type Values<O extends Readonly<Record<string, OptionSpec>>> = { readonly [K in keyof O]?: Value<O[K]> };

export interface CommandSpec<O extends Readonly<Record<string, OptionSpec>>> {
  readonly name: string;
  readonly summary: string;
  /** The arguments after the name, such as `SESSION [flags]`. */
  readonly usage: string;
  readonly options: O;
  /** More text for the help, below the flags. */
  readonly notes?: string;
  readonly examples: readonly string[];
  /** What a shell can complete as an argument. */
  readonly completes?: 'session' | readonly string[];
  run(values: Values<O>, positionals: readonly string[]): Promise<number>;
}

/** A command as `main` and the shell completions use it. */
export interface CommandModule {
  readonly help: string;
  readonly flags: readonly Flag[];
  readonly completes?: 'session' | readonly string[];
  run(args: string[]): Promise<number>;
}

export interface Flag {
  readonly name: string;
  readonly takesValue: boolean;
  readonly help?: string;
  readonly choices?: readonly string[];
}

const GENERAL = {
  debug: { type: 'boolean', help: 'show where errors come from' },
  help: { type: 'boolean', short: 'h', help: 'show this help' },
} as const satisfies Record<string, OptionSpec>;

/** For commands that talk to a running host. */
export const HOST_OPTIONS = {
  url: {
    type: 'string',
    value: 'URL',
    help: 'the host to talk to (default $AGENTHOST_URL, else the local one)',
  },
  token: {
    type: 'string',
    value: 'TOKEN',
    help: 'its token or its whole link (default $AGENTHOST_TOKEN, else the one in the state folder)',
  },
  'state-dir': { type: 'string', value: 'FOLDER', help: 'the state folder of the local host' },
} as const satisfies Record<string, OptionSpec>;

export const JSON_OPTION = {
  json: { type: 'boolean', help: 'print JSON instead of text' },
} as const satisfies Record<string, OptionSpec>;

/** One list of options for parsing, for the help and for shells, so that they can't differ. */
export function defineCommand<const O extends Readonly<Record<string, OptionSpec>>>(
  spec: CommandSpec<O>,
): CommandModule {
  // A command may say more about a general option.
  const options: Readonly<Record<string, OptionSpec>> = { ...spec.options, ...GENERAL, ...spec.options };
  return {
    get help() {
      return helpOf(spec, options);
    },
    flags: Object.entries(options).map(([name, { type, help, choices }]) => ({
      name: `--${name}`,
      takesValue: type === 'string',
      help,
      ...(choices && { choices }),
    })),
    ...(spec.completes && { completes: spec.completes }),
    run: async (args) => {
      const { values, positionals } = parseFlags(spec.name, args, options);
      if (values['help']) {
        process.stdout.write(helpOf(spec, options));
        return 0;
      }
      return spec.run(values as Values<O>, positionals);
    },
  };
}

/** Throws a usage error for an unknown flag, and for a value that is no choice. */
export function parseFlags(name: string, args: string[], options: Readonly<Record<string, OptionSpec>>) {
  try {
    const config = Object.fromEntries(
      Object.entries(options).map(([option, { type, short, multiple }]) => [
        option,
        { type, ...(short && { short }), ...(multiple && { multiple }) },
      ]),
    );
    const parsed = parseArgs({ args, allowPositionals: true, options: config });
    for (const [option, { choices }] of Object.entries(options)) {
      const value = parsed.values[option];
      if (choices && typeof value === 'string' && !choices.includes(value)) {
        throw usageError(`--${option} ${value} is not a choice.`, `Give ${choices.join(', ')}.`);
      }
    }
    return parsed;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw usageError(`${error.message.split('. ')[0]}.`, `See agenthost ${name} --help for what it takes.`);
  }
}

const FLAG_COLUMN = 26;

function helpOf(
  { name, summary, usage, notes, examples }: CommandSpec<Readonly<Record<string, OptionSpec>>>,
  options: Readonly<Record<string, OptionSpec>>,
): string {
  const flags = Object.entries(options).map(([option, { short, value, help, choices }]) => {
    const flag = `  ${short ? `-${short}, ` : ''}--${option}${value ? ` ${value}` : ''}`;
    const choice = choices ? ` (${choices.join(', ')})` : '';
    const gap = flag.length < FLAG_COLUMN ? flag.padEnd(FLAG_COLUMN) : `${flag}\n${' '.repeat(FLAG_COLUMN)}`;
    return `${gap}${help}${choice}`;
  });
  return [
    `agenthost ${name}: ${summary}`,
    `Usage: agenthost ${name} ${usage}`,
    flags.join('\n'),
    ...(notes ? [notes.trim()] : []),
    `Examples:\n${examples.map((example) => `  ${example}`).join('\n')}`,
  ]
    .join('\n\n')
    .concat('\n');
}
