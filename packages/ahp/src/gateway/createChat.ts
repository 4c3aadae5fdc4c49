import { parseSessionUri, type URI } from '@agenthost/protocol';
import { RPC_ERROR, RpcError } from '@agenthost/rpc';
import { isRecord, type JsonRecord, textOf } from '../translate/json.js';
import { userMessageOf } from '../translate/messages.js';
import { parseChannel } from '../translate/uris.js';
import type { AhpClient } from './ahpClient.js';
import { sessionChannel } from './newSession.js';
import { requiredText } from './params.js';

/**
 * A further chat of a session, empty or with the turns of another chat up to one of them. For our host it is a session of its own, in
 * the group of the first.
 */
export async function createChat(client: AhpClient, params: JsonRecord): Promise<null> {
  const first = await client.names.find(sessionChannel(params));
  const provider = parseSessionUri(first)?.provider ?? '';
  const id = parseSessionUri(chatNamed(params, 'chat'))?.sessionId ?? '';
  const session = `${provider}:/${id}`;
  const { source, initialMessage } = params;
  const message = initialMessage === undefined ? undefined : userMessageOf(initialMessage);
  if (initialMessage !== undefined && !message) throw invalid('initialMessage must be a message');
  if (source !== undefined && !isRecord(source)) throw invalid('source must be an object');
  const fork = source && (await forkOf(client, first, source));
  const { workingDirectory } = (await client.link(first)).state.summary;
  const { made } = client.sessions;
  const isOwn = made.has(session);
  if (!fork) made.add(session);
  try {
    const created = await (fork
      ? client.host.forkSession({ ...fork, session, group: first })
      : client.host.createSession({
          session,
          provider,
          provisional: true,
          metadata: { group: first },
          ...(workingDirectory !== undefined && { workingDirectory }),
        }));
    client.sessions.chatMade(created.confirmed.value.summary);
    if (message) created.send(message).catch(() => undefined);
    else created.dispose();
  } catch (error) {
    if (!isOwn) made.delete(session);
    throw error;
  }
  return null;
}

/** Only further chats: the first one ends with its session. */
export async function disposeChat(client: AhpClient, params: JsonRecord): Promise<null> {
  const session = await client.names.find(chatNamed(params, 'channel'));
  if (client.sessions.firstOf(session) === undefined) throw invalid('channel must be a further chat of a session');
  await client.host.disposeSession(session);
  return null;
}

async function forkOf(
  client: AhpClient,
  first: URI,
  source: JsonRecord,
): Promise<{ readonly source: URI; readonly toTurnId: string }> {
  if (source['kind'] !== undefined && source['kind'] !== 'fork') throw invalid('source.kind must be fork');
  const toTurnId = textOf(source['turnId']);
  if (toTurnId === undefined) throw invalid('source.turnId must be a text');
  const from = await client.names.find(chatNamed(source, 'chat'));
  if (from !== first && client.sessions.firstOf(from) !== first)
    throw invalid('source.chat must be a chat of the session');
  return { source: from, toTurnId };
}

/** Our session behind a chat, as the client names it. */
function chatNamed(params: JsonRecord, field: string): URI {
  const channel = parseChannel(requiredText(params, field));
  if (channel?.kind === 'chat') return channel.session;
  throw invalid(`${field} must be a chat: ahp-chat://<id>/<the session as base64url>, or one of a session's chats`);
}

function invalid(message: string): RpcError {
  return new RpcError(RPC_ERROR.invalidParams, message);
}
