import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { isLoopback } from '@agenthost/host/internal';
import { ROLES, type Role } from '@agenthost/protocol';
import type { OptionSpec, Values } from '../command.js';
import { CommandError, EXIT, usageError } from '../commandError.js';
import { DEFAULT_PORT } from '../hostAddress.js';
import { type LanNames, lanNames } from '../lan/lanAddresses.js';

const SNAPSHOT_MODES = ['all', 'git', 'none'] as const;

export const SERVE_OPTIONS = {
  host: {
    type: 'string',
    value: 'ADDRESS',
    help: 'address to listen on (default 127.0.0.1; another one needs TLS)',
  },
  port: { type: 'string', value: 'PORT', help: 'port to listen on (default 4747; 0 takes any free one)' },
  'state-dir': {
    type: 'string',
    value: 'FOLDER',
    help: 'where sessions are kept (default $AGENTHOST_HOME, $XDG_STATE_HOME/agenthost or ~/.agenthost)',
  },
  agents: { type: 'string', value: 'LIST', help: 'only these agents, separated by commas (default: all)' },
  'enable-mock-agent': { type: 'boolean', help: 'also the mock agent, for tests' },
  'no-native-sessions': {
    type: 'boolean',
    help: 'do not show owners the sessions that agents keep in your home, begun in a terminal; see docs/agents.md',
  },
  snapshots: {
    type: 'string',
    value: 'WHERE',
    help: 'keep files before and after each turn: all (default), git (in repositories only), none',
    choices: SNAPSHOT_MODES,
  },
  'agents-outlive-host': {
    type: 'string',
    value: 'MINUTES',
    help: 'commands of the shell agent go on for so long when the host is killed (default: they end with it)',
  },
  durability: {
    type: 'string',
    value: 'LEVEL',
    help: 'write: a message counts as stored when the system has it (default); fsync: when the disk has it',
  },
  database: {
    type: 'string',
    value: 'URL',
    help: 'keep sessions, tokens and trusted folders in PostgreSQL (default $AGENTHOST_DATABASE); see docs/cluster.md',
  },
  place: {
    type: 'string',
    value: 'NAME',
    help: "with --database: the name of machines that see the same folders (default: this machine's name)",
  },
  'link-url': {
    type: 'string',
    value: 'URL',
    help: 'with --database: where other hosts reach this one (default: the address that it listens on)',
  },
  lease: {
    type: 'string',
    value: 'SECONDS',
    help: 'with --database: how long a host may be silent before others take its sessions (default 10)',
  },
  drain: {
    type: 'string',
    value: 'SECONDS',
    help: 'with --database: how long running turns may go on when the host is told to stop (default 30)',
  },
  lan: {
    type: 'boolean',
    help: 'let phones on the same network in: https with a certificate of its own, a QR code; see docs/remote.md',
  },
  'lan-role': {
    type: 'string',
    value: 'ROLE',
    help: 'what the phone that scans the code of --lan may do: viewer, approver (default), driver or owner',
  },
  'tls-cert': {
    type: 'string',
    value: 'FILE',
    help: 'serve https with this certificate (PEM); a renewed file is used while the host runs',
  },
  'tls-key': { type: 'string', value: 'FILE', help: 'the key of the certificate (PEM)' },
  'insecure-no-tls': {
    type: 'boolean',
    help: 'allow an address other than loopback without TLS: others on the network can read the token',
  },
  'public-url': { type: 'string', value: 'URL', help: 'the address under which a reverse proxy serves this host' },
  'allow-origin': {
    type: 'string',
    value: 'ORIGIN',
    multiple: true,
    help: 'also let pages of this origin connect; may be given several times',
  },
  ahp: {
    type: 'boolean',
    help: 'also let VS Code and other clients of the Agent Host Protocol attach; prints what to give them',
  },
  'ahp-role': {
    type: 'string',
    value: 'ROLE',
    help: 'what they may do: viewer, approver, driver (default) or owner; see agenthost token',
  },
  open: { type: 'boolean', help: 'open the page in the browser of this machine, with a link that works once' },
  json: { type: 'boolean', help: 'print one JSON object per line instead of text' },
  debug: { type: 'boolean', help: 'print more, and show where errors come from' },
} as const satisfies Record<string, OptionSpec>;

/** A certificate and its key, and their files. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly files: { readonly cert: string; readonly key: string };
}

export interface ServeOptions {
  readonly address: string;
  readonly port: number;
  readonly stateDir: string | undefined;
  readonly agents: readonly string[] | undefined;
  readonly enableMockAgent: boolean;
  readonly nativeSessions: boolean;
  readonly snapshots: (typeof SNAPSHOT_MODES)[number];
  readonly agentsOutliveHostMs: number | undefined;
  readonly durability: 'write' | 'fsync';
  readonly database: string | undefined;
  readonly place: string | undefined;
  readonly linkUrl: URL | undefined;
  readonly leaseMs: number | undefined;
  readonly drainMs: number;
  /** The names on the local network, with `--lan`. */
  readonly lan: LanNames | undefined;
  /** Of the phone that uses the code which `--lan` prints. */
  readonly lanRole: Role;
  readonly tls: TlsFiles | undefined;
  readonly publicUrl: URL | undefined;
  readonly allowedOrigins: readonly string[];
  readonly ahp: boolean;
  readonly ahpRole: Role;
  readonly open: boolean;
  readonly json: boolean;
  readonly debug: boolean;
}

/** Throws a usage error for invalid values. */
export function serveOptions(values: Values<typeof SERVE_OPTIONS>): ServeOptions {
  const lan = parseLan(values);
  const address = lan?.address ?? values.host ?? '127.0.0.1';
  const tls = readTls(values['tls-cert'], values['tls-key']);
  if (!isLoopback(address) && !lan && !tls && !values['insecure-no-tls']) {
    throw usageError(
      `${address} can be reached from other machines, and without TLS anybody on the way could read the token.`,
      'Give --tls-cert and --tls-key, or --insecure-no-tls if something else encrypts the connection.',
    );
  }
  const database = values.database ?? (process.env['AGENTHOST_DATABASE'] || undefined);
  if (lan && database !== undefined) throw lanConflict('database');
  const lonely = (['place', 'link-url', 'lease', 'drain'] as const).find((flag) => values[flag] !== undefined);
  if (database === undefined && lonely !== undefined) {
    throw usageError(`--${lonely} is for hosts that share a database.`, 'Give --database as well, or leave it out.');
  }
  return {
    address,
    port: parsePort(values.port),
    stateDir: values['state-dir'],
    agents: values.agents?.split(',').map((name) => name.trim()),
    enableMockAgent: values['enable-mock-agent'] ?? false,
    nativeSessions: !values['no-native-sessions'],
    snapshots: parseSnapshots(values.snapshots ?? (process.env['AGENTHOST_SNAPSHOTS'] || 'all')),
    agentsOutliveHostMs: parseOutliving(values['agents-outlive-host'], database),
    durability: parseDurability(values.durability),
    database,
    place: values.place,
    linkUrl: values['link-url'] === undefined ? undefined : parseUrl('--link-url', values['link-url']),
    leaseMs: values.lease === undefined ? undefined : parseLease(values.lease),
    drainMs: parseDrain(values.drain),
    lan,
    lanRole: parseRole('--lan-role', values['lan-role'] ?? 'approver'),
    tls,
    publicUrl: values['public-url'] === undefined ? undefined : parseUrl('--public-url', values['public-url']),
    allowedOrigins: (values['allow-origin'] ?? []).map((origin) => parseOrigin(origin)),
    ahp: values.ahp ?? false,
    ahpRole: parseRole('--ahp-role', values['ahp-role'] ?? 'driver'),
    open: values.open ?? false,
    json: values.json ?? false,
    debug: values.debug ?? false,
  };
}

/** It has a certificate, an address and a name of its own: flags that give another one would contradict it. */
function parseLan(values: Values<typeof SERVE_OPTIONS>): LanNames | undefined {
  if (!values.lan) return undefined;
  const flags = ['tls-cert', 'tls-key', 'insecure-no-tls', 'public-url'] as const;
  const other = flags.find((flag) => values[flag] !== undefined);
  if (other === undefined) return lanNames(values.host);
  throw lanConflict(other);
}

function lanConflict(flag: string): CommandError {
  return usageError(
    `--lan can't be combined with --${flag}.`,
    'Leave one of them out; docs/remote.md compares the ways.',
  );
}

function parsePort(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PORT;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw usageError(`--port ${text} is not a port.`, 'Give a number from 0 to 65535; 0 takes any free one.');
}

function parseLease(text: string): number {
  const seconds = Number(text);
  if (/^\d+(?:\.\d+)?$/.test(text) && seconds >= 1 && seconds <= 600) return seconds * 1_000;
  throw usageError(
    `--lease ${text} is not a time.`,
    'Give seconds, from 1 to 600; the same for all hosts of a database.',
  );
}

function parseOutliving(text: string | undefined, database: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (database !== undefined) {
    throw usageError(
      "--agents-outlive-host can't be combined with --database: another host takes the sessions of one that is silent.",
      'Leave one of them out.',
    );
  }
  const minutes = Number(text);
  if (/^\d+(?:\.\d+)?$/.test(text) && minutes > 0 && minutes <= 1_440) return minutes * 60_000;
  throw usageError(`--agents-outlive-host ${text} is not a time.`, 'Give minutes, up to 1440, such as 10.');
}

function parseDrain(text = '30'): number {
  const seconds = Number(text);
  if (/^\d+(?:\.\d+)?$/.test(text) && seconds <= 86_400) return seconds * 1_000;
  throw usageError(`--drain ${text} is not a time.`, 'Give seconds, from 0 to 86400; 0 ends running turns at once.');
}

function parseDurability(level: string | undefined): 'write' | 'fsync' {
  if (level === undefined || level === 'write') return 'write';
  if (level === 'fsync') return level;
  throw usageError(`--durability ${level} is not a level.`, 'Give write or fsync.');
}

function parseRole(flag: string, name: string): Role {
  const role = ROLES.find((known) => known === name);
  if (role) return role;
  throw usageError(`${flag} ${name} is not a role.`, `Give one of ${ROLES.join(', ')}.`);
}

function parseUrl(flag: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  throw usageError(
    `${flag} ${text} is not an http or https address.`,
    'Give it in full, such as https://agents.example.org.',
  );
}

function parseOrigin(text: string): string {
  const url = parseUrl('--allow-origin', text);
  if (url.origin === text.replace(/\/$/, '')) return url.origin;
  throw usageError(`--allow-origin ${text} is not an origin.`, `Give scheme, host and port only: ${url.origin}`);
}

function readTls(cert: string | undefined, key: string | undefined): ServeOptions['tls'] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw usageError('TLS needs both a certificate and a key.', 'Give --tls-cert and --tls-key.');
  const read = (flag: string, file: string) => {
    try {
      return readFileSync(file, 'utf8');
    } catch (cause) {
      throw new CommandError(
        EXIT.cannotStart,
        `${flag} ${file} can't be read: ${(cause as Error).message}.`,
        'Check the path and its rights.',
        { cause },
      );
    }
  };
  const tls = { cert: read('--tls-cert', cert), key: read('--tls-key', key), files: { cert, key } };
  try {
    createSecureContext({ cert: tls.cert, key: tls.key });
  } catch (cause) {
    throw new CommandError(
      EXIT.cannotStart,
      `--tls-cert ${cert} and --tls-key ${key} are not a certificate and its key: ${(cause as Error).message}.`,
      'Give both as PEM files that belong together.',
      { cause },
    );
  }
  return tls;
}

function parseSnapshots(text: string): (typeof SNAPSHOT_MODES)[number] {
  const mode = SNAPSHOT_MODES.find((one) => one === text);
  if (mode) return mode;
  throw usageError(`--snapshots ${text} is not possible.`, `Give one of ${SNAPSHOT_MODES.join(', ')}.`);
}
