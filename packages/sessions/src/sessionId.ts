import { InvalidSessionIdError } from './errors.js';

/** Like a URI's scheme, so that `${providerId}:…` is a URI as well. */
const PROVIDER_ID = /^[A-Za-z][A-Za-z0-9+.-]{0,99}$/;

export interface SessionIdParts {
  readonly providerId: string;
  readonly localId: string;
}

export function isProviderId(text: string): boolean {
  return PROVIDER_ID.test(text);
}

export function sessionIdOf(providerId: string, localId: string): string {
  const sessionId = `${providerId}:${localId}`;
  parseSessionId(sessionId);
  return sessionId;
}

/** The first colon is the border; throws on what is no session id, because a guess could reach the wrong provider. */
export function parseSessionId(sessionId: string): SessionIdParts {
  const colon = typeof sessionId === 'string' ? sessionId.indexOf(':') : -1;
  if (colon < 0) throw new InvalidSessionIdError(sessionId);
  const [providerId, localId] = [sessionId.slice(0, colon), sessionId.slice(colon + 1)];
  if (!isProviderId(providerId) || localId === '') throw new InvalidSessionIdError(sessionId);
  return { providerId, localId };
}
