import { resolve } from 'node:path';
import { hasPassword } from '@agenthost/host/maintenance';
import { parseFlags, type Values } from '../command.js';
import { usageError } from '../commandError.js';
import { SERVE_OPTIONS, serveOptions } from '../serve/serveOptions.js';

/** What a service runs. All paths are absolute. */
export interface ServicePlan {
  readonly node: string;
  readonly script: string;
  readonly stateDir: string;
  /** Flags of `serve`, without the state folder. */
  readonly flags: readonly string[];
  /** `PATH`: agents are looked for there. */
  readonly searchPath: string;
  /** How long it may take to stop before it is killed. */
  readonly stopSeconds: number;
}

export interface PlanOptions {
  readonly node: string;
  readonly script: string;
  readonly stateDir: string;
  readonly searchPath: string;
  /** As they were given after `--`. */
  readonly serveFlags: readonly string[];
}

const FILES: readonly string[] = ['tls-cert', 'tls-key'];
/** Those that make no sense without somebody who looks. */
const UNFIT: readonly string[] = ['open', 'json'];
/** The host stops within seconds, after the time that running turns may have. */
const STOP_SECONDS = 30;

/** Throws a usage error for what `serve` would refuse, and for what must not be in a file. */
export function planService({ serveFlags, ...place }: PlanOptions): ServicePlan {
  if (/[\\/]_npx[\\/]/.test(place.script)) {
    throw usageError(
      'This command runs from the cache of npx, which npm may clean at any time.',
      'Install it first: npm install --global agenthost, then agenthost service install.',
    );
  }
  const { values, positionals } = parseFlags('serve', [...serveFlags], SERVE_OPTIONS);
  const [stray] = positionals;
  if (stray !== undefined)
    throw usageError(`Unexpected argument '${stray}'.`, 'See agenthost serve --help for what it takes.');
  const { drainMs, database } = serveOptions(values as Values<typeof SERVE_OPTIONS>);
  const unfit = UNFIT.find((flag) => values[flag]);
  if (unfit !== undefined) throw usageError(`A service can't have --${unfit}.`, 'Leave it out.');
  const { 'state-dir': stateDir = place.stateDir, ...rest } = values as Record<string, string | boolean | string[]>;
  const flags = Object.entries(rest).flatMap(([flag, value]) => flagsOf(flag, value));
  const plan = {
    ...place,
    stateDir: resolve(String(stateDir)),
    flags,
    stopSeconds: STOP_SECONDS + (database === undefined ? 0 : Math.ceil(drainMs / 1_000)),
  };
  for (const word of [...wordsOf(plan), plan.searchPath]) refuseControls(word);
  return plan;
}

/** The whole command line. */
export function wordsOf({ node, script, stateDir, flags }: ServicePlan): string[] {
  return [node, script, 'serve', `--state-dir=${stateDir}`, ...flags];
}

function flagsOf(flag: string, value: string | boolean | string[]): string[] {
  if (typeof value === 'boolean') return value ? [`--${flag}`] : [];
  return [value].flat().map((text) => {
    refuseSecrets(flag, text);
    return `--${flag}=${FILES.includes(flag) ? resolve(text) : text}`;
  });
}

/** A unit file can be read by others, and command lines by every user of the machine. */
function refuseSecrets(flag: string, text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSecret = (flag === 'database' && hasPassword(text)) || Boolean(url?.password) || /token=/i.test(text);
  if (!isSecret) return;
  throw usageError(
    `--${flag} holds a password or a token, which other users of this machine could read.`,
    flag === 'database' ? 'Put the password into ~/.pgpass or a service file.' : 'Give the address without it.',
  );
}

/** No format of a service file has room for these, and no honest path has them. */
function refuseControls(word: string): void {
  if (!/\p{Cc}/u.test(word)) return;
  throw usageError(`${JSON.stringify(word)} has a control character.`, 'Use a path without line breaks and tabs.');
}
