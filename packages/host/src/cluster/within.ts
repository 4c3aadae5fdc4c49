import { ERROR_CODE } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';

/** What needs the database, which may be away for long: after that time the client is told to come back, here or elsewhere. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const message = "the database can't be reached right now: try again";
  const giveUp = () => reject(new RpcError(ERROR_CODE.tooManyRequests, message));
  const timer = setTimeout(giveUp, ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
