import { InvalidSessionIdError } from './errors.js';

/** Like a URI's scheme, so that `${providerId}:…` is a URI as well. */
const PROVIDER_ID = /^[A-Za-z][A-Za-z0-9+.-]{0,99}$/;

export interface SessionIdParts {
  readonly providerId: string;
  readonly localId: string;
}

/**
 * Whether a provider can have this id: a letter, then letters, digits, `+`, `.` and `-`, up to 100 characters.
 *
 * @example
 * ```ts
 * isProviderId('dev-box'); // true
 * isProviderId('dev box'); // false
 * ```
 */
export function isProviderId(text: string): boolean {
  return PROVIDER_ID.test(text);
}

export function sessionIdOf(providerId: string, localId: string): string {
  const sessionId = `${providerId}:${localId}`;
  parseSessionId(sessionId);
  return sessionId;
}

/**
 * Splits a session id at its first colon. Throws for what is no session id, because a guess could reach the wrong provider.
 *
 * @example
 * ```ts
 * parseSessionId('dev-box:shell:/5b7f9a0e'); // { providerId: 'dev-box', localId: 'shell:/5b7f9a0e' }
 * ```
 */
export function parseSessionId(sessionId: string): SessionIdParts {
  const colon = typeof sessionId === 'string' ? sessionId.indexOf(':') : -1;
  if (colon < 0) throw new InvalidSessionIdError(sessionId);
  const [providerId, localId] = [sessionId.slice(0, colon), sessionId.slice(colon + 1)];
  if (!isProviderId(providerId) || localId === '') throw new InvalidSessionIdError(sessionId);
  return { providerId, localId };
}
