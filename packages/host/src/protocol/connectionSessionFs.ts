import { SESSION_FS_SCHEMAS, type SessionFsRequests, type SetProviderParams } from '@agenthost/protocol';
import { ConnectionClosedError, RequestTimeoutError, RpcError } from '@agenthost/rpc';
import { SessionFsFailure } from '../sessionFs/sessionFs.js';
import type { SessionFsProvider } from '../sessionFs/sessionFsProvider.js';

/** How a provider is called: a request to its connection. */
export type ProviderRequest = (method: string, params: object, timeoutMs: number) => Promise<unknown>;

const TIMEOUT_MS = 30_000;
/** Calls on their way; more of them wait here, and past `MAX_WAITING` fail. */
const MAX_IN_FLIGHT = 32;
const MAX_WAITING = 10_000;

/** A client's file system over its connection. When that ends, so does everything that is kept there. */
export class ConnectionSessionFs implements SessionFsProvider {
  readonly config: SetProviderParams;
  readonly #request: ProviderRequest;
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;
  #lost: SessionFsFailure | undefined;

  constructor(config: SetProviderParams, request: ProviderRequest) {
    this.config = config;
    this.#request = request;
  }

  /** The connection has ended: calls that wait, and all later ones, fail. */
  lose(): SessionFsFailure {
    this.#lost ??= new SessionFsFailure(
      'UNAVAILABLE',
      'the client that keeps the sessions has gone; start the host anew',
    );
    for (const go of this.#waiting.splice(0)) {
      this.#inFlight++;
      go();
    }
    return this.#lost;
  }

  async call<M extends keyof SessionFsRequests>(
    method: M,
    params: SessionFsRequests[M]['params'],
  ): Promise<SessionFsRequests[M]['result']> {
    if (this.#lost) throw this.#lost;
    await this.#turn();
    try {
      if (this.#lost) throw this.#lost;
      return checked(method, await this.#request(method, params, TIMEOUT_MS));
    } catch (error) {
      throw this.#lost ?? failureOf(method, error);
    } finally {
      this.#release();
    }
  }

  /** First come, first served: appends of one log must not overtake each other. */
  async #turn(): Promise<void> {
    if (this.#inFlight >= MAX_IN_FLIGHT) {
      if (this.#waiting.length >= MAX_WAITING) {
        throw new SessionFsFailure('EBUSY', 'too many calls wait for the client that keeps the sessions');
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      return;
    }
    this.#inFlight++;
  }

  /** The place is handed on while it is still taken: what comes in between finds none free, and waits behind. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#inFlight--;
  }
}

/** What a provider answers comes from outside, like everything else. */
function checked<M extends keyof SessionFsRequests>(method: M, result: unknown): SessionFsRequests[M]['result'] {
  const parsed = SESSION_FS_SCHEMAS[method].result.safeParse(result);
  if (parsed.success) return parsed.data as SessionFsRequests[M]['result'];
  throw new SessionFsFailure('EPROTO', `the answer to ${method} makes no sense`);
}

function failureOf(method: string, error: unknown): SessionFsFailure {
  if (error instanceof SessionFsFailure) return error;
  if (error instanceof RequestTimeoutError) {
    return new SessionFsFailure('ETIMEDOUT', `${method} was not answered in time`, { cause: error });
  }
  if (error instanceof ConnectionClosedError) {
    return new SessionFsFailure('UNAVAILABLE', 'the client that keeps the sessions has gone', { cause: error });
  }
  const message = error instanceof RpcError ? error.message : 'the call failed';
  return new SessionFsFailure('UNKNOWN', `${method}: ${message}`, { cause: error });
}
