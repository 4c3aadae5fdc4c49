import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { PoolConfig } from 'pg';
import { errorCode } from '../storage/fs/errnoFailure.js';
import type { PassFileQuery } from './passFile.js';

type Env = Readonly<Record<string, string | undefined>>;

/** The database can't be used: what happened, and what to do. */
export class DatabaseError extends Error {
  readonly what: string;
  readonly whatToDo: string;

  constructor(what: string, whatToDo: string, options?: ErrorOptions) {
    super(`${what} ${whatToDo}`, options);
    this.name = 'DatabaseError';
    this.what = what;
    this.whatToDo = whatToDo;
  }
}

/** What `pg` needs to connect. Service files and .pgpass are read here: the driver knows no services. */
export async function connectionConfig(address: string, env: Env): Promise<PoolConfig> {
  if (!/^postgres(?:ql)?:\/\//.test(address) || !URL.canParse(withHost(address))) {
    throw new DatabaseError(
      `${JSON.stringify(withoutPassword(address))} is not the address of a database.`,
      hasPassword(address)
        ? 'Characters such as @ : / ? # % in a password are encoded there (@ is %40); or give it in PGPASSWORD.'
        : 'Give it as postgres://user@host:5432/name, or postgres://?service=NAME for one of a service file.',
    );
  }
  const url = new URL(withHost(address));
  const service = url.searchParams.get('service') ?? env['PGSERVICE'];
  url.searchParams.delete('service');
  const isGiven = url.hostname !== NO_HOST;
  const found = service === undefined ? {} : await readService(service, env);
  const isKnown = url.password !== '' || url.searchParams.has('password') || found.password || env['PGPASSWORD'];
  if (!isKnown) {
    // Later: this file is loaded by hosts without a database too.
    const { readPassFile } = await import('./passFile.js');
    const password = await readPassFile(queryOf(url, found), env);
    if (password !== undefined && service !== undefined && !isGiven) found.password = password;
    else if (password !== undefined) url.password = encodeURIComponent(password);
  }
  const connectionString = url.href.replace(`//${NO_HOST}`, '//').replace(`@${NO_HOST}`, '@');
  return { ...found, ...((isGiven || service === undefined) && { connectionString }) };
}

/** What of an address, or else of a service, `.pgpass` may have a line for. */
function queryOf(url: URL, { host, port, database, user }: PoolConfig): PassFileQuery {
  const isGiven = url.hostname !== NO_HOST;
  return {
    host: url.searchParams.get('host') ?? (isGiven ? url.hostname.replace(/^\[|\]$/g, '') : host),
    port: url.port || port,
    database: decoded(url.pathname.slice(1)) || database,
    user: decoded(url.username) || user,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address for messages. Up to the last @: a password that is not encoded may hold any character, and the address be none. */
export function withoutPassword(address: string): string {
  return address.replace(/^(\w+:\/\/[^:@/?#]*):.*@/s, '$1:…@').replace(/([?&]\w*password=)[^&#]*/gi, '$1…');
}

export function hasPassword(address: string): boolean {
  return withoutPassword(address) !== address;
}

/** A URL without a host can't be parsed with a user or a port. */
const NO_HOST = 'no-host.invalid';

function withHost(address: string): string {
  return address.replace(/^(\w+:\/\/(?:[^/?#]*@)?)(?=[/?#]|$)/, `$1${NO_HOST}`);
}

const KEYS: Readonly<Record<string, keyof PoolConfig>> = {
  host: 'host',
  hostaddr: 'host',
  port: 'port',
  dbname: 'database',
  user: 'user',
  password: 'password',
};

async function readService(name: string, env: Env): Promise<PoolConfig> {
  const home = env['HOME'] ?? homedir();
  const files = [
    env['PGSERVICEFILE'] ?? join(home, '.pg_service.conf'),
    ...(env['PGSYSCONFDIR'] ? [join(env['PGSYSCONFDIR'], 'pg_service.conf')] : []),
  ];
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return '';
      throw new DatabaseError(`${file} can't be read: ${String(error)}.`, 'Check its rights.', { cause: error });
    });
    const found = sectionOf(text, name);
    if (found) return found;
  }
  throw new DatabaseError(
    `No service file has a service ${JSON.stringify(name)}.`,
    `Add it to ${files[0]}: [${name}], then lines such as host=db.example.org and dbname=agenthost.`,
  );
}

function sectionOf(text: string, name: string): PoolConfig | undefined {
  const config: Record<string, unknown> = {};
  let isInside = false;
  let isFound = false;
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[(.*)\]\s*$/.exec(line)?.[1];
    if (section !== undefined) isInside = section === name;
    isFound ||= isInside;
    const [, key = '', value = ''] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (!isInside || key === '') continue;
    const known = KEYS[key];
    if (known) config[known] = known === 'port' ? Number(value) : value;
    else if (key === 'sslmode') config['ssl'] = sslOf(value);
  }
  return isFound ? config : undefined;
}

function sslOf(mode: string): PoolConfig['ssl'] {
  if (mode === 'disable') return false;
  return { rejectUnauthorized: mode === 'verify-full' || mode === 'verify-ca' };
}
