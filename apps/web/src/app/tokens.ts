const PREFIX = 'agenthost.token ';

/**
 * The token comes in the fragment of the link that `agenthost serve` prints, which no request contains. It is kept only for this
 * tab, and removed from the address at once, so that it is in no history and in no screenshot.
 */
export function takeTokenFromAddress(url: string): void {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('token');
  if (token === null) return;
  fragment.delete('token');
  const rest = fragment.toString();
  history.replaceState(history.state, '', `${location.pathname}${rest ? `#${rest}` : ''}`);
  saveToken(url, token);
}

export function loadToken(url: string): string | undefined {
  return sessionStorage.getItem(PREFIX + url) ?? undefined;
}

export function saveToken(url: string, token: string): void {
  sessionStorage.setItem(PREFIX + url, token.trim());
}

export function forgetToken(url: string): void {
  sessionStorage.removeItem(PREFIX + url);
}
