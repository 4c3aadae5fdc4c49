import { readFile, stat } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';

export interface PassFileQuery {
  readonly host: string | undefined;
  readonly port: string | number | undefined;
  readonly database: string | undefined;
  readonly user: string | undefined;
}

/** Rights that others would have; PostgreSQL's own programs ignore such a file as well. */
const OTHERS = 0o077;

/** The password that `.pgpass` has for a database, if any. The driver is about to give up reading it. */
export async function readPassFile(
  query: PassFileQuery,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const file = env['PGPASSFILE'] ?? join(env['HOME'] ?? homedir(), '.pgpass');
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile() || (process.platform !== 'win32' && (found.mode & OTHERS) !== 0)) return undefined;
  const user = query.user || env['PGUSER'] || userInfo().username;
  const wanted = [
    query.host || env['PGHOST'] || 'localhost',
    String(query.port || env['PGPORT'] || 5432),
    query.database || env['PGDATABASE'] || user,
    user,
  ];
  for (const line of (await readFile(file, 'utf8')).split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = fieldsOf(line);
    const isMeant = wanted.every((value, at) => fields[at] === '*' || fields[at] === value);
    if (fields.length === 5 && isMeant) return fields[4];
  }
  return undefined;
}

/** Four fields and the rest; a colon and a backslash inside of one have a backslash before them. */
function fieldsOf(line: string): string[] {
  const fields = [''];
  for (let at = 0; at < line.length; at++) {
    const isEscaped = line[at] === '\\' && at + 1 < line.length;
    if (line[at] === ':' && fields.length < 5) fields.push('');
    else fields[fields.length - 1] += isEscaped ? (line[++at] ?? '') : (line[at] ?? '');
  }
  return fields;
}
