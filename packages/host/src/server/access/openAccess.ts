import { hostname } from 'node:os';
import type { HostLog } from '../../hostLog.js';
import { Authenticator } from './authenticator.js';
import type { DeviceTokens } from './deviceTokens.js';
import { HostDevices } from './hostDevices.js';
import { HostTokens, type HostTokensOptions } from './hostTokens.js';
import { PairRoute } from './pairRoute.js';
import type { TokenSource } from './tokenSource.js';

interface AccessOptions {
  readonly source: TokenSource;
  readonly store: DeviceTokens;
  /** The owner's token, if it is not the one of the source. */
  readonly fixed: string | undefined;
  /** Called with the tokens that count, each time that they change. */
  readonly onTokens?: HostTokensOptions['onTokens'];
  readonly connected: () => ReadonlySet<string>;
  readonly address: () => string | undefined;
  readonly log: HostLog;
}

/** Who may reach a host that listens, and how others are let in. */
export interface Access {
  readonly authenticator: Authenticator;
  readonly tokens: HostTokens;
  readonly devices: HostDevices;
  readonly pairRoute: PairRoute;
}

export async function openAccess(options: AccessOptions): Promise<Access> {
  const { source, store, fixed, onTokens, connected, address, log } = options;
  const authenticator = new Authenticator();
  const tokens = await HostTokens.open({
    source,
    authenticator,
    ...(fixed !== undefined && { fixed }),
    ...(onTokens && { onTokens }),
    log,
  });
  const devices = new HostDevices({ store, source, tokens, authenticator, connected, address, log });
  const about = () => ({ machine: hostname(), words: devices.words });
  return {
    authenticator,
    tokens,
    devices,
    pairRoute: new PairRoute({ pairings: devices.pairings, authenticator, about }),
  };
}
