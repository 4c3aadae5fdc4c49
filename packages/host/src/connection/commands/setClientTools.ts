import { ERROR_CODE, type SetClientToolsParams } from '@agenthost/protocol';
import { COMMAND_INTRODUCED_IN } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import { acceptedKey } from '../../sessions/turn/acceptedSequences.js';
import { originOf } from '../../state/publisher.js';
import type { ClientConnection } from '../clientConnection.js';

/** A client offers tools to the agent of a session that it has subscribed to. They end with the subscription. */
export async function setClientTools(
  { session: uri, tools }: SetClientToolsParams,
  connection: ClientConnection,
): Promise<null> {
  const { author, protocolVersion, subscriptions } = connection;
  if (protocolVersion < COMMAND_INTRODUCED_IN.setClientTools) {
    throw new RpcError(ERROR_CODE.methodNotFound, 'setClientTools is not part of the version that was agreed on');
  }
  const session = await connection.sessions.open(uri);
  if (!connection.isOpen || !subscriptions.has(uri)) {
    throw new RpcError(
      ERROR_CODE.invalidRequest,
      'subscribe to the session first: its tools end with the subscription',
    );
  }
  const client = {
    author,
    key: acceptedKey(originOf(connection, 0)),
    subscriber: connection,
    call: (params: object, signal: AbortSignal) =>
      connection.request('callClientTool', params, { signal, timeoutMs: 0 }),
  };
  await session.tools.set(client, tools);
  return null;
}
