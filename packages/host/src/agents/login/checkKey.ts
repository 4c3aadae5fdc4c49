import type { KeyCheck } from '../agentLogin.js';

const PATIENCE_MS = 10_000;

/**
 * Asks the vendor whether a key works. A vendor that can't be reached, or answers anything unexpected, leaves the key unchecked: that
 * says nothing about the key. No error carries the key.
 */
export async function checkKey(check: KeyCheck, key: string): Promise<'accepted' | 'refused' | 'notChecked'> {
  const { url, header, headers = {} } = check;
  if (!mayAsk(url)) return 'notChecked';
  try {
    const answer = await fetch(url, {
      headers: { ...headers, [header]: header === 'authorization' ? `Bearer ${key}` : key },
      // Another address must not get the key.
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await answer.body?.cancel();
    if (answer.ok) return 'accepted';
    // Google answers an invalid key with 400.
    return [400, 401, 403].includes(answer.status) ? 'refused' : 'notChecked';
  } catch {
    return 'notChecked';
  }
}

/** Without encryption only on this machine. */
function mayAsk(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname));
}
