import { parseSessionUri, type URI } from '@agenthost/protocol';

/** VS Code's names of the chats of a session: `ahp-chat://<id of the chat>/<name of the session as base64url>`. */
const SCHEME = 'ahp-chat://';
/** What a URI may have there without being changed. */
const ID = /^[a-z0-9-]{1,128}$/;
const MAX_LENGTH = 2_048;

/** The name of a further chat of a session, which is a session of ours. `undefined` when its id can't be in such a name. */
export function furtherChatUri(chat: URI, nameOfSession: URI): URI | undefined {
  const id = parseSessionUri(chat)?.sessionId;
  return id !== undefined && ID.test(id) ? `${SCHEME}${id}/${packed(nameOfSession)}` : undefined;
}

/** The session of ours that is meant, by the kind of name that its first session has. */
export function parseFurtherChat(uri: URI): URI | undefined {
  if (!uri.startsWith(SCHEME) || uri.length > MAX_LENGTH) return undefined;
  const [id = '', name = '', ...more] = uri.slice(SCHEME.length).split('/');
  const first = unpacked(name);
  const provider = first === undefined ? undefined : parseSessionUri(first)?.provider;
  return provider !== undefined && more.length === 0 && ID.test(id) ? `${provider}:/${id}` : undefined;
}

function packed(name: URI): string {
  return btoa(name).replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');
}

function unpacked(text: string): string | undefined {
  if (!/^[\w-]+$/.test(text) || text.length % 4 === 1) return undefined;
  return atob(text.replaceAll('-', '+').replaceAll('_', '/'));
}
