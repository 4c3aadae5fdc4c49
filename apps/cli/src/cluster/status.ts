import { type Database, type HostReport, reportDatabase } from '@agenthost/host/maintenance';
import { CommandError, EXIT, usageError } from '../commandError.js';
import { safeLine } from '../text/safeText.js';
import { padTo } from '../text/width.js';

/** A host beats every quarter of its lease, which is 10 s by default. */
export const WATCH_MS = 3_000;
const ID_LENGTH = 8;

/** `agenthost cluster status` */
export async function status(
  database: Database,
  [stray]: readonly string[],
  { json }: { readonly json: boolean },
): Promise<number> {
  if (stray !== undefined) throw usageError('That is too much.', 'See agenthost cluster --help.');
  const report = await reportDatabase(database, WATCH_MS);
  if (!report.schema) {
    throw new CommandError(
      EXIT.notFound,
      'No host has used this database yet.',
      'Start one with agenthost serve --database.',
    );
  }
  if (json) process.stdout.write(`${JSON.stringify({ schema: report.schema.version, hosts: report.hosts })}\n`);
  else printHosts(report.hosts);
  return EXIT.ok;
}

function printHosts(hosts: readonly HostReport[]): void {
  if (hosts.length === 0) process.stderr.write('No host runs on this database.\n');
  const rows = hosts.map(({ id, machine, place, version, url, draining, sessions, beats }) => [
    safeLine(machine),
    // As pages show it.
    id.slice(0, ID_LENGTH),
    safeLine(place),
    safeLine(version),
    safeLine(url ?? '-'),
    `${sessions} ${sessions === 1 ? 'session' : 'sessions'}`,
    [beats ? 'alive' : 'silent', ...(draining ? ['draining'] : [])].join(', '),
  ]);
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, column) => padTo(cell, widths[column] ?? 0));
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
}
