import { parseSessionUri, sessionUri, type URI } from '@agenthost/protocol';

const CHAT = 'ahp-chat:/';
/** In neither a provider's id nor a session's. */
const BETWEEN = '~';
const CHANGESET = '/changeset/';
const TURN = 'turn/';
const MAX_CHANNEL_LENGTH = 4_096;

/** The one chat of a session. Names the provider too, so that the session is found without a table. */
export function chatUri(session: URI): URI {
  const parts = parseSessionUri(session);
  if (!parts) throw new RangeError(`not a session: ${session}`);
  return `${CHAT}${parts.provider}${BETWEEN}${parts.sessionId}`;
}

export function changesetUri(session: URI, turnId?: string): URI {
  return `${session}${CHANGESET}${turnId === undefined ? 'session' : TURN + encodeURIComponent(turnId)}`;
}

export type Channel =
  | { readonly kind: 'session' | 'chat'; readonly session: URI }
  | { readonly kind: 'changeset'; readonly session: URI; readonly turnId?: string };

/** What a channel other than the root's is, or `undefined` when it is nothing of ours. */
export function parseChannel(uri: string): Channel | undefined {
  if (uri.length > MAX_CHANNEL_LENGTH) return undefined;
  if (uri.startsWith(CHAT)) {
    const [provider = '', id = '', ...more] = uri.slice(CHAT.length).split(BETWEEN);
    const session = `${provider}:/${id}`;
    return more.length === 0 && parseSessionUri(session) ? { kind: 'chat', session } : undefined;
  }
  const at = uri.indexOf(CHANGESET);
  if (at < 0) return parseSessionUri(uri) ? { kind: 'session', session: uri } : undefined;
  const session = uri.slice(0, at);
  const parts = parseSessionUri(session);
  if (!parts) return undefined;
  const which = uri.slice(at + CHANGESET.length);
  const whole = sessionUri(parts.provider, parts.sessionId);
  if (which === 'session') return { kind: 'changeset', session: whole };
  if (!which.startsWith(TURN)) return undefined;
  const turnId = decoded(which.slice(TURN.length));
  return turnId ? { kind: 'changeset', session: whole, turnId } : undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
