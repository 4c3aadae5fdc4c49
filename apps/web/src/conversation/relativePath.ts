/** A file's path for people: relative to the project folder if it is inside, else absolute. */
export function relativePath(uri: string, folder: string | undefined): string {
  const path = pathOf(uri);
  const base = folder === undefined ? undefined : `${pathOf(folder).replace(/\/$/, '')}/`;
  return base !== undefined && path.startsWith(base) ? path.slice(base.length) : path;
}

export function pathOf(uri: string): string {
  if (!uri.startsWith('file:')) return uri;
  try {
    return decodeURIComponent(new URL(uri).pathname);
  } catch {
    return uri;
  }
}

export function lastName(uri: string): string {
  const path = pathOf(uri).replace(/\/+$/, '');
  return path.slice(path.lastIndexOf('/') + 1) || '/';
}

/** "~/code/agenthost": relative to the home folder if it is inside. */
export function shortPath(uri: string, home: string | undefined): string {
  const path = pathOf(uri);
  const base = home === undefined ? undefined : pathOf(home).replace(/\/$/, '');
  if (base === undefined || base === '') return path;
  return path === base ? '~' : path.startsWith(`${base}/`) ? `~${path.slice(base.length)}` : path;
}
