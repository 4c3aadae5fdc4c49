import type { Database } from '../database/database.js';
import { readSchemaVersion } from '../database/migrate.js';
import { SCHEMA_STEPS } from '../database/schema.js';
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
  readonly hosts: readonly HostReport[];
}

/** Reads only: it does not make or change the schema. */
export async function reportDatabase(database: Database, watchMs: number): Promise<DatabaseReport> {
  const [settings] = await database.query<{ version: string; durable: boolean; lagging: boolean }>(
    `select current_setting('server_version') as version,
       current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off' as durable,
       exists (select 1 from pg_stat_replication where sync_state = 'async') as lagging`,
  );
  const schema = await readSchemaVersion(database);
  return {
    version: settings?.version ?? '',
    schema,
    knownSchema: SCHEMA_STEPS.length,
    isDurable: settings?.durable === true,
    hasAsynchronousStandby: settings?.lagging === true,
    hosts: schema ? await reportHosts(database, watchMs) : [],
  };
}
