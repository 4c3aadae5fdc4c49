import { isDatabaseAddress, type MoveReport, moveState, withoutPassword } from '@agenthost/host/maintenance';
import { defineCommand, JSON_OPTION } from '../command.js';
import { CommandError, EXIT, usageError } from '../commandError.js';
import { explained, warnOfPassword } from '../database/databaseAddress.js';
import { Progress } from '../output/progress.js';
import { safeLine } from '../text/safeText.js';

const MAX_SHOWN = 20;

export const command = defineCommand({
  name: 'move',
  summary: 'copy all sessions between a state folder and a database',
  usage: '--from A --to B [flags]',
  options: {
    from: { type: 'string', value: 'A', help: 'a state folder, or postgres://user@host/name' },
    to: { type: 'string', value: 'B', help: 'the same; a folder is made if it is not there' },
    place: {
      type: 'string',
      value: 'NAME',
      help: "the place of sessions and trusted folders in the database, as for serve (default: this machine's name)",
    },
    lease: {
      type: 'string',
      value: 'SECONDS',
      help: 'how long a host of the database may be silent, as for serve (default 10)',
    },
    ...JSON_OPTION,
  },
  notes: `Copies sessions, device tokens and trusted folders; --from stays as it is. No host may run on either side. Every file is
read back and compared. A session that is there already with the same bytes is skipped; one with other bytes, or that can't be
read, is named and left as it is, and the exit code is 1. An interrupted run can be run again. The host's own token is not copied:
a database has its own.`,
  examples: [
    'agenthost move --from ~/.agenthost --to postgres://agenthost@db.example.org/agenthost',
    'agenthost move --from postgres://agenthost@db.example.org/agenthost --to ~/agenthost-copy',
  ],
  run: async (values, [stray]) => {
    const { from, to, place } = values;
    if (stray !== undefined || !from || !to) {
      const what = stray === undefined ? 'Say what to copy, and where to.' : `Unexpected argument '${stray}'.`;
      throw usageError(what, 'Give --from A --to B: each a state folder, or the address of a database.');
    }
    if (/^\w+:\/\//.test(to) && !isDatabaseAddress(to)) throw notAnAddress('--to', to);
    if (/^\w+:\/\//.test(from) && !isDatabaseAddress(from)) throw notAnAddress('--from', from);
    warnOfPassword('--from', from);
    warnOfPassword('--to', to);
    const leaseMs = values.lease === undefined ? undefined : leaseOf(values.lease);
    const stop = stopSignal();
    const progress = new Progress('Copying session');
    try {
      const report = await explained(() =>
        moveState({
          from,
          to,
          env: process.env,
          signal: stop.signal,
          onProgress: (done, total) => progress.update(done, total),
          onWaiting: (hosts) => process.stderr.write(`Waiting to see whether ${hosts.join(', ')} still runs.\n`),
          ...(place !== undefined && { place }),
          ...(leaseMs !== undefined && { leaseMs }),
        }),
      );
      progress.end();
      if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`);
      else print(report, withoutPassword(to));
      const { refused, failed, tokens } = report;
      return refused.length + failed.length + tokens.refused.length > 0 ? EXIT.failed : EXIT.ok;
    } catch (error) {
      progress.end();
      if (!stop.signal.aborted) throw error;
      throw new CommandError(stop.exitCode(), 'Interrupted.', 'Run it again: it goes on where it was.', {
        cause: error,
      });
    } finally {
      stop.dispose();
    }
  },
});

function notAnAddress(flag: string, text: string) {
  return usageError(
    `${flag} ${withoutPassword(text)} is not the address of a database.`,
    'Give a folder, or postgres://user@host/name.',
  );
}

function leaseOf(text: string): number {
  const seconds = Number(text);
  if (/^\d+(?:\.\d+)?$/.test(text) && seconds >= 1 && seconds <= 600) return seconds * 1_000;
  throw usageError(`--lease ${text} is not a time.`, 'Give seconds, from 1 to 600, as the hosts have it.');
}

/** The first signal ends the copy at the next piece, so that nothing stays locked; a second one at once. */
function stopSignal(): { readonly signal: AbortSignal; exitCode(): number; dispose(): void } {
  const stop = new AbortController();
  const codes = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.hungUp } as const;
  const signals = Object.keys(codes) as (keyof typeof codes)[];
  let code: number = EXIT.interrupted;
  const onSignal = (signal: NodeJS.Signals) => {
    code = codes[signal as keyof typeof codes];
    if (stop.signal.aborted) process.exit(code);
    stop.abort();
  };
  for (const signal of signals) process.on(signal, onSignal);
  return {
    signal: stop.signal,
    exitCode: () => code,
    dispose: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

function print({ copied, same, refused, failed, tokens, trusted, intruders }: MoveReport, to: string): void {
  const sessions = `${counted(copied, 'session')} ${copied === 1 ? 'was' : 'were'} copied to ${to}`;
  const already = same > 0 ? `, ${same} ${same === 1 ? 'was' : 'were'} there already` : '';
  const others = `${counted(tokens.added, 'device token')} and ${counted(trusted, 'trusted folder')} as well`;
  process.stdout.write(`${sessions}${already}, ${others}.\n`);
  const troubles = [
    ...failed.map(({ sessionId, reason }) => `${sessionId} could not be copied: ${reason}.`),
    ...refused.map(({ sessionId, file }) => `${sessionId} is there with another ${file}: it was left as it is.`),
  ];
  for (const trouble of troubles.slice(0, MAX_SHOWN)) process.stderr.write(`${safeLine(trouble)}\n`);
  const more = troubles.length - MAX_SHOWN;
  if (more > 0) process.stderr.write(`${more} more were not copied; --json lists all.\n`);
  for (const name of tokens.refused) process.stderr.write(`There is another token for ${name}: it was kept.\n`);
  for (const host of intruders) {
    process.stderr.write(`${host} was started meanwhile: start it again, so that it lists what was copied.\n`);
  }
}
