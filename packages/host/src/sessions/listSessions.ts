import { ERROR_CODE, type ListSessionsParams, type ListSessionsResult } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { IndexReplacedError } from '../index/indexDamage.js';
import { InvalidCursorError } from '../index/listQuery.js';
import { SearchFailedError } from '../index/searchThread.js';
import type { SessionIndex } from '../index/sessionIndex.js';

/**
 * A list is read in the turn in which it is asked for: an answer that is sent at once can't be overtaken by the notification of a
 * change that it doesn't have. A search takes longer. When the index turns out to be damaged, it is asked again once it is filled
 * anew.
 */
export function listSessions(
  index: SessionIndex,
  params: ListSessionsParams,
  indexFilled: () => Promise<void>,
): ListSessionsResult | Promise<ListSessionsResult> {
  const again = (error: unknown, list: () => ListSessionsResult | Promise<ListSessionsResult>) => {
    if (!(error instanceof IndexReplacedError)) throw answerFor(error);
    return indexFilled().then(list);
  };
  if (params.filter?.text) {
    const search = () => index.search(params);
    return search().catch((error: unknown) => again(error, search));
  }
  const list = () => index.list(params);
  try {
    return list();
  } catch (error) {
    return again(error, list);
  }
}

function answerFor(error: unknown): unknown {
  if (error instanceof InvalidCursorError) {
    return new RpcError(ERROR_CODE.invalidParams, `params.cursor: ${error.message}`);
  }
  if (error instanceof SearchFailedError) return new RpcError(ERROR_CODE.tooManyRequests, error.message);
  return error;
}
