/** The token of this browser at a host; it survives tabs and restarts. */
const TOKEN = 'agenthost.token ';
/** A token from a link, which is about to be exchanged. */
const LINK = 'agenthost.link ';
/** The token of a read-only link. Only in this tab: the browser may have a token of its own. */
const SHARE = 'agenthost.share ';
/** Marks the address of a tab that shows a read-only link, so that it does so after a reload. */
const SHARED = '#shared';

/**
 * A link has its secret in the fragment, which no request contains: the token that `agenthost serve` prints, or a code that pairs this
 * device. It is removed from the address at once, so that it is in no history and in no screenshot. Returns the code, if there is one.
 */
export function takeFromAddress(url: string): string | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const [token, code] = [fragment.get('token'), fragment.get('pair')];
  if (token === null && code === null) return undefined;
  fragment.delete('token');
  fragment.delete('pair');
  const rest = fragment.toString();
  history.replaceState(history.state, '', `${location.pathname}${rest ? `#${rest}` : ''}`);
  if (token) saveLink(url, token);
  return code ?? undefined;
}

/** The token of the read-only link that this tab was opened with; it is removed from the address, like others. */
export function takeShare(url: string): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('share');
  if (token) {
    sessionStorage.setItem(SHARE + url, token);
    history.replaceState(history.state, '', `${location.pathname}${SHARED}`);
  }
  return location.hash === SHARED ? (sessionStorage.getItem(SHARE + url) ?? undefined) : undefined;
}

/** Whether the address has a secret that must be taken out of it. */
export function hasSecret(hash: string): boolean {
  const fragment = new URLSearchParams(hash.slice(1));
  return fragment.has('token') || fragment.has('pair') || fragment.has('share');
}

/** Whether a person pasted a link that is opened instead: one that pairs this device, or shows one session. */
export function isOtherLink(pasted: string): boolean {
  const text = pasted.trim();
  if (!URL.canParse(text) || !/^https?:/.test(text)) return false;
  const fragment = new URLSearchParams(new URL(text).hash.slice(1));
  return fragment.has('pair') || fragment.has('share');
}

/** The token in what a person pasted: a link, or the token itself. */
export function tokenIn(pasted: string): string {
  const text = pasted.trim();
  if (!URL.canParse(text) || !/^https?:/.test(text)) return text;
  const token = new URLSearchParams(new URL(text).hash.slice(1)).get('token');
  if (token) return token;
  throw new Error('The link has no token. Copy the whole link, including the part after #.');
}

export function loadLink(url: string): string | undefined {
  return sessionStorage.getItem(LINK + url) ?? undefined;
}

export function saveLink(url: string, token: string): void {
  sessionStorage.setItem(LINK + url, token);
}

export function forgetLink(url: string): void {
  sessionStorage.removeItem(LINK + url);
}

export function loadToken(url: string): string | undefined {
  return localStorage.getItem(TOKEN + url) ?? sessionStorage.getItem(TOKEN + url) ?? undefined;
}

/** `isOwn`: it is a token of this browser alone. Any other is kept only in this tab. */
export function saveToken(url: string, token: string, isOwn: boolean): void {
  forgetLink(url);
  try {
    if (isOwn) localStorage.setItem(TOKEN + url, token);
    else sessionStorage.setItem(TOKEN + url, token);
    if (isOwn) sessionStorage.removeItem(TOKEN + url);
  } catch {
    // The browser stores nothing for good: the token lives as long as this tab.
    sessionStorage.setItem(TOKEN + url, token);
  }
}

export function forgetToken(url: string): void {
  forgetLink(url);
  localStorage.removeItem(TOKEN + url);
  sessionStorage.removeItem(TOKEN + url);
}

/** Calls `changed` when another tab of this browser gets a token. */
export function onTokenOfOtherTab(changed: (url: string) => void): void {
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key?.startsWith(TOKEN) && newValue !== null) changed(key.slice(TOKEN.length));
  });
}
