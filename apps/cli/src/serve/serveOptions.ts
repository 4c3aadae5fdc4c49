import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { parseArgs } from 'node:util';
import { isLoopback } from '@agenthost/host';
import { ROLES, type Role } from '@agenthost/protocol';
import { CommandError, EXIT, usageError } from '../commandError.js';
import { DEFAULT_PORT } from '../hostAddress.js';

export const SERVE_HELP = `agenthost serve: start a host on this machine and print its link

Usage: agenthost serve [flags]

  --host ADDRESS          address to listen on (default 127.0.0.1; another one needs TLS)
  --port PORT             port to listen on (default 4747; 0 takes any free one)
  --state-dir FOLDER      where sessions are kept (default $AGENTHOST_HOME, $XDG_STATE_HOME/agenthost or ~/.agenthost)
  --agents LIST           only these agents, separated by commas (default: all)
  --enable-mock-agent     also the mock agent, for tests
  --durability LEVEL      write: a message counts as stored when the system has it (default); fsync: when the disk has it
  --tls-cert FILE, --tls-key FILE
                          serve https with this certificate and key (PEM); renewed files are taken up while it runs
  --insecure-no-tls       allow an address other than loopback without TLS: everybody on the way can read along
  --public-url URL        the address under which a reverse proxy serves this host
  --allow-origin ORIGIN   also let pages of this origin connect; may be given several times
  --ahp                   also let VS Code and other clients of the Agent Host Protocol attach; prints what to give them
  --ahp-role ROLE         what they may do: viewer, approver, driver (default) or owner; see agenthost token
  --open                  open the page in the browser of this machine, with a link that works once
  --json                  print one JSON object a line instead of text
  --debug                 say more, and show where errors come from

Environment: AGENTHOST_TOKEN sets the token (else one is made and kept in the state folder), AGENTHOST_HOME the state folder;
AGENTHOST_KEEP_TEMP_FILES=true leaves temporary files where they are, to look at them.

Examples:
  agenthost serve
  agenthost serve --port 0 --json
  agenthost serve --ahp
  agenthost serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
`;

/** A certificate and its key, and the files that they are from. */
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
  readonly durability: 'write' | 'fsync';
  readonly tls: TlsFiles | undefined;
  readonly publicUrl: URL | undefined;
  readonly allowedOrigins: readonly string[];
  readonly ahp: boolean;
  readonly ahpRole: Role;
  readonly open: boolean;
  readonly json: boolean;
  readonly debug: boolean;
}

export function parseServeOptions(args: string[]): ServeOptions | 'help' {
  const values = parseFlags(args);
  if (values.help) return 'help';
  const address = values.host ?? '127.0.0.1';
  const tls = readTls(values['tls-cert'], values['tls-key']);
  if (!isLoopback(address) && !tls && !values['insecure-no-tls']) {
    throw usageError(
      `${address} can be reached from other machines, and without TLS anybody on the way could read the token.`,
      'Give --tls-cert and --tls-key, or --insecure-no-tls if something else encrypts the connection.',
    );
  }
  return {
    address,
    port: parsePort(values.port),
    stateDir: values['state-dir'],
    agents: values.agents?.split(',').map((name) => name.trim()),
    enableMockAgent: values['enable-mock-agent'] ?? false,
    durability: parseDurability(values.durability),
    tls,
    publicUrl: values['public-url'] === undefined ? undefined : parseUrl('--public-url', values['public-url']),
    allowedOrigins: (values['allow-origin'] ?? []).map((origin) => parseOrigin(origin)),
    ahp: values.ahp ?? false,
    ahpRole: parseRole(values['ahp-role']),
    open: values.open ?? false,
    json: values.json ?? false,
    debug: values.debug ?? false,
  };
}

function parseFlags(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: false,
      options: {
        host: { type: 'string' },
        port: { type: 'string' },
        'state-dir': { type: 'string' },
        agents: { type: 'string' },
        'enable-mock-agent': { type: 'boolean' },
        durability: { type: 'string' },
        'tls-cert': { type: 'string' },
        'tls-key': { type: 'string' },
        'insecure-no-tls': { type: 'boolean' },
        'public-url': { type: 'string' },
        'allow-origin': { type: 'string', multiple: true },
        ahp: { type: 'boolean' },
        'ahp-role': { type: 'string' },
        open: { type: 'boolean' },
        json: { type: 'boolean' },
        debug: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw usageError(`${(error as Error).message.split('. ')[0]}.`, 'See agenthost serve --help for what it takes.');
  }
}

function parsePort(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PORT;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw usageError(`--port ${text} is not a port.`, 'Give a number from 0 to 65535; 0 takes any free one.');
}

function parseDurability(level: string | undefined): 'write' | 'fsync' {
  if (level === undefined || level === 'write') return 'write';
  if (level === 'fsync') return level;
  throw usageError(`--durability ${level} is not a level.`, 'Give write or fsync.');
}

function parseRole(name: string | undefined): Role {
  const role = name === undefined ? 'driver' : ROLES.find((known) => known === name);
  if (role) return role;
  throw usageError(`--ahp-role ${name} is not a role.`, `Give one of ${ROLES.join(', ')}.`);
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
