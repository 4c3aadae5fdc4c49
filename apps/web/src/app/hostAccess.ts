import {
  CapabilityMissingError,
  CommandFailedError,
  connect,
  type HostClient,
  UnauthorizedError,
} from '@agenthost/client';
import { browserName } from '../devices/deviceNames.js';
import { forgetLink, loadLink, loadToken, saveToken } from './tokens.js';

/** This browser has no access to a host yet, which is no mistake of anybody. */
export class NoTokenError extends UnauthorizedError {
  constructor() {
    super('this browser has no token');
  }
}

/** The token that this browser uses at a host. A link that was just opened is exchanged for a token of this browser first. */
export async function tokenFor(url: string, signal: AbortSignal): Promise<string> {
  const link = loadLink(url);
  const known = loadToken(url);
  if (link !== undefined) {
    try {
      return await exchange(url, link, signal);
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error;
      forgetLink(url);
      // An old link, opened again, takes no access away.
      if (known === undefined) throw error;
    }
  }
  if (known === undefined) throw new NoTokenError();
  return known;
}

/**
 * Exchanges the token of a link for one of this browser alone, which has a name and can be revoked. The token of a device stays as it
 * is. Rejects when the host doesn't accept the token or isn't there.
 */
export async function exchange(url: string, link: string, signal?: AbortSignal): Promise<string> {
  const host = await connect({ url, token: link, keepAliveMs: 0 }, signal);
  try {
    if (host.shared) throw openAsShared(url, link);
    const { token, isOwn } = await ownToken(host, link, loadToken(url));
    saveToken(url, token, isOwn);
    return token;
  } finally {
    host.close();
  }
}

/** A read-only link shows one session, in this tab; it is no access of this browser. The page starts again with it. */
function openAsShared(url: string, link: string): Error {
  forgetLink(url);
  if (url !== location.origin) return new Error('This link shows one session only. Open it in a tab of its own.');
  location.hash = `share=${link}`;
  return new NoTokenError();
}

async function ownToken(host: HostClient, link: string, known: string | undefined) {
  // Only devices have other roles.
  if (host.role !== 'owner') return { token: link, isOwn: true };
  try {
    const { token = link } = await host.devices.add({ name: browserName(), ...(known !== undefined && { known }) });
    return { token, isOwn: true };
  } catch (error) {
    // An older host, or one with as many devices as it takes: the link works for this tab.
    if (error instanceof CapabilityMissingError || error instanceof CommandFailedError)
      return { token: link, isOwn: false };
    throw error;
  }
}
