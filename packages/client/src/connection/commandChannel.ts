import { type Commands, ERROR_CODE } from '@agenthost/protocol';
import { isCommandKnownToVersion } from '@agenthost/protocol/internal';
import { ConnectionClosedError, RequestTimeoutError, RpcError, type RpcPeer, type Schedule } from '@agenthost/rpc';
import {
  CapabilityMissingError,
  CommandFailedError,
  CommandTimeoutError,
  ConnectionLostError,
  LimitReachedError,
} from '../errors.js';
import { firstValue } from '../observable.js';
import type { Connection } from './connection.js';

export type Command = Exclude<keyof Commands, 'initialize' | 'reconnect'>;

export interface CommandOptions {
  readonly signal?: AbortSignal | undefined;
  /** From the call to the answer, the wait for a connection included. */
  readonly timeoutMs?: number | undefined;
}

export interface CommandChannelOptions {
  readonly connection: Connection;
  readonly timeoutMs: number;
  readonly maxWaiting: number;
  readonly schedule: Schedule;
}

/** Reads: when the connection is lost before their answer, they can be repeated safely. */
const REPEATABLE: ReadonlySet<Command> = new Set([
  'listSessions',
  'fetchTurns',
  'fetchParts',
  'fetchEvents',
  'fetchAudit',
  'fetchContent',
  'listArtifacts',
  'listChanges',
  'fetchDiff',
  'fetchVersion',
  'browseDirectory',
  'listFolder',
  'readFile',
  'findFiles',
  'checkFiles',
  'listTerminals',
  'fetchPushKey',
  'listDevices',
  'listWebhooks',
  'fetchPairing',
  'ping',
]);

/** Sends commands; without a connection they wait for one, in bounded number and for a bounded time. */
export class CommandChannel {
  readonly #options: CommandChannelOptions;
  #waiting = 0;

  constructor(options: CommandChannelOptions) {
    this.#options = options;
  }

  async request<M extends Command>(
    method: M,
    params: Commands[M]['params'],
    { signal, timeoutMs = this.#options.timeoutMs }: CommandOptions = {},
  ): Promise<Commands[M]['result']> {
    const deadline = new AbortController();
    const timer = this.#options.schedule(() => deadline.abort(new CommandTimeoutError(method, timeoutMs)), timeoutMs);
    const both = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
    try {
      both.throwIfAborted();
      return (await this.#attempt(method, params, both, REPEATABLE.has(method))) as Commands[M]['result'];
    } finally {
      timer.dispose();
    }
  }

  async #attempt(method: Command, params: object, signal: AbortSignal, mayRepeat: boolean): Promise<unknown> {
    // Without a detour when there is a connection, so that commands keep the order in which they were given.
    const peer = this.#options.connection.peer ?? (await this.#whenConnected(method, signal));
    const version = this.#options.connection.protocolVersion;
    if (!isCommandKnownToVersion(method, version)) throw new CapabilityMissingError(`command ${method}`, version);
    try {
      return await peer.request(method, params, { signal, timeoutMs: 0 });
    } catch (error) {
      const current = this.#options.connection.state.value;
      if (error instanceof ConnectionClosedError && current.state === 'closed') throw current.reason;
      if (error instanceof ConnectionClosedError && mayRepeat) return this.#attempt(method, params, signal, false);
      // Of its version, but made before the command was: an older host says so itself.
      if (error instanceof RpcError && error.code === ERROR_CODE.methodNotFound) {
        throw new CapabilityMissingError(`command ${method}`, version);
      }
      throw commandError(method, error);
    }
  }

  async #whenConnected(method: Command, signal: AbortSignal): Promise<RpcPeer> {
    const { connection, maxWaiting } = this.#options;
    if (this.#waiting >= maxWaiting)
      throw new LimitReachedError(`${maxWaiting} commands wait for a connection already`);
    this.#waiting++;
    try {
      for (;;) {
        await firstValue(
          connection.state,
          (current) => {
            if (current.state === 'closed') throw current.reason;
            return connection.peer !== undefined;
          },
          signal,
        );
        // It may be lost again before this line is reached.
        if (connection.peer !== undefined) return connection.peer;
      }
    } catch (error) {
      if (error instanceof CommandTimeoutError) throw new ConnectionLostError(method, false, { cause: error });
      throw error;
    } finally {
      this.#waiting--;
    }
  }
}

function commandError(method: string, error: unknown): unknown {
  if (error instanceof RpcError) {
    return new CommandFailedError(method, error.code, error.message, error.data, { cause: error });
  }
  if (error instanceof ConnectionClosedError) return new ConnectionLostError(method, true, { cause: error });
  if (error instanceof RequestTimeoutError) return new CommandTimeoutError(method, error.timeoutMs, { cause: error });
  return error;
}
