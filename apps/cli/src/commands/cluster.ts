import type { Database } from '@agenthost/host/maintenance';
import { drain } from '../cluster/drain.js';
import { move } from '../cluster/move.js';
import { status } from '../cluster/status.js';
import { defineCommand, JSON_OPTION } from '../command.js';
import { usageError } from '../commandError.js';
import { DATABASE_OPTION, neededDatabase, withDatabase } from '../database/databaseAddress.js';

/** `agenthost cluster NAME`, with a connection to the database and the arguments after the name. */
type Action = (database: Database, rest: readonly string[], options: { readonly json: boolean }) => Promise<number>;

const ACTIONS: Readonly<Record<string, Action>> = { status, drain, move };

export const command = defineCommand({
  name: 'cluster',
  summary: 'show the hosts that share a database, drain one, give it a session',
  usage: 'status|drain HOST|move SESSION HOST [flags]',
  options: { ...DATABASE_OPTION, ...JSON_OPTION },
  completes: Object.keys(ACTIONS),
  notes: `status lists the hosts: machine, id, place, version, address, how many sessions each has open, and whether it is alive, for
which it looks up to 3 seconds. A host that was killed stays in the list until another one has taken its sessions. drain
tells a host (its machine, its address or the beginning of its id) to give all sessions to others, each at the end of its turn.
move gives one session (its URI or its id) to another host of its place; one that is at work is refused. It connects to that
host, so run it where the hosts reach each other.`,
  examples: [
    'agenthost cluster status --database postgres://agenthost@db.example.org/agenthost',
    'agenthost cluster drain build-1',
    'agenthost cluster move claude:/0b5c1a52 build-2',
    'agenthost cluster status --json | jq ".hosts[] | select(.beats | not)"',
  ],
  run: async (values, [what, ...rest]) => {
    const action = what !== undefined && Object.hasOwn(ACTIONS, what) ? ACTIONS[what] : undefined;
    if (action) {
      const json = values.json === true;
      return withDatabase(neededDatabase(values.database), (database) => action(database, rest, { json }));
    }
    const missing = what === undefined ? 'Say what to do.' : `cluster can't do ${what}.`;
    throw usageError(missing, `Give one of ${Object.keys(ACTIONS).join(', ')}; see --help.`);
  },
});
