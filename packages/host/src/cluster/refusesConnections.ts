import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../storage/fs/errnoFailure.js';

const BETWEEN_MS = 150;
const CONNECT_MS = 1_000;

/** Whether nobody listens at an address, twice in a row: then the host that had it has ended (OWN4). */
export async function refusesConnections(url: string): Promise<boolean> {
  if ((await tryAddress(url)) !== 'refused') return false;
  await delay(BETWEEN_MS);
  return (await tryAddress(url)) === 'refused';
}

/** Whether somebody listens at an address. */
export async function acceptsConnections(url: string): Promise<boolean> {
  return (await tryAddress(url)) === 'accepted';
}

async function tryAddress(url: string): Promise<'accepted' | 'refused' | 'silent'> {
  const { hostname, port, protocol } = new URL(url);
  const address = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
  };
  const socket = connect({ ...address, timeout: CONNECT_MS });
  // With an error: without one, neither event comes.
  socket.once('timeout', () => socket.destroy(new Error('no answer')));
  try {
    await once(socket, 'connect');
    return 'accepted';
  } catch (error) {
    return errorCode(error) === 'ECONNREFUSED' ? 'refused' : 'silent';
  } finally {
    socket.destroy();
  }
}
