import { HostClient } from './hostClient.js';
import type { HostClientOptions } from './hostClientOptions.js';

/** Resolves when connected. Rejects, and gives up, when the first attempt fails; lost connections after it are made again. */
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

/** For those who want to show the connection from its first attempt on: tries until it succeeds or is closed. */
export function createHostClient(options: HostClientOptions): HostClient {
  return new HostClient(options, true);
}
