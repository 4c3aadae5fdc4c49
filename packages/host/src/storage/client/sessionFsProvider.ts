import type { SessionFsRequests } from '@agenthost/protocol';
import type { SetProviderParams } from '@agenthost/protocol/internal';

/**
 * The host's view of a client that keeps the sessions' files.
 *
 * Contract: a call that can't be made or answered (the client is gone, too slow, too many calls at once, an invalid answer)
 * rejects with a `ProviderFailure`.
 */
export interface SessionFsProvider {
  readonly config: SetProviderParams;
  call<M extends keyof SessionFsRequests>(
    method: M,
    params: SessionFsRequests[M]['params'],
    timeoutMs?: number,
  ): Promise<SessionFsRequests[M]['result']>;
}
