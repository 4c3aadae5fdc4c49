import { createHash } from 'node:crypto';
import { findHost } from '@agenthost/host/discovery';
import { DeviceTokenError } from '@agenthost/host/maintenance';
import { ROLES, type Role } from '@agenthost/protocol';
import { defineCommand } from '../command.js';
import { CommandError, EXIT, usageError } from '../commandError.js';
import { DATABASE_OPTION, databaseAddress, withDatabase } from '../database/databaseAddress.js';
import { databaseTokens, folderTokens, type TokenPlace } from '../database/tokenPlace.js';
import { relativeTime } from '../text/relativeTime.js';
import { padTo } from '../text/width.js';

interface Place extends TokenPlace {
  /** The address of the host that runs there. */
  readonly url: string | undefined;
}

type Print = (value: object, text: string) => void;

const ACTIONS = ['show', 'rotate', 'add', 'ls', 'rm'] as const;

export const command = defineCommand({
  name: 'token',
  summary: 'show or change the tokens of the host on this machine',
  usage: 'show|rotate [NAME]|add|ls|rm NAME [flags]',
  options: {
    name: { type: 'string', value: 'NAME', help: 'add: the name of the device for others, such as "Ann\'s phone"' },
    role: { type: 'string', value: 'ROLE', help: 'add: what it may do', choices: ROLES },
    'state-dir': { type: 'string', value: 'FOLDER', help: 'the state folder of the host' },
    database: {
      ...DATABASE_OPTION.database,
      help: 'the tokens of all hosts on this database (default $AGENTHOST_DATABASE)',
    },
    json: { type: 'boolean', help: 'print JSON instead of text' },
  },
  completes: ACTIONS,
  notes: `add makes a token for a device and prints the link to open there, once. The roles may do:
  viewer    watch: lists, sessions, conversations
  approver  also answer questions, with a text of up to 1,000 characters, and stop turns; but not write
  driver    also write, create and delete sessions, and so run commands on this machine
  owner     also install agents and trust folders
ls lists them with their last use. rm revokes one, rotate NAME replaces it, rotate alone replaces the host's own token. Clients
with the old token are disconnected at once. A host that was started with $AGENTHOST_TOKEN keeps that token until it is
restarted with another: rotate then changes nothing and fails. Hosts on one database share their tokens, and notice a change
within a second; with --state-dir $AGENTHOST_DATABASE does not count.`,
  examples: [
    'agenthost token show',
    'agenthost token add --role approver --name "Ann\'s phone"',
    'agenthost token ls',
    'agenthost token rm "Ann\'s phone"',
    'agenthost token rotate',
    'agenthost token ls --database postgres://agenthost@db.example.org/agenthost',
  ],
  run: async (values, [what, name, ...more]) => {
    const action = ACTIONS.find((known) => known === what);
    if (!action || more.length > 0) {
      const missing = what === undefined ? 'Say what to do with the token.' : `token can't do ${what}.`;
      throw usageError(action ? 'That is too much.' : missing, `Give one of ${ACTIONS.join(', ')}; see --help.`);
    }
    const place = { env: process.env, ...(values['state-dir'] !== undefined && { path: values['state-dir'] }) };
    const found = findHost(place);
    const print: Print = (value, text) => {
      process.stdout.write(values.json ? `${JSON.stringify(value)}\n` : `${text}\n`);
    };
    const act = async (here: Place): Promise<void> => {
      if (action === 'show') await show(here, print);
      else if (action === 'ls') await list(here, print, values.json === true);
      else if (action === 'add') await add(here, values.name ?? name, values.role, print);
      else if (action === 'rm') await remove(here, name, print);
      else if (name === undefined) await rotateOwn(here, print);
      else printNew(here, print, await changed(here.devices.rotate(name)), { name });
    };
    const address = chosenDatabase(values.database, values['state-dir']);
    if (address === undefined)
      await act({ ...folderTokens(found.stateDir, found.token), url: found.publicUrl ?? found.url });
    else await withDatabase(address, async (open) => act({ ...(await databaseTokens(open, address)), url: undefined }));
    return EXIT.ok;
  },
});

/** A folder that was asked for counts more than a variable. */
function chosenDatabase(database: string | undefined, stateDir: string | undefined): string | undefined {
  if (database !== undefined && stateDir !== undefined) {
    throw usageError('Tokens are in a folder or in a database.', 'Give --state-dir or --database, not both.');
  }
  return stateDir === undefined ? databaseAddress(database) : undefined;
}

async function show(here: Place, print: Print): Promise<void> {
  const token = await here.readOwn();
  if (await here.hasGivenToken()) {
    throw new CommandError(
      EXIT.notFound,
      `The host that runs here was started with $AGENTHOST_TOKEN: its token is not in ${here.name}.`,
      'Look where it is started, or give a device a token of its own with agenthost token add.',
    );
  }
  if (!token) {
    throw new CommandError(
      EXIT.notFound,
      `There is no token in ${here.name}.`,
      'The first agenthost serve makes one; with $AGENTHOST_TOKEN set, that is the token.',
    );
  }
  print({ token, ...linkOf(here, token) }, token);
}

async function rotateOwn(here: Place, print: Print): Promise<void> {
  if (await here.hasGivenToken()) {
    throw new CommandError(
      EXIT.failed,
      'The host that runs here keeps the token that it was started with, $AGENTHOST_TOKEN; nothing was changed.',
      'Start it again with another $AGENTHOST_TOKEN; without one it has its own, which this command replaces.',
    );
  }
  const token = await changed(here.rotateOwn());
  print({ token, ...linkOf(here, token) }, token);
  if (process.env['AGENTHOST_TOKEN']) {
    process.stderr.write('$AGENTHOST_TOKEN is set here: a host that is started with it has that one instead.\n');
  }
}

async function add(here: Place, name: string | undefined, role: string | undefined, print: Print): Promise<void> {
  if (name === undefined || role === undefined) {
    throw usageError('A token needs a name and a role.', `Give --name NAME and --role ${ROLES.join('|')}.`);
  }
  const token = await changed(here.devices.add(name, role as Role));
  printNew(here, print, token, { name, role });
}

/** The only time that it is shown. */
function printNew(here: Place, print: Print, token: string, about: { readonly name: string; readonly role?: string }) {
  const { link } = linkOf(here, token);
  const asRole = about.role === undefined ? '' : `, as ${about.role}`;
  const shown = link
    ? `Open this link on ${about.name}${asRole}; it is not shown again:\n\n  ${link}\n`
    : `The token of ${about.name}${asRole}; it is not shown again. ${here.linkHint}\n\n  ${token}\n`;
  print({ ...about, token, ...(link && { link }) }, shown);
}

async function list({ devices, lastUses }: Place, print: Print, json: boolean): Promise<void> {
  const tokens = await changed(devices.list());
  const usedAt = await lastUses();
  const own = { id: 'owner', name: "the host's own", role: 'owner', createdAt: undefined };
  const rows = [own, ...tokens].map(({ id, name, role, createdAt }) => ({
    name,
    role,
    createdAt,
    lastUsedAt: usedAt.get(id),
  }));
  const width = Math.max(...rows.map(({ name }) => name.length));
  const now = Date.now();
  const ago = (at: number | undefined) => (at === undefined ? 'never used' : `used ${relativeTime(at, now)} ago`);
  for (const row of rows) print(row, `${padTo(row.name, width)}  ${row.role.padEnd(8)}  ${ago(row.lastUsedAt)}`);
  if (tokens.length === 0 && !json) process.stderr.write('No device has one yet: agenthost token add.\n');
}

async function remove(here: Place, name: string | undefined, print: Print): Promise<void> {
  if (name === undefined) throw usageError('Name the token to revoke.', 'See agenthost token ls.');
  const removed = await changed(here.devices.remove(name));
  const given = process.env['AGENTHOST_TOKEN'];
  if (given && removed?.sha256 === sha256(given) && (await here.hasGivenToken())) {
    throw new CommandError(
      EXIT.failed,
      `The token of ${name} was removed, but it is $AGENTHOST_TOKEN as well, and still opens the host that runs here.`,
      'Start that host again with another $AGENTHOST_TOKEN.',
    );
  }
  print({ removed: name }, `${name} is out.`);
}

function linkOf({ url }: Place, token: string): { readonly link?: string } {
  return url === undefined ? {} : { link: `${new URL(url).href}#token=${token}` };
}

function sha256(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

async function changed<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (cause) {
    if (cause instanceof DeviceTokenError) {
      throw new CommandError(cause.code === 'notFound' ? EXIT.notFound : EXIT.failed, cause.message, cause.whatToDo, {
        cause,
      });
    }
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
