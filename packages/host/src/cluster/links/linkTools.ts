import { type CallClientToolParams, type ClientTool, ERROR_CODE, type URI } from '@agenthost/protocol';
import { errorMessage, roleForMethod, roleRefusal } from '@agenthost/protocol/internal';
import { COMMAND_SCHEMAS } from '@agenthost/protocol/schemas';
import { ConnectionClosedError, RpcError, type RpcPeer } from '@agenthost/rpc';
import { describeIssues, FIRST_ISSUE } from '../../describeIssues.js';
import type { OpenSession } from '../../sessions/sessions.js';
import type { LinkClient } from './linkMessages.js';

export type ToolClient = Parameters<OpenSession['tools']['set']>[0];

/** `link.tools`: a client of the asking host offers tools. A host of an earlier version does not know it. */
export interface LinkToolsParams {
  readonly uri: URI;
  readonly client: string;
  readonly as: LinkClient;
  readonly tools: readonly ClientTool[];
}

/** `link.toolsLeft`: it does no longer; it may come back if its connection was lost. */
export interface LinkToolsLeftParams {
  readonly uri: URI;
  readonly client: string;
  readonly isLost: boolean;
}

/** `link.callTool`, from the owner to the host of the client. */
export interface LinkCallParams {
  readonly uri: URI;
  readonly client: string;
  readonly params: CallClientToolParams;
}

export type LinkCallResult =
  | { readonly result: unknown }
  | { readonly failed: string }
  /** Its connection ended before it answered. */
  | { readonly isGone: true };

interface OwnedSession {
  readonly tools: {
    set(client: ToolClient, tools: readonly ClientTool[]): void;
    left(subscriber: object, isLost: boolean): void;
  };
}

const OLDER =
  'the host that has this session is of an earlier version, which takes no tools from clients of other hosts';

/** At the owner: the tools of clients of one other host. */
export class LinkTools {
  readonly #peer: RpcPeer;
  readonly #sessionOf: (uri: URI) => OwnedSession | undefined;
  /** Stands for a client's subscription, by session and client. */
  readonly #clients = new Map<string, { readonly uri: URI }>();

  constructor(peer: RpcPeer, sessionOf: (uri: URI) => OwnedSession | undefined) {
    this.#peer = peer;
    this.#sessionOf = sessionOf;
    peer.onRequest('link.tools', {
      parse: (params) => params as LinkToolsParams,
      handle: (params) => this.#set(params),
    });
    peer.onNotification('link.toolsLeft', {
      parse: (params) => params as LinkToolsLeftParams,
      handle: (params) => this.#left(params),
    });
  }

  /** The link is cut, or follows that session no more. */
  ended(uri?: URI): void {
    for (const [key, one] of this.#clients) {
      if (uri !== undefined && one.uri !== uri) continue;
      this.#clients.delete(key);
      this.#sessionOf(one.uri)?.tools.left(one, true);
    }
  }

  #set({ uri, client, as, tools }: LinkToolsParams): null {
    const refusal = roleRefusal(as.role, roleForMethod('setClientTools'));
    if (refusal !== undefined) throw new RpcError(ERROR_CODE.permissionDenied, refusal);
    const { data, error } = COMMAND_SCHEMAS.setClientTools.params.safeParse({ session: uri, tools }, FIRST_ISSUE);
    if (error) throw new RpcError(ERROR_CODE.invalidParams, describeIssues(error.issues, 'params'));
    const session = this.#sessionOf(uri);
    if (!session) throw new RpcError(ERROR_CODE.sessionNotFound, `${uri} is not followed`);
    const key = `${uri} ${client}`;
    const subscriber = this.#clients.get(key) ?? { uri };
    session.tools.set(
      { author: as.author, key: client, subscriber, call: (params, signal) => this.#call(uri, client, params, signal) },
      data.tools,
    );
    this.#clients.set(key, subscriber);
    return null;
  }

  #left({ uri, client, isLost }: LinkToolsLeftParams): void {
    const key = `${uri} ${client}`;
    const subscriber = this.#clients.get(key);
    if (!subscriber) return;
    this.#clients.delete(key);
    this.#sessionOf(uri)?.tools.left(subscriber, isLost);
  }

  async #call(uri: URI, client: string, params: CallClientToolParams, signal: AbortSignal): Promise<unknown> {
    const asked: LinkCallParams = { uri, client, params };
    const answer = (await this.#peer.request('link.callTool', asked, { signal, timeoutMs: 0 })) as LinkCallResult;
    if ('result' in answer) return answer.result;
    if ('failed' in answer) throw new Error(answer.failed);
    throw new ConnectionClosedError({ message: 'the client is gone' });
  }
}

/** At a host that mirrors a session: the tools of its own clients there. */
export class FollowedTools {
  readonly #ask: (params: Omit<LinkToolsParams, 'uri'>) => Promise<unknown>;
  readonly #tell: (params: Omit<LinkToolsLeftParams, 'uri'>) => void;
  readonly #clients = new Map<string, ToolClient>();

  constructor(
    ask: (params: Omit<LinkToolsParams, 'uri'>) => Promise<unknown>,
    tell: (params: Omit<LinkToolsLeftParams, 'uri'>) => void,
  ) {
    this.#ask = ask;
    this.#tell = tell;
  }

  get isEmpty(): boolean {
    return this.#clients.size === 0;
  }

  async set(client: ToolClient, tools: readonly ClientTool[], as: LinkClient): Promise<void> {
    const before = this.#clients.get(client.key);
    // Its first call may come before the answer.
    this.#clients.set(client.key, client);
    try {
      await this.#ask({ client: client.key, as, tools });
      if (tools.length === 0) this.#clients.delete(client.key);
    } catch (error) {
      if (!before) this.#clients.delete(client.key);
      if (error instanceof RpcError && error.code === ERROR_CODE.methodNotFound) {
        throw new RpcError(ERROR_CODE.permissionDenied, OLDER);
      }
      if (error instanceof RpcError) throw error;
      throw new RpcError(ERROR_CODE.tooManyRequests, 'the host of this session could not be reached: try again');
    }
  }

  left(subscriber: object, isLost: boolean): void {
    for (const [client, one] of this.#clients) {
      if (one.subscriber !== subscriber) continue;
      this.#clients.delete(client);
      this.#tell({ client, isLost });
    }
  }

  async call({ client, params }: Omit<LinkCallParams, 'uri'>, signal: AbortSignal): Promise<LinkCallResult> {
    const called = this.#clients.get(client);
    if (!called) return { isGone: true };
    try {
      return { result: await called.call(params, signal) };
    } catch (error) {
      return error instanceof ConnectionClosedError ? { isGone: true } : { failed: errorMessage(error) };
    }
  }
}
