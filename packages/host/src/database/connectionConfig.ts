import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { PoolConfig } from 'pg';
import { errorCode } from '../storage/fs/errnoFailure.js';

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

/** What `pg` needs to connect. A service file is read here: the driver knows PGHOST, PGPASSWORD and .pgpass, but no services. */
export async function connectionConfig(address: string, env: Env): Promise<PoolConfig> {
  if (!/^postgres(?:ql)?:\/\//.test(address) || !URL.canParse(withHost(address))) {
    throw new DatabaseError(
      `${JSON.stringify(withoutPassword(address))} is not the address of a database.`,
      'Give it as postgres://user@host:5432/name, or postgres://?service=NAME for one of a service file.',
    );
  }
  const url = new URL(withHost(address));
  const service = url.searchParams.get('service') ?? env['PGSERVICE'];
  url.searchParams.delete('service');
  const isGiven = url.hostname !== NO_HOST;
  const connectionString = url.href.replace(`//${NO_HOST}`, '//').replace(`@${NO_HOST}`, '@');
  if (service === undefined) return { connectionString };
  const found = await readService(service, env);
  return { ...found, ...(isGiven && { connectionString }) };
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
