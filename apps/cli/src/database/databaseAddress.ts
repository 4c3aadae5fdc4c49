import { Database, DatabaseError, hasPassword, MoveError, silentLog } from '@agenthost/host/maintenance';
import type { OptionSpec } from '../command.js';
import { CommandError, EXIT, usageError } from '../commandError.js';

/** For commands that talk to a database instead of a host. */
export const DATABASE_OPTION = {
  database: {
    type: 'string',
    value: 'URL',
    help: 'the PostgreSQL database of the hosts (default $AGENTHOST_DATABASE)',
  },
} as const satisfies Record<string, OptionSpec>;

/** The database that was asked for, if any. Warns of a password that everybody on this machine can see. */
export function databaseAddress(given: string | undefined): string | undefined {
  if (given !== undefined) warnOfPassword('--database', given);
  return given ?? (process.env['AGENTHOST_DATABASE'] || undefined);
}

export function neededDatabase(given: string | undefined): string {
  const address = databaseAddress(given);
  if (address !== undefined) return address;
  throw usageError('Say which database.', 'Give --database postgres://user@host/name, or set $AGENTHOST_DATABASE.');
}

/** The arguments of a process are in the process list of all users. */
export function warnOfPassword(flag: string, address: string): void {
  if (!hasPassword(address)) return;
  process.stderr.write(
    `Every user of this machine can see the password in ${flag}: give it in PGPASSWORD, .pgpass, a service file or $AGENTHOST_DATABASE instead.\n`,
  );
}

/** Runs some work with a connection, which is closed at the end. */
export async function withDatabase<T>(address: string, work: (database: Database) => Promise<T>): Promise<T> {
  return explained(async () => {
    const database = await Database.open({ url: address, env: process.env, log: silentLog, maxConnections: 2 });
    return work(database).finally(() => database.close());
  });
}

/** Failures of databases and moves, for the user. */
export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof DatabaseError || cause instanceof MoveError) {
      throw new CommandError(EXIT.failed, cause.what, cause.whatToDo, { cause });
    }
    throw cause;
  }
}
