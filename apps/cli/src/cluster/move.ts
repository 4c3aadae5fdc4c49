import { type Database, findHosts, findSession, moveSession, type NamedHost } from '@agenthost/host/maintenance';
import { ERROR_CODE } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { CommandError, EXIT, usageError } from '../commandError.js';
import { safeLine } from '../text/safeText.js';
import { oneHost } from './oneHost.js';

/** `agenthost cluster move SESSION HOST`, with a connection to the database of the hosts. */
export async function move(
  database: Database,
  [name, hostName, stray]: readonly string[],
  { json = false } = {},
): Promise<number> {
  if (name === undefined || hostName === undefined || stray !== undefined) {
    throw usageError(
      'Say which session goes to which host.',
      'Give a session (agenthost ls) and a host (agenthost cluster status).',
    );
  }
  const session = await findSession(database, name);
  if (!session) {
    throw new CommandError(
      EXIT.notFound,
      `There is no session ${safeLine(name)}.`,
      'See agenthost ls for all of them.',
    );
  }
  const host = oneHost(hostName, await findHosts(database, hostName));
  const { uri, place } = session;
  if (place !== '' && place !== host.place) {
    const what = `${uri} belongs to the place ${safeLine(place)}, and ${address(host)} is at ${safeLine(host.place)}.`;
    throw new CommandError(EXIT.failed, what, 'Choose a host of its place, or fork it to go on elsewhere.');
  }
  if (host.draining) {
    throw new CommandError(EXIT.failed, `${address(host)} is about to stop.`, 'Choose another host of its place.');
  }
  if (session.owner !== host.id) await moveSession(uri, host).catch((error: unknown) => refuse(error, uri, host));
  const { id, machine, url } = host;
  process.stdout.write(
    json
      ? `${JSON.stringify({ session: uri, from: session.owner, to: { id, machine, url } })}\n`
      : `${uri} is at ${address(host)} ${session.owner === id ? 'already' : 'now'}.\n`,
  );
  return EXIT.ok;
}

function address({ url, machine }: NamedHost): string {
  return safeLine(url ?? machine);
}

function refuse(cause: unknown, uri: string, host: NamedHost): never {
  if (cause instanceof RpcError && cause.code === ERROR_CODE.turnInProgress) {
    throw new CommandError(EXIT.failed, `${uri} is at work.`, 'Try again when its turn has ended, or end it.', {
      cause,
    });
  }
  const { message } = cause as Error;
  if (cause instanceof RpcError) {
    throw new CommandError(EXIT.failed, `${address(host)} did not take ${uri}: ${safeLine(message)}`, 'Try again.', {
      cause,
    });
  }
  const what = `${address(host)} can't be reached from here: ${safeLine(message)}`;
  throw new CommandError(EXIT.noHost, what, 'Run this on a machine that reaches it, such as its own.', { cause });
}
