import type { URI } from '@agenthost/protocol';

/** `file://PLACE/path`: the place is the authority, percent-encoded as far as it needs to be. */
const WITH_PLACE = /^file:\/\/([^/?#]+)(\/.*)?$/is;

/** The place that a `file:` URI names; `undefined` without one, and for `localhost`, which is the same. */
export function placeOf(uri: URI): string | undefined {
  const [, authority = ''] = WITH_PLACE.exec(uri) ?? [];
  if (authority === '' || authority.toLowerCase() === 'localhost') return undefined;
  try {
    return decodeURIComponent(authority);
  } catch {
    return authority;
  }
}

/** The same folder, for a host of its place. */
export function withoutPlace(uri: URI): URI {
  return placeOf(uri) === undefined ? uri : uri.replace(WITH_PLACE, (_all, _place, path = '/') => `file://${path}`);
}

/** A `file:` URI of this machine, for clients that may be at another place. */
export function withPlace(uri: URI, place: string): URI {
  return uri.replace(/^file:\/\//i, `file://${encodeURIComponent(place)}`);
}

/** Clients may write a place in lower case: many programs do so with the authority of a URI. */
export function isSamePlace(a: string, b: string): boolean {
  return a === b || a.toLowerCase() === b.toLowerCase();
}
