import { HostClient } from './hostClient.js';
import type { HostClientOptions } from './hostClientOptions.js';

/**
 * Connects to a host. Rejects, and gives up, when the first attempt fails; a connection that is lost later is made again.
 *
 * @example
 * ```ts
 * const host = await connect({ url: 'http://127.0.0.1:4100', token: 'the token that the host printed' });
 * console.log(host.root.state.value.agents.map((agent) => agent.displayName));
 * host.close();
 * ```
 */
export async function connect(options: HostClientOptions, signal?: AbortSignal): Promise<HostClient> {
  const host = new HostClient(options, false);
  try {
    await host.connected(signal);
  } catch (error) {
    host.close();
    throw error;
  }
  return host;
}

/**
 * Makes a client that connects in the background and tries until it succeeds or is closed. For user interfaces that show the
 * connection from the first attempt on.
 *
 * @example
 * ```ts
 * const host = createHostClient({ url, token });
 * host.connection.subscribe((connection) => console.log(connection.state));
 * ```
 */
export function createHostClient(options: HostClientOptions): HostClient {
  return new HostClient(options, true);
}
