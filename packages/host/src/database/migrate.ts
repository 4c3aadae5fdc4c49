import { DatabaseError } from './connectionConfig.js';
import type { Database } from './database.js';
import { schemaError } from './databaseErrors.js';
import { SCHEMA_STEPS, SCHEMA_WITH_SPACES, type SchemaStep } from './schema.js';

/** Any number: all hosts that migrate take the same lock. */
const LOCK = 7_241_953_006;
const SCHEMA = 'agenthost';
/** A deadlock; a lock that was not free in time. */
const BUSY = ['40P01', '55P03'];
/** The database has ended the connection, because this host said nothing for too long. */
const TOO_SLOW = '25P03';
const ATTEMPTS = 10;
/** A host on a machine that is too busy must be able to start; one that is stopped here keeps others waiting for as long. */
const IDLE = '15s';

/** Brings the schema to the newest version, one transaction a step. Several hosts may start at once. */
export async function migrate(database: Database, steps: readonly SchemaStep[] = SCHEMA_STEPS): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await takeSteps(database, steps);
    } catch (error) {
      const { code } = error as { readonly code?: string };
      if (code !== TOO_SLOW || attempt >= ATTEMPTS) throw schemaError(error);
    }
  }
}

async function takeSteps(database: Database, steps: readonly SchemaStep[]): Promise<void> {
  await database.withClient(async (client) => {
    await client.query(`create schema if not exists ${SCHEMA}`).catch((error: { readonly code?: string }) => {
      // Another host made it in this moment.
      if (error.code !== '23505' && error.code !== '42P06') throw error;
    });
    for (let isDone = false, attempt = 1; !isDone; ) {
      await client.query(`begin; set local idle_in_transaction_session_timeout to '${IDLE}'`);
      try {
        await client.query(`select pg_advisory_xact_lock(${LOCK})`);
        // An index of very many rows takes longer than a statement may.
        await client.query(`set local search_path to ${SCHEMA}; set local statement_timeout to 0`);
        isDone = await migrateOnce((sql) => client.query(sql), steps);
        await client.query('commit');
      } catch (error) {
        await client.query('rollback').catch(() => undefined);
        const { code = '' } = error as { readonly code?: string };
        // A host was in the middle of something.
        if (!BUSY.includes(code) || attempt++ >= ATTEMPTS) throw error;
      }
    }
  });
}

/** The version of the schema and the oldest host that may run on it; `undefined` where there is none yet. Changes nothing. */
export async function readSchemaVersion(
  database: Database,
): Promise<{ readonly version: number; readonly minHost: number } | undefined> {
  const [found] = await database.query<{ is_there: boolean }>(
    `select to_regclass('${SCHEMA}.schema_version') is not null as is_there`,
  );
  if (!found?.is_there) return undefined;
  const sql = `select version, min_host as "minHost" from ${SCHEMA}.schema_version`;
  return (await database.query<{ version: number; minHost: number }>(sql))[0];
}

/** The table of all sessions, for programs that read without changing the schema. */
export async function sessionTables(
  database: Database,
): Promise<{ readonly session: string; readonly summary: string }> {
  const hasSpaces = ((await readSchemaVersion(database))?.version ?? 0) >= SCHEMA_WITH_SPACES;
  return hasSpaces ? { session: 'session_all', summary: 'summary_all' } : { session: 'session', summary: 'summary' };
}

async function migrateOnce(
  run: (sql: string) => Promise<{ readonly rows: { readonly version: number; readonly min_host: number }[] }>,
  steps: readonly SchemaStep[],
): Promise<boolean> {
  await run('create table if not exists schema_version (version int not null, min_host int not null)');
  const { rows } = await run('select version, min_host from schema_version');
  const version = rows[0]?.version ?? 0;
  if (version > steps.length && (rows[0]?.min_host ?? 0) > steps.length) {
    const needed = `schema ${version}, for hosts that know ${rows[0]?.min_host}; this one knows ${steps.length}`;
    throw new DatabaseError(
      `The database was upgraded by a newer agenthost (${needed}).`,
      'Update agenthost on this machine.',
    );
  }
  const step = steps[version];
  if (!step) return true;
  await run(step.sql);
  await run('delete from schema_version');
  await run(`insert into schema_version values (${version + 1}, ${step.minHost})`);
  return false;
}
