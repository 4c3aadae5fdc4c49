import { findHost } from '@agenthost/host/discovery';
import { TokenFile } from '@agenthost/host/maintenance';
import { defineCommand } from '../command.js';
import { CommandError, EXIT, usageError } from '../commandError.js';

export const command = defineCommand({
  name: 'token',
  summary: 'show or change the token of the host on this machine',
  usage: 'show|rotate [flags]',
  options: {
    'state-dir': { type: 'string', value: 'FOLDER', help: 'the state folder of the host' },
    json: { type: 'boolean', help: 'print JSON instead of text' },
  },
  completes: ['show', 'rotate'],
  notes: `rotate makes a new token: whoever is connected with the old one is cut off at once. A host that was started with
$AGENTHOST_TOKEN goes by that one alone; give it another one there.`,
  examples: ['agenthost token show', 'agenthost token rotate'],
  run: async (values, [what, ...more]) => {
    if ((what !== 'show' && what !== 'rotate') || more.length > 0) {
      throw usageError(
        what === undefined ? 'Say what to do with the token.' : `token can't do ${what}.`,
        'Give show or rotate.',
      );
    }
    const place = { env: process.env, ...(values['state-dir'] !== undefined && { path: values['state-dir'] }) };
    const { token, url, stateDir } = findHost(place);
    if (what === 'show' && !token) {
      throw new CommandError(
        EXIT.notFound,
        `There is no token in ${stateDir}.`,
        'The first agenthost serve makes one; with $AGENTHOST_TOKEN set, that is the token.',
      );
    }
    const current = what === 'show' ? (token ?? '') : await rotate(stateDir);
    const link = url === undefined ? undefined : `${new URL(url).href}#token=${current}`;
    process.stdout.write(
      values.json ? `${JSON.stringify({ token: current, ...(link && { link }) })}\n` : `${current}\n`,
    );
    if (what === 'rotate' && process.env['AGENTHOST_TOKEN']) {
      process.stderr.write('$AGENTHOST_TOKEN is set here: a host that was started with it keeps that one.\n');
    }
    return EXIT.ok;
  },
});

async function rotate(stateDir: string): Promise<string> {
  try {
    return await new TokenFile(stateDir).rotate();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const full = code === 'ENOSPC';
    throw new CommandError(
      EXIT.failed,
      full
        ? 'The new token could not be written: the disk is full.'
        : `The new token could not be written: ${message}.`,
      full
        ? 'Free some space, then run it again; the old token is still the token.'
        : 'Start a host once with agenthost serve, or check --state-dir.',
      { cause },
    );
  }
}
