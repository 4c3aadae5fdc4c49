import { createHash } from 'node:crypto';
import { findHost } from '@agenthost/host/discovery';
import { DeviceTokenError } from '@agenthost/host/maintenance';
import { ROLES, type Role } from '@agenthost/protocol';
import { DEFAULT_SPACE } from '@agenthost/protocol/internal';
import { defineCommand } from '../command.js';
import { CommandError, EXIT, usageError } from '../commandError.js';
import { DATABASE_OPTION, databaseAddress, withDatabase } from '../database/databaseAddress.js';
import { databaseTokens, folderTokens, type TokenPlace } from '../database/tokenPlace.js';
import { type Print, pairDevice } from '../pairDevice.js';
import { qrCode } from '../text/qrCode.js';
import { relativeTime } from '../text/relativeTime.js';
import { padTo } from '../text/width.js';

interface Place extends TokenPlace {
  /** The address of the host that runs there. */
  readonly url: string | undefined;
}

/** Of a program that watches the host. Not a role of clients: it never becomes one. */
const METRICS = 'metrics';
const ACTIONS = ['show', 'pair', 'rotate', 'add', 'ls', 'rm'] as const;

export const command = defineCommand({
  name: 'token',
  summary: 'show or change the tokens of the host on this machine',
  usage: 'show|pair|rotate [NAME]|add|ls|rm NAME [flags]',
  options: {
    name: { type: 'string', value: 'NAME', help: 'add: the name of the device for others, such as "Ann\'s phone"' },
    role: { type: 'string', value: 'ROLE', help: 'add, pair: what it may do', choices: [...ROLES, METRICS] },
    space: { type: 'string', value: 'SPACE', help: 'add: the sessions that it sees and makes (default "default")' },
    qr: { type: 'boolean', help: 'show, pair: draw the link as a QR code for the camera of a phone' },
    'state-dir': { type: 'string', value: 'FOLDER', help: 'the state folder of the host' },
    database: {
      ...DATABASE_OPTION.database,
      help: 'the tokens of all hosts on this database (default $AGENTHOST_DATABASE)',
    },
    json: { type: 'boolean', help: 'print JSON instead of text' },
  },
  completes: ACTIONS,
  notes: `show prints the link of the host, or its token where no host runs. pair prints a link that lets one device in, once,
within 10 minutes, as an approver unless --role says otherwise; it waits until the device is connected. add makes a token for a
device that can't open a page and prints it, once. The roles may do:
  viewer    watch: lists, sessions, conversations
  approver  also answer questions, with a text of up to 1,000 characters, and stop turns; but not write
  driver    also write, create and delete sessions, and so run commands on this machine
  owner     also install agents and trust folders
With add there is one more, for a program that watches the host:
  metrics   read the figures at /metrics, and nothing else (docs/watching.md)
A token sees the sessions of its own space and no others, and what it makes is there. The name of a space has up to 32
lower-case letters, digits and dashes. The host's own token is in the space default.
ls lists them with their last use, their space where it is another one, and read-only links (agenthost share). rm revokes
one, rotate NAME replaces it, rotate alone replaces the host's own token. Clients with the old token are disconnected at
once. A host that was started with $AGENTHOST_TOKEN keeps that token until it is restarted with another: rotate then changes
nothing and fails. Hosts on one database share their tokens, and notice a change within a second; with --state-dir
$AGENTHOST_DATABASE does not count.`,
  examples: [
    'agenthost token show',
    'agenthost token pair --qr',
    'agenthost token add --role approver --name "Ann\'s phone"',
    'agenthost token add --role driver --name "Ben\'s laptop" --space design',
    'agenthost token add --role metrics --name prometheus',
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
    if (action === 'pair') {
      if (values.role === METRICS)
        throw usageError('A device is not paired to read metrics.', 'Give its program a token: token add.');
      await pairDevice(values, print);
      return EXIT.ok;
    }
    const act = async (here: Place): Promise<void> => {
      if (action === 'show') await show(here, print, values.qr === true);
      else if (action === 'ls') await list(here, print, values.json === true);
      else if (action === 'add') await add(here, { ...values, name: values.name ?? name }, print);
      else if (action === 'rm') await remove(here, name, print);
      else if (name === undefined) await rotateOwn(here, print);
      else await rotate(here, name, print);
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

async function show(here: Place, print: Print, qr: boolean): Promise<void> {
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
  const { link } = linkOf(here, token);
  const drawn = qr ? `${(await qrCode(link ?? token))?.join('\n')}\n` : '';
  print({ token, ...(link && { link }) }, `${drawn}${link ?? token}`);
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
  const devices = (await here.devices.list().catch(() => [])).length;
  if (devices > 0) {
    const they = devices === 1 ? 'One device keeps its own token' : `${devices} devices keep their own tokens`;
    process.stderr.write(`${they}: see agenthost token ls, and revoke those that you don't know.\n`);
  }
  if (process.env['AGENTHOST_TOKEN']) {
    process.stderr.write('$AGENTHOST_TOKEN is set here: a host that is started with it has that one instead.\n');
  }
}

async function rotate(here: Place, name: string, print: Print): Promise<void> {
  const token = await changed(here.devices.rotate(name));
  const made = (await here.devices.list()).find(({ sha256: hash }) => hash === sha256(token));
  if (made?.only) {
    print({ name, token }, `The token of ${name}, which reads /metrics and nothing else:\n\n  ${token}\n`);
    return;
  }
  printNew(here, print, token, { name }, made?.shared ? 'share' : 'token');
}

interface Wanted {
  readonly name?: string | undefined;
  readonly role?: string | undefined;
  readonly space?: string | undefined;
}

async function add(here: Place, { name, role, space }: Wanted, print: Print): Promise<void> {
  if (name === undefined || role === undefined) {
    throw usageError(
      'A token needs a name and a role.',
      `Give --name NAME and --role ${[...ROLES, METRICS].join('|')}.`,
    );
  }
  if (role === METRICS) {
    await addForMetrics(here, { name, space }, print);
    return;
  }
  const token = await changed(here.devices.add(name, role as Role, space));
  printNew(here, print, token, { name, role, ...(space !== undefined && { space }) });
}

async function addForMetrics(
  here: Place,
  { name, space }: Wanted & { readonly name: string },
  print: Print,
): Promise<void> {
  if (space !== undefined) throw usageError('Metrics are of all spaces.', 'Leave --space out.');
  const token = await changed(here.devices.addForMetrics(name));
  const shown = `The token of ${name}, which reads /metrics and nothing else; it is not shown again:\n\n  ${token}\n`;
  print({ name, role: METRICS, token }, shown);
}

/** The only time that it is shown. */
function printNew(
  here: Place,
  print: Print,
  token: string,
  about: Wanted & { readonly name: string },
  kind: 'token' | 'share' = 'token',
) {
  const { link } = linkOf(here, token, kind);
  const inSpace = about.space === undefined ? '' : ` in the space ${about.space}`;
  const asRole = about.role === undefined ? '' : `, as ${about.role}${inSpace}`;
  const shown = link
    ? `Open this link on ${about.name}${asRole}; it is not shown again:\n\n  ${link}\n`
    : `The token of ${about.name}${asRole}; it is not shown again. ${here.linkHint}\n\n  ${token}\n`;
  print({ ...about, token, ...(link && { link }) }, shown);
}

async function list({ devices, lastUses }: Place, print: Print, json: boolean): Promise<void> {
  const tokens = await changed(devices.list());
  const usedAt = await lastUses();
  const own = {
    id: 'owner',
    name: "the host's own",
    role: 'owner',
    space: undefined,
    createdAt: undefined,
    shared: undefined,
    only: undefined,
  };
  const rows = [own, ...tokens].map(({ id, name, role, space = DEFAULT_SPACE, createdAt, shared, only }) => ({
    name,
    role: only ?? role,
    space,
    createdAt,
    lastUsedAt: usedAt.get(id),
    ...(shared && { shared }),
  }));
  const width = Math.max(...rows.map(({ name }) => name.length));
  const now = Date.now();
  const ago = (at: number | undefined) => (at === undefined ? 'never used' : `used ${relativeTime(at, now)} ago`);
  const inSpace = (space: string) => (space === DEFAULT_SPACE ? '' : `  space ${space}`);
  for (const row of rows) {
    const { name, role, space, lastUsedAt, shared } = row;
    const end = shared ? `  read-only link to ${shared.session}, until ${new Date(shared.endsAt).toISOString()}` : '';
    print(row, `${padTo(name, width)}  ${role.padEnd(8)}  ${ago(lastUsedAt)}${inSpace(space)}${end}`);
  }
  if (tokens.length === 0 && !json) process.stderr.write('No device has one yet: agenthost pair.\n');
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

function linkOf({ url }: Place, token: string, kind: 'token' | 'share' = 'token'): { readonly link?: string } {
  return url === undefined ? {} : { link: `${new URL(url).href}#${kind}=${token}` };
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
