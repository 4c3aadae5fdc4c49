import type { Database } from '../../database/database.js';
import { readSchemaVersion } from '../../database/migrate.js';
import { SCHEMA_STEPS } from '../../database/schema.js';
import { type HostReport, reportHosts } from './hostReport.js';

/** What an operator should know of a database. */
export interface DatabaseReport {
  /** Of PostgreSQL. */
  readonly version: string;
  /** `undefined` before the first host has made the schema. */
  readonly schema: { readonly version: number; readonly minHost: number } | undefined;
  /** The newest schema that this program knows. */
  readonly knownSchema: number;
  /** Whether what is acknowledged survives a crash of it. */
  readonly isDurable: boolean;
  readonly hasAsynchronousStandby: boolean;
  /** A standby, or one where writing is switched off. */
  readonly isReadOnly: boolean;
  /** Whether this user may make the tables, where there are none. */
  readonly mayMakeTables: boolean;
  readonly hosts: readonly HostReport[];
}

interface Settings {
  readonly version: string;
  readonly durable: boolean;
  readonly lagging: boolean;
  readonly read_only: boolean;
  readonly may_create: boolean;
}

/** Reads only: it does not make or change the schema. */
export async function reportDatabase(database: Database, watchMs: number): Promise<DatabaseReport> {
  const [settings] = await database.query<Settings>(
    `select current_setting('server_version') as version,
       current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off' as durable,
       exists (select 1 from pg_stat_replication where sync_state = 'async') as lagging,
       current_setting('transaction_read_only') = 'on' as read_only,
       has_database_privilege(current_database(), 'create') as may_create`,
  );
  const schema = await readSchemaVersion(database);
  return {
    version: settings?.version ?? '',
    schema,
    knownSchema: SCHEMA_STEPS.length,
    isDurable: settings?.durable === true,
    hasAsynchronousStandby: settings?.lagging === true,
    isReadOnly: settings?.read_only === true,
    mayMakeTables: settings?.may_create === true,
    hosts: schema ? await reportHosts(database, watchMs) : [],
  };
}
