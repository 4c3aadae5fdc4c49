import { findHost } from '@agenthost/host/discovery';
import { CommandError, EXIT, usageError } from './commandError.js';

/** The default port of `agenthost serve`. */
export const DEFAULT_PORT = 4747;

export interface HostAddress {
  readonly url: URL;
  readonly token: string;
}

export interface AddressOptions {
  readonly url?: string;
  readonly token?: string;
  readonly 'state-dir'?: string;
}

/** The address of the host for a command: from the flags, from the environment, or the local host. */
export function hostAddress(options: AddressOptions, env = process.env): HostAddress {
  const stateDir = options['state-dir'];
  const found = findHost({ env, ...(stateDir !== undefined && { path: stateDir }) });
  const asked = options.url ?? (stateDir === undefined ? env['AGENTHOST_URL'] : undefined);
  if (asked === undefined && found.url === undefined) {
    const starting = found.pid === undefined ? '' : ` (process ${found.pid} has its state folder, but does not listen)`;
    throw new CommandError(
      EXIT.noHost,
      `No host runs here${starting}: none is noted in ${found.stateDir}.`,
      'Start one with agenthost serve, or say where it is with --url or $AGENTHOST_URL.',
    );
  }
  const { url, fragmentToken } = parseAddress(asked ?? found.url ?? '');
  // The token in the state folder is only for the host of that folder, and for no other address.
  const isOurs = found.url !== undefined && new URL(found.url).origin === url.origin;
  const token = options.token ?? fragmentToken ?? (env['AGENTHOST_TOKEN'] || (isOurs ? found.token : undefined));
  if (token) return { url, token };
  throw new CommandError(
    EXIT.unauthorized,
    `There is no token for ${url.origin}.`,
    isOurs
      ? `Give the one that the host was started with: --token or $AGENTHOST_TOKEN.`
      : `Give it with --token or $AGENTHOST_TOKEN; on the host's machine, agenthost token show tells it.`,
  );
}

/** Also accepts the link that `serve` prints, with its token. */
function parseAddress(text: string): { readonly url: URL; readonly fragmentToken: string | undefined } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^(https?|wss?):$/.test(url.protocol)) {
    throw usageError(`${text} is not the address of a host.`, 'Give it in full, such as http://127.0.0.1:4747.');
  }
  const fragmentToken = url.hash.startsWith('#token=') ? url.hash.slice('#token='.length) : undefined;
  url.hash = '';
  return { url, fragmentToken };
}
