import type { ListNativeSessionsParams, ListNativeSessionsResult, Turn, URI } from '@agenthost/protocol';
import type { CommandChannel, CommandOptions } from './connection/commandChannel.js';

/** Reading the stores of agents for the first time, or a long conversation, takes a while. */
const READ_MS = 60_000;

/**
 * Conversations that agents keep by themselves, begun in a terminal. Only for owners; a host that doesn't look for them has none.
 *
 * @example
 * ```ts
 * const { items } = await host.native.list({ limit: 3 });
 * for (const { id, title, agentName } of items) {
 *   const { turns } = await host.native.fetchTurns(id, { limit: 30 });
 *   console.log(agentName, title, turns.length);
 * }
 * ```
 */
export class NativeClient {
  readonly #commands: CommandChannel;

  /** @internal `HostClient.native` is one. */
  constructor(commands: CommandChannel) {
    this.#commands = commands;
  }

  /** The newest first. */
  list(params: ListNativeSessionsParams = {}, options?: CommandOptions): Promise<ListNativeSessionsResult> {
    return this.#commands.request('listNativeSessions', params, { timeoutMs: READ_MS, ...options });
  }

  /** A page of turns, oldest first: the newest, or those before a turn. */
  fetchTurns(
    id: string,
    range: { readonly limit: number; readonly before?: string },
    options?: CommandOptions,
  ): Promise<{ readonly turns: readonly Turn[]; readonly hasMore: boolean }> {
    return this.#commands.request('fetchNativeTurns', { id, ...range }, { timeoutMs: READ_MS, ...options });
  }

  /**
   * Makes a session of it. Its agent continues the conversation under the native id, or with `asCopy` one of its own. Rejects
   * with `data.code` `nativeSessionBusy` while somebody works with it in a terminal.
   */
  async continue(id: string, session: URI, { asCopy = false } = {}, options?: CommandOptions): Promise<void> {
    const params = { id, session, ...(asCopy && { asCopy: true as const }) };
    await this.#commands.request('continueNativeSession', params, { timeoutMs: READ_MS, ...options });
  }
}
