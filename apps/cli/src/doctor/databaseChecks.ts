import { type DatabaseReport, reportDatabase, withoutPassword } from '@agenthost/host/maintenance';
import { WATCH_MS } from '../cluster/status.js';
import { CommandError } from '../commandError.js';
import { withDatabase } from '../database/databaseAddress.js';
import { safeLine } from '../text/safeText.js';
import { type Finding, ok } from './finding.js';

const check = 'database';

/** Changes nothing, also where the schema is missing. */
export async function checkDatabase(address: string): Promise<Finding[]> {
  try {
    const report = await withDatabase(address, (database) => reportDatabase(database, WATCH_MS));
    const reached = ok(check, `PostgreSQL ${report.version} answers at ${withoutPassword(address)}.`);
    return [
      reached,
      ...checkRights(report),
      checkSchema(report),
      ...checkDurability(report),
      ...checkHosts(report),
      ...checkUrls(report),
    ];
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [{ check, level: 'problem', what: error.message, fix: error.whatToDo }];
  }
}

function checkRights({ schema, isReadOnly, mayMakeTables }: DatabaseReport): Finding[] {
  if (isReadOnly) {
    const what = 'It can only be read: it is a standby, or writing is switched off.';
    return [{ check, level: 'problem', what, fix: 'Give the address of the server that takes writes.' }];
  }
  if (schema || mayMakeTables) return [];
  const what = 'This user may not make the tables of agenthost in it.';
  return [{ check, level: 'problem', what, fix: 'Make it the owner: alter database NAME owner to USER.' }];
}

/** Links to one of two hosts with one address end at the other. */
function checkUrls({ hosts }: DatabaseReport): Finding[] {
  const urls = hosts.flatMap(({ url, beats }) => (url !== null && beats ? [url] : []));
  const shared = [...new Set(urls.filter((url, at) => urls.indexOf(url) !== at))];
  return shared.map((url) => {
    const what = `Several hosts say that they are reached at ${safeLine(url)}.`;
    return { check, level: 'problem', what, fix: 'Give each its own address with --link-url.' };
  });
}

function checkSchema({ schema, knownSchema }: DatabaseReport): Finding {
  if (!schema) return ok(check, 'It has no tables of agenthost yet; the first agenthost serve --database makes them.');
  const { version, minHost } = schema;
  if (minHost > knownSchema) {
    const what = `Its schema is version ${version}, for hosts that know ${minHost}; this one knows ${knownSchema}.`;
    return { check, level: 'problem', what, fix: 'Update agenthost on this machine.' };
  }
  const next = version < knownSchema ? `; the next host brings it to ${knownSchema}` : '';
  return ok(check, `Its schema is version ${version}${next}.`);
}

function checkDurability({ isDurable, hasAsynchronousStandby }: DatabaseReport): Finding[] {
  const standby: Finding = {
    check,
    level: 'warning',
    what: 'A standby of it is asynchronous: a failover to it loses what was acknowledged last.',
    fix: 'Name it in synchronous_standby_names.',
  };
  const first: Finding = isDurable
    ? ok(check, 'fsync and synchronous_commit are on.')
    : {
        check,
        level: 'problem',
        what: 'fsync or synchronous_commit is off: a crash of the database loses what was acknowledged.',
        fix: 'Turn both on in postgresql.conf.',
      };
  return hasAsynchronousStandby ? [first, standby] : [first];
}

function checkHosts({ hosts }: DatabaseReport): Finding[] {
  if (hosts.length === 0) return [ok(check, 'No host runs on it.')];
  return hosts.map(({ machine, url, version, beats, sessions }) => {
    const host = `The host ${safeLine(version)} on ${safeLine(machine)}${url === null ? '' : ` (${safeLine(url)})`}`;
    if (beats) return ok(check, `${host} is alive; sessions it has open: ${sessions}.`);
    return {
      check,
      level: 'warning',
      what: `${host} has not said within ${WATCH_MS / 1_000} s that it is alive.`,
      fix: 'If it was killed, another host takes its sessions; if it runs with a long --lease, look again.',
    };
  });
}
