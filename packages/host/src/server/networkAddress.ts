import { isIPv6 } from 'node:net';
import { hostname } from 'node:os';

/** The name of a `Host` header, a flag or a socket. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(address);
}

/** The key of an address: for IPv6 the first 64 bits, because one machine has all addresses behind them. */
export function addressGroup(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (isLoopback(address)) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  const zeros = tail === undefined ? 0 : 8 - (before?.length ?? 0) - (after?.length ?? 0);
  const groups = [...(before ?? []), ...Array.from({ length: zeros }, () => '0'), ...(after ?? [])];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/** The address for other machines: the wildcard address is none. */
export function linkUrlOf(url: URL): URL {
  const link = new URL(url);
  if (isWildcard(url.hostname)) link.hostname = hostname();
  return link;
}

export function isWildcard(address: string): boolean {
  return address === '0.0.0.0' || address === '::' || address === '[::]';
}

/** The address for other machines, if the server is bound to one that they can reach. */
export function outsideUrl(url: URL): URL | undefined {
  const name = url.hostname.replace(/^\[|\]$/g, '');
  return isLoopback(name) || isWildcard(name) ? undefined : url;
}

/** The address for a browser of this machine: the wildcard address is none. */
export function localUrl(url: URL): URL {
  const local = new URL(url);
  if (url.hostname === '0.0.0.0') local.hostname = '127.0.0.1';
  if (url.hostname === '[::]') local.hostname = '[::1]';
  return local;
}
