import { parseSessionUri, sessionUri, type URI } from '@agenthost/protocol';
import { parseFurtherChat } from './chatNames.js';

/** The specification's names of sessions. VS Code up to 1.139 names them `<provider>:/<id>`, as we do. */
const SPECIFIED = 'ahp-session:/';
const CHAT = 'ahp-chat:/';
/** A character that is in neither a provider's id nor a session's. */
const BETWEEN = '~';
const CHANGESET = '/changeset/';
const TURN = 'turn/';
const MAX_CHANNEL_LENGTH = 4_096;

/** The one chat of a session. It includes the provider, so that the session is found without a table. */
export function chatUri(session: URI): URI {
  const parts = parseSessionUri(session);
  if (!parts) throw new RangeError(`not a session: ${session}`);
  return `${CHAT}${parts.provider}${BETWEEN}${parts.sessionId}`;
}

/** `ahp-session:/<id>` for a session of ours. */
export function specifiedName(session: URI): URI {
  return `${SPECIFIED}${session.slice(session.indexOf('/') + 1)}`;
}

/** The id in `ahp-session:/<id>`; `undefined` for every other name. */
export function specifiedId(name: URI): string | undefined {
  return name.startsWith(SPECIFIED) ? parseSessionUri(name)?.sessionId : undefined;
}

export function changesetUri(session: URI, turnId?: string): URI {
  return `${session}${CHANGESET}${turnId === undefined ? 'session' : TURN + encodeURIComponent(turnId)}`;
}

export type Channel = { readonly session: URI } & ChannelKind;

/** The kind of the session's channel. */
export type ChannelKind =
  | { readonly kind: 'session' | 'chat' }
  | { readonly kind: 'changeset'; readonly turnId?: string };

/** All names that a channel of this session can have. */
export function channelNames(session: URI, channel: ChannelKind): readonly URI[] {
  if (channel.kind === 'chat') return [chatUri(session)];
  const names = [session, specifiedName(session)];
  return channel.kind === 'changeset' ? names.map((name) => changesetUri(name, channel.turnId)) : names;
}

/** The target of a channel other than the root's, or `undefined` when it isn't ours. */
export function parseChannel(uri: string): Channel | undefined {
  if (uri.length > MAX_CHANNEL_LENGTH) return undefined;
  const further = parseFurtherChat(uri);
  if (further !== undefined) return { kind: 'chat', session: further };
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
