import { type Database, drainHost } from '@agenthost/host/maintenance';
import { CommandError, EXIT, usageError } from '../commandError.js';
import { safeLine } from '../text/safeText.js';

/** `agenthost cluster drain HOST`, with a connection to the database of the hosts. */
export async function drain(
  database: Database,
  [name, stray]: readonly string[],
  { json = false } = {},
): Promise<number> {
  if (name === undefined || stray !== undefined) {
    throw usageError(
      'Say which host drains.',
      'Give its machine, its address or its id; see agenthost cluster status.',
    );
  }
  const [host, ...more] = await drainHost(database, name);
  if (!host) {
    const advice = 'See agenthost cluster status for the hosts that there are.';
    throw new CommandError(EXIT.notFound, `No host of this database is called ${safeLine(name)}.`, advice);
  }
  if (more.length > 0) {
    const ids = [host, ...more].map(({ id }) => id).join(', ');
    throw usageError(`Several hosts are called ${safeLine(name)}.`, `Give the beginning of an id: ${ids}.`);
  }
  const { id, machine, url, sessions } = host;
  process.stdout.write(
    json
      ? `${JSON.stringify({ id, machine, url, sessions })}\n`
      : `${safeLine(url ?? machine)} drains. Others take its ${sessions} ${sessions === 1 ? 'session' : 'sessions'}, each at the end of its turn. It goes on without sessions until it is stopped.\n`,
  );
  return EXIT.ok;
}
