import type { NamedHost } from '@agenthost/host/maintenance';
import { CommandError, EXIT, usageError } from '../commandError.js';
import { safeLine } from '../text/safeText.js';

/** The one host that a name fits, or the error that says what to do. */
export function oneHost(name: string, [host, ...more]: readonly NamedHost[]): NamedHost {
  if (!host) {
    const advice = 'See agenthost cluster status for the hosts that there are.';
    throw new CommandError(EXIT.notFound, `No host of this database is called ${safeLine(name)}.`, advice);
  }
  if (more.length === 0) return host;
  const ids = [host, ...more].map(({ id }) => id).join(', ');
  throw usageError(`Several hosts are called ${safeLine(name)}.`, `Give the beginning of an id: ${ids}.`);
}
