#!/usr/bin/env node
import { agents } from './agents.js';
import { CommandError, EXIT } from './commandError.js';
import { serve } from './serve.js';

const HELP = `agenthost: run AI coding agents, and share their sessions between any number of clients

Usage:
  agenthost serve [flags]     start a host on this machine and print its link
  agenthost agents            list agents, add and remove them
  agenthost <command> --help  what a command takes, with examples
  agenthost --version

Start with: agenthost serve
`;

const COMMANDS: Readonly<Record<string, (args: string[]) => Promise<number>>> = { serve, agents };

async function run([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(HELP);
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  if (name === '--version' || name === '-v') {
    const { readVersion } = await import('./readVersion.js');
    process.stdout.write(`${readVersion()}\n`);
    return EXIT.ok;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    throw new CommandError(
      EXIT.usage,
      `There is no command ${JSON.stringify(name)}.`,
      'See agenthost --help for what there is.',
    );
  }
  return command(args);
}

// Who reads the output may stop before its end, as head does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.ok);
});

run(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const debug = process.argv.includes('--debug');
    if (error instanceof CommandError && !debug) process.stderr.write(`${error.message}\n${error.whatToDo}\n`);
    else process.stderr.write(`${debug && error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = error instanceof CommandError ? error.exitCode : EXIT.failed;
  },
);
