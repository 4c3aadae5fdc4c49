import { hostname } from 'node:os';
import { connect, type HostClient, type HostClientOptions } from '@agenthost/client';
import { type AddressOptions, type HostAddress, hostAddress } from './hostAddress.js';
import { commandErrorOf } from './hostErrors.js';
import { openHostSocket } from './socket/hostSocket.js';

const CONNECT_TIMEOUT_MS = 10_000;

export function hostOptions(address: HostAddress): HostClientOptions {
  return {
    transport: (signal) => openHostSocket({ ...address, signal }),
    clientInfo: { name: process.env['USER'] || 'agenthost', device: hostname() },
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  };
}

/** Runs with a connection that ends with it; failures become messages for the user. */
export async function withHost<T>(options: AddressOptions, use: (host: HostClient) => Promise<T>): Promise<T> {
  const address = hostAddress(options);
  let host: HostClient | undefined;
  try {
    host = await connect(hostOptions(address));
    return await use(host);
  } catch (error) {
    throw commandErrorOf(error, address.url);
  } finally {
    host?.close();
  }
}
