export interface RemoteAddress {
  /** Without anything that could be a password or a token. */
  readonly url: string;
  /** For a repository on a server. */
  readonly owner?: string;
  readonly name?: string;
}

const MAX_LENGTH = 2_000;
/** Not `C:\…`, and no slash before the colon. */
const SCP_LIKE = /^(?:([^@/:\s]+)@)?([^/:\s]{2,}|\[[^\]\s]+\]):(?!\/\/)(.+)$/;

/** Parses the address of a remote in any of git's forms; `undefined` if it is none. */
export function parseRemoteAddress(address: string): RemoteAddress | undefined {
  if (address.length > MAX_LENGTH || hasControls(address) || address.trim() === '') return undefined;
  const scp = SCP_LIKE.exec(address);
  if (scp && !address.includes('://')) {
    const [, user, host = '', path = ''] = scp;
    return { url: `${user === undefined ? '' : `${user}@`}${host}:${path}`, ...ownerAndName(path) };
  }
  if (!address.includes('://')) return { url: address };
  return parseUrl(address);
}

function parseUrl(address: string): RemoteAddress | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  url.password = '';
  // The user name may be a token.
  if (!/ssh/.test(url.protocol)) url.username = '';
  url.search = '';
  url.hash = '';
  return { url: url.href, ...(url.protocol === 'file:' ? {} : ownerAndName(decoded(url.pathname))) };
}

function ownerAndName(path: string): Pick<RemoteAddress, 'owner' | 'name'> {
  const parts = path.split('/').filter((part) => part !== '');
  const name = parts.pop()?.replace(/\.git$/, '');
  return name && parts.length > 0 ? { owner: parts.join('/'), name } : {};
}

function hasControls(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
