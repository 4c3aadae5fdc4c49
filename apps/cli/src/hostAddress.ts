import { readFileSync } from 'node:fs';
import { findHost } from '@agenthost/host/discovery';
import { CommandError, EXIT, usageError } from './commandError.js';
import { authorityFile } from './lan/authorityFile.js';

/** The default port of `agenthost serve`. */
export const DEFAULT_PORT = 4747;

export interface HostAddress {
  readonly url: URL;
  readonly token: string;
  /** A certificate authority of its own that this command trusts for it, besides those of the system. */
  readonly authority?: string;
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
  const given = linkOrToken(options.token);
  const asked = options.url ?? given.url ?? (stateDir === undefined ? env['AGENTHOST_URL'] : undefined);
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
  const fromEnv = linkOrToken(env['AGENTHOST_TOKEN'] || undefined).token;
  const token = given.token ?? fragmentToken ?? fromEnv ?? (isOurs ? found.token : undefined);
  const authority = isOurs && /^(https|wss):$/.test(url.protocol) ? readAuthority(found.stateDir) : undefined;
  if (token) return { url, token, ...(authority !== undefined && { authority }) };
  throw new CommandError(
    EXIT.unauthorized,
    `There is no token for ${url.origin}.`,
    isOurs
      ? `Give the one that the host was started with: --token or $AGENTHOST_TOKEN.`
      : `Give it with --token or $AGENTHOST_TOKEN; on the host's machine, agenthost token show tells it.`,
  );
}

/** The authority of `serve --lan`. Only for the host of that state folder: a flag can't bring one. */
function readAuthority(stateDir: string): string | undefined {
  try {
    return readFileSync(authorityFile(stateDir), 'utf8');
  } catch {
    return undefined;
  }
}

/** A link is as good as the token in it; it also says where the host is. */
function linkOrToken(text: string | undefined): { readonly token?: string; readonly url?: string } {
  if (text === undefined || !/^https?:\/\//.test(text)) return text === undefined ? {} : { token: text };
  const { url, fragmentToken } = parseAddress(text);
  if (fragmentToken) return { token: fragmentToken, url: url.href };
  throw usageError('The link has no token.', 'Give the whole link, including the part after #, or the token alone.');
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
