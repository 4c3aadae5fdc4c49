import type { SessionFsRequests } from '@agenthost/protocol';
import type { SetProviderParams } from '@agenthost/protocol/internal';
import { ConnectionClosedError, RequestTimeoutError, RpcError } from '@agenthost/rpc';
import type { SessionFsProvider } from '../storage/client/sessionFsProvider.js';
import { ProviderFailure } from '../storage/fs/providerFailure.js';
import { readAnswer } from './providerAnswer.js';

/** Calls the provider: a request on its connection. */
export type ProviderRequest = (method: string, params: object, timeoutMs: number) => Promise<unknown>;

const TIMEOUT_MS = 30_000;
/** Calls in flight. More of them wait here; beyond `MAX_WAITING` they fail. */
const MAX_IN_FLIGHT = 32;
const MAX_WAITING = 10_000;

/** A client's file system over its connection. When the connection ends, nothing can be read or stored there any more. */
export class ConnectionSessionFs implements SessionFsProvider {
  readonly config: SetProviderParams;
  readonly #request: ProviderRequest;
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;
  #lost: ProviderFailure | undefined;

  constructor(config: SetProviderParams, request: ProviderRequest) {
    this.config = config;
    this.#request = request;
  }

  /** The connection has ended: waiting calls and all later ones fail. */
  lose(): ProviderFailure {
    this.#lost ??= ProviderFailure.gone();
    for (const go of this.#waiting.splice(0)) {
      this.#inFlight++;
      go();
    }
    return this.#lost;
  }

  async call<M extends keyof SessionFsRequests>(
    method: M,
    params: SessionFsRequests[M]['params'],
    timeoutMs = TIMEOUT_MS,
  ): Promise<SessionFsRequests[M]['result']> {
    if (this.#lost) throw this.#lost;
    await this.#turn();
    try {
      if (this.#lost) throw this.#lost;
      return readAnswer(method, await this.#request(method, params, timeoutMs));
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
        throw ProviderFailure.failed('EBUSY', 'too many calls wait for it');
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      return;
    }
    this.#inFlight++;
  }

  /** Passes the slot on without freeing it, so that a call that comes in between waits behind the others. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#inFlight--;
  }
}

function failureOf(method: string, error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof ConnectionClosedError) return ProviderFailure.gone({ cause: error });
  if (error instanceof RequestTimeoutError) {
    return ProviderFailure.failed('ETIMEDOUT', `${method} was not answered in time`, { cause: error });
  }
  const message = error instanceof RpcError ? error.message : 'the call failed';
  return ProviderFailure.failed('UNKNOWN', `${method}: ${message}`, { cause: error });
}
