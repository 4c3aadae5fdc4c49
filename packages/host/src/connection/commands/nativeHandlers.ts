import { ERROR_CODE } from '@agenthost/protocol';
import { DEFAULT_SPACE } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { NativeSessions, NativeTarget } from '../../agents/native/nativeSessions.js';
import type { ClientConnection } from '../clientConnection.js';
import type { CommandHandlers } from '../commandHandlers.js';
import type { HostServices } from '../hostServices.js';

type NativeCommand = 'listNativeSessions' | 'fetchNativeTurns' | 'continueNativeSession';

const OFF = 'this host does not look for sessions of terminals';
const OTHER_SPACE = `sessions of terminals belong to the space ${DEFAULT_SPACE}: use a token of that space`;

/** Conversations from terminals. The role table lets only owners send these. */
export function createNativeHandlers({ native }: HostServices): Pick<CommandHandlers, NativeCommand> {
  return {
    // None is an answer: every client asks, and most hosts have none.
    listNativeSessions: (params, client) =>
      native && client.space === DEFAULT_SPACE ? native.list(params, targetOf(client)) : { items: [], total: 0 },
    fetchNativeTurns: (params, client) => allowed(client).turns(params),
    continueNativeSession: async (params, client) => {
      await allowed(client).continue(params, targetOf(client));
      return null;
    },
  };

  function allowed({ space }: ClientConnection): NativeSessions {
    if (!native) throw new RpcError(ERROR_CODE.notFound, OFF);
    if (space !== DEFAULT_SPACE) throw new RpcError(ERROR_CODE.permissionDenied, OTHER_SPACE);
    return native;
  }
}

function targetOf(client: ClientConnection): NativeTarget {
  return {
    exists: (session) => client.sessions.exists(session),
    import: (params, nativeSessionId) => client.sessions.import(params, client, nativeSessionId),
  };
}
