import { Host } from './host.js';
import type { HostOptions } from './hostOptions.js';

/** Resolves when connected. Rejects, and gives up, when the first attempt fails; lost connections after it are made again. */
export async function connect(options: HostOptions, signal?: AbortSignal): Promise<Host> {
  const host = new Host(options, false);
  try {
    await host.connected(signal);
  } catch (error) {
    host.close();
    throw error;
  }
  return host;
}

/** For those who want to show the connection from its first attempt on: tries until it succeeds or is closed. */
export function createHost(options: HostOptions): Host {
  return new Host(options, true);
}
