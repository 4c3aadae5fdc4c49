#!/usr/bin/env node
import { CommandError, EXIT } from './commandError.js';
import { findCommand, mainHelp } from './commandTable.js';

async function run([name, ...args]: string[]): Promise<number> {
  if (name === '--help' || name === '-h' || name === 'help') return help(args[0]);
  if (name === '--version' || name === '-v') {
    const { readVersion } = await import('./readVersion.js');
    process.stdout.write(`${readVersion()}\n`);
    return EXIT.ok;
  }
  // Without a command, with or without flags: what a newcomer wants is a host.
  if (name === undefined) return (await import('./output/startOrTell.js')).startOrTell();
  if (name.startsWith('-')) return (await load('serve')).command.run([name, ...args]);
  const { command } = await load(name);
  return command.run(args);
}

async function help(name: string | undefined): Promise<number> {
  process.stdout.write(name === undefined ? mainHelp() : (await load(name)).command.help);
  return EXIT.ok;
}

function load(name: string) {
  const entry = findCommand(name);
  if (entry) return entry.load();
  throw new CommandError(
    EXIT.usage,
    `There is no command ${JSON.stringify(name)}.`,
    'See agenthost --help for what there is.',
  );
}

function explain(error: unknown): void {
  const debug = process.argv.includes('--debug');
  if (debug) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  else if (error instanceof CommandError) process.stderr.write(`${error.message}\n${error.whatToDo}\n`);
  else {
    const what = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${what.split('\n')[0]}\nRun it again with --debug to see where this comes from.\n`);
  }
  process.exitCode = error instanceof CommandError ? error.exitCode : EXIT.failed;
}

/** The reader of the output has closed it, or the disk is full. Waiting for either would never end. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.closedPipe);
  const full = error.code === 'ENOSPC';
  explain(
    new CommandError(
      EXIT.failed,
      full
        ? 'The output could not be written: the disk is full.'
        : `The output could not be written: ${error.message}.`,
      full ? 'Free some space, then run it again.' : 'Check where the output goes.',
    ),
  );
  process.exit();
});
// Without standard error nothing can be reported.
process.stderr.on('error', () => process.exit(EXIT.closedPipe));

run(process.argv.slice(2)).then((code) => {
  process.exitCode ??= code;
}, explain);
