import { type Database, drainHost } from '@agenthost/host/maintenance';
import { EXIT, usageError } from '../commandError.js';
import { safeLine } from '../text/safeText.js';
import { oneHost } from './oneHost.js';

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
  const { id, machine, url, sessions } = oneHost(name, await drainHost(database, name));
  process.stdout.write(
    json
      ? `${JSON.stringify({ id, machine, url, sessions })}\n`
      : `${safeLine(url ?? machine)} drains. Others take its ${sessions} ${sessions === 1 ? 'session' : 'sessions'}, each at the end of its turn. It goes on without sessions until it is stopped.\n`,
  );
  return EXIT.ok;
}
