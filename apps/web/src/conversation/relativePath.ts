/** A file's path for people: relative to the project folder if it is inside, else absolute. */
export function relativePath(uri: string, folder: string | undefined): string {
  const path = pathOf(uri);
  const base = folder === undefined ? undefined : `${pathOf(folder).replace(/\/$/, '')}/`;
  return base !== undefined && path.startsWith(base) ? path.slice(base.length) : path;
}

export function pathOf(uri: string): string {
  if (!uri.startsWith('file:')) return uri;
  try {
    // Without the place, which need not be a name that a URL can have.
    return decodeURIComponent(new URL(uri.replace(PLACE, 'file://')).pathname);
  } catch {
    return uri;
  }
}

const PLACE = /^file:\/\/([^/]+)(?=\/)/i;

/** The place in the URI of a folder of another machine, `file://build-7/src`, as it stands there; empty without one. */
export function placeIn(uri: string): string {
  return PLACE.exec(uri)?.[1] ?? '';
}

/** "src", or "src [build-7]" at another place. */
export function lastName(uri: string): string {
  const path = pathOf(uri).replace(/\/+$/, '');
  const name = path.slice(path.lastIndexOf('/') + 1) || '/';
  const place = placeIn(uri);
  return place === '' ? name : `${name} [${unescaped(place)}]`;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The home folder that a folder is in, as systems name them; `undefined` if it is elsewhere. */
export function homeOf(folder: string | undefined): string | undefined {
  const home =
    folder === undefined ? undefined : /^(?:\/home\/[^/]+|\/Users\/[^/]+|\/root)(?=\/|$)/.exec(pathOf(folder))?.[0];
  return home === undefined ? undefined : `file://${home.split('/').map(encodeURIComponent).join('/')}`;
}

/** "~/code/agenthost": relative to the home folder if it is inside. */
export function shortPath(uri: string, home: string | undefined): string {
  const path = pathOf(uri);
  const base = home === undefined ? undefined : pathOf(home).replace(/\/$/, '');
  if (base === undefined || base === '') return path;
  return path === base ? '~' : path.startsWith(`${base}/`) ? `~${path.slice(base.length)}` : path;
}
