import { SessionFsFailure } from '../storage/fs/sessionFs.js';
import { DatabaseError, withoutPassword } from './connectionConfig.js';

interface PgError {
  readonly code?: string;
  readonly message: string;
}

/** What PostgreSQL says of a statement that writes, on a standby or where writing was switched off. */
const READ_ONLY = '25006';

/** Why the first connection to a database failed, for the user. */
export function connectError(error: unknown, url: string): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const { code = '', message } = error as PgError;
  const where = withoutPassword(url);
  const options = { cause: error };
  const passwords = 'Give the password in PGPASSWORD, in .pgpass or in a service file.';
  // The driver's own words: it has none to send.
  if (/password must be a (?:non-empty )?string/.test(message)) {
    return new DatabaseError(`The database ${where} asks for a password, and there is none.`, passwords, options);
  }
  if (code.startsWith('28')) {
    return new DatabaseError(`The database ${where} refuses this user: ${message}.`, passwords, options);
  }
  if (code === '3D000') {
    return new DatabaseError(`${where}: ${message}.`, 'Make it with createdb, or name another.', options);
  }
  if (code === '53300') {
    const whatToDo = 'Raise max_connections, or the limit of this user: a host needs up to 9.';
    return new DatabaseError(`The database ${where} has no connection left: ${message}.`, whatToDo, options);
  }
  const why = message || code;
  return new DatabaseError(
    `The database ${where} can't be reached: ${why}.`,
    'Start PostgreSQL, or check the address.',
    options,
  );
}

/** Why the tables could not be made or brought up to date, for the user; other errors as they are. */
export function schemaError(error: unknown): unknown {
  const { code, message } = error as PgError;
  if (code === READ_ONLY) {
    return new DatabaseError(
      'The database can only be read: it is a standby, or writing is switched off.',
      'Give the address of the server that takes writes.',
      { cause: error },
    );
  }
  if (code === '42501') {
    return new DatabaseError(
      `This user may not make the tables of agenthost: ${message}.`,
      'Make it the owner of the database: alter database NAME owner to USER.',
      { cause: error },
    );
  }
  return error;
}

/** The error of a statement, as a failure that clients are told where they can do something about it. */
export function statementError(error: unknown): unknown {
  if ((error as PgError).code !== READ_ONLY) return error;
  return new SessionFsFailure('EROFS', 'the database can only be read at the moment', { cause: error });
}
