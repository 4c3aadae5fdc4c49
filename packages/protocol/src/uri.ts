import { ARTIFACT_KINDS } from './artifacts.js';
import { MAX_URI_LENGTH } from './limits.js';
import type { ArtifactKind } from './types/commands.js';

/** A URI as it stands on the wire. */
export type URI = string;

export const ROOT_URI = 'agenthost:root';

const PROVIDER = /^[a-z][a-z0-9+.-]{0,63}$/;
/** No separator, no leading or trailing dot: an id is used as a folder's name. */
const SESSION_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9_-])?$/;
const CONTENT_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,254}[A-Za-z0-9_-])?$/;
/** Schemes that mean something else already; an agent with such an id could be taken for it. */
const RESERVED_PROVIDERS: ReadonlySet<string> = new Set(['agenthost', 'file', 'http', 'https', 'data', 'javascript']);

export interface SessionUriParts {
  readonly provider: string;
  readonly sessionId: string;
}

export interface ContentUriParts extends SessionUriParts {
  readonly contentId: string;
}

export interface ArtifactUriParts extends SessionUriParts {
  readonly kind: ArtifactKind;
  /** With `/` between its folders. Whether it is a name that the host takes is the host's to say. */
  readonly name: string;
}

export function isProviderId(text: string): boolean {
  return PROVIDER.test(text) && !RESERVED_PROVIDERS.has(text);
}

export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}

/**
 * `<provider>:/<id>`. Throws on parts that `parseSessionUri` would refuse, so that no bad URI is ever made.
 *
 * @example
 * ```ts
 * sessionUri('shell', 's1'); // 'shell:/s1'
 * ```
 */
export function sessionUri(provider: string, sessionId: string): URI {
  if (!isProviderId(provider)) throw new RangeError(`not a provider id: ${JSON.stringify(provider)}`);
  if (!isSessionId(sessionId)) throw new RangeError(`not a session id: ${JSON.stringify(sessionId)}`);
  return `${provider}:/${sessionId}`;
}

/**
 * The parts of a session URI; `undefined` for any other text.
 *
 * @example
 * ```ts
 * parseSessionUri('shell:/s1'); // { provider: 'shell', sessionId: 's1' }
 * ```
 */
export function parseSessionUri(uri: URI): SessionUriParts | undefined {
  if (uri.length > MAX_URI_LENGTH) return undefined;
  const colon = uri.indexOf(':');
  const provider = uri.slice(0, Math.max(colon, 0));
  if (!isProviderId(provider) || uri[colon + 1] !== '/') return undefined;
  const sessionId = uri.slice(colon + 2);
  return isSessionId(sessionId) ? { provider, sessionId } : undefined;
}

const CHANGES = 'agenthost:changes/';

/**
 * The URI of the changes of a session, which clients of version 2 can subscribe to: `agenthost:changes/<provider>/<sessionId>`.
 *
 * @example
 * ```ts
 * changesUri('shell:/s1'); // 'agenthost:changes/shell/s1'
 * ```
 */
export function changesUri(session: URI): URI {
  const parts = parseSessionUri(session);
  if (!parts) throw new RangeError(`not a session: ${JSON.stringify(session)}`);
  return `${CHANGES}${parts.provider}/${parts.sessionId}`;
}

/** The session of a URI that `changesUri` makes; `undefined` for any other text. */
export function sessionOfChanges(uri: URI): URI | undefined {
  if (!uri.startsWith(CHANGES)) return undefined;
  const [provider, sessionId] = splitOnce(uri.slice(CHANGES.length), '/');
  return isProviderId(provider) && isSessionId(sessionId) ? sessionUri(provider, sessionId) : undefined;
}

/** `<provider>://<sessionId>/<contentId>`. */
export function contentUri(provider: string, sessionId: string, contentId: string): URI {
  if (!isProviderId(provider)) throw new RangeError(`not a provider id: ${JSON.stringify(provider)}`);
  if (!isSessionId(sessionId)) throw new RangeError(`not a session id: ${JSON.stringify(sessionId)}`);
  if (!CONTENT_ID.test(contentId)) throw new RangeError(`not a content id: ${JSON.stringify(contentId)}`);
  return `${provider}://${sessionId}/${contentId}`;
}

export function parseContentUri(uri: URI): ContentUriParts | undefined {
  if (uri.length > MAX_URI_LENGTH) return undefined;
  const [provider, rest] = splitOnce(uri, '://');
  const [sessionId, contentId] = splitOnce(rest, '/');
  if (!isProviderId(provider) || !isSessionId(sessionId) || !CONTENT_ID.test(contentId)) return undefined;
  return { provider, sessionId, contentId };
}

/** `<provider>://<sessionId>/<kind>/<name>`: at least one part more than a content's, so that neither is taken for the other. */
export function artifactUri({ provider, sessionId, kind, name }: ArtifactUriParts): URI {
  if (!isProviderId(provider)) throw new RangeError(`not a provider id: ${JSON.stringify(provider)}`);
  if (!isSessionId(sessionId)) throw new RangeError(`not a session id: ${JSON.stringify(sessionId)}`);
  const segments = name.split('/');
  if (segments.includes('') || !name.isWellFormed()) throw new RangeError(`not a name: ${JSON.stringify(name)}`);
  return `${provider}://${sessionId}/${kind}/${segments.map(encodeURIComponent).join('/')}`;
}

/** Of all ways to write a URI only the one that `artifactUri` makes. */
export function parseArtifactUri(uri: URI): ArtifactUriParts | undefined {
  if (uri.length > MAX_URI_LENGTH) return undefined;
  const [provider, rest] = splitOnce(uri, '://');
  const [sessionId, path] = splitOnce(rest, '/');
  const [kind, encoded] = splitOnce(path, '/');
  const name = decoded(encoded);
  if (!isArtifactKind(kind) || name === undefined || !isProviderId(provider) || !isSessionId(sessionId))
    return undefined;
  const parts = { provider, sessionId, kind, name };
  return !name.split('/').includes('') && artifactUri(parts) === uri ? parts : undefined;
}

function isArtifactKind(text: string): text is ArtifactKind {
  return (ARTIFACT_KINDS as readonly string[]).includes(text);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** In the environment of an agent's processes: the session that the agent works in. */
export const SESSION_VARIABLE = 'AGENTHOST_SESSION';

/** In a request over MCP: the session whose agent asks. It takes rights away, and never gives any. */
export const SESSION_HEADER = 'agenthost-session';
