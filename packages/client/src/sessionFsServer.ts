import { ERROR_CODE, parseSessionUri, type SessionFsRequests, type URI } from '@agenthost/protocol';
import { RpcError, type RpcPeer } from '@agenthost/rpc';
import { SessionFsRefusedError } from './errors.js';
import { createSessionFsAdapter, type SessionFsAdapter } from './sessionFsAdapter.js';
import type { CreateSessionFsHandler, SessionFsConfig } from './sessionFsHandler.js';

/** Answers the host's calls for the files of the sessions, which this client keeps. */
export class SessionFsServer {
  readonly #config: SessionFsConfig;
  readonly #adapters = new Map<string, SessionFsAdapter>();

  constructor(config: SessionFsConfig) {
    this.#config = config;
  }

  /**
   * Before the host is asked for the session, because its first call may come at once. Throws where there is no handler for it:
   * the host would wait for files that nobody has.
   */
  add(session: URI, create: CreateSessionFsHandler | undefined): void {
    const sessionId = parseSessionUri(session)?.sessionId;
    if (sessionId === undefined || this.#adapters.has(sessionId)) return;
    if (!create) {
      throw new TypeError(`this client keeps the sessions' files: give createSessionFsHandler for ${session}`);
    }
    this.#adapters.set(sessionId, createSessionFsAdapter(create(session)));
  }

  /** The host has removed the session, and its files with it. */
  remove(session: URI): void {
    this.#adapters.delete(parseSessionUri(session)?.sessionId ?? '');
  }

  /** Tells the host, right after the handshake. What it refuses now it refuses for good. */
  async offer(peer: RpcPeer): Promise<void> {
    await this.#serve(peer);
    try {
      await peer.request('sessionFs.setProvider', this.#config);
    } catch (error) {
      if (error instanceof RpcError) throw new SessionFsRefusedError(error.message, { cause: error });
      throw error;
    }
  }

  /** The schemas are most of what a client would have to load, and no other client needs them. */
  async #serve(peer: RpcPeer): Promise<void> {
    const { SESSION_FS_SCHEMAS } = await import('@agenthost/protocol/schemas');
    const serveMethod = <M extends keyof SessionFsRequests>(method: M) =>
      peer.onRequest(method, {
        parse: (params) => SESSION_FS_SCHEMAS[method].params.parse(params) as SessionFsRequests[M]['params'],
        handle: (params: SessionFsRequests[M]['params']) => this.#adapterOf(params.sessionId)[method](params),
      });
    for (const method of Object.keys(SESSION_FS_SCHEMAS) as (keyof SessionFsRequests)[]) serveMethod(method);
  }

  /** One session's files are never another's. */
  #adapterOf(sessionId: string): SessionFsAdapter {
    const adapter = this.#adapters.get(sessionId);
    if (adapter) return adapter;
    throw new RpcError(ERROR_CODE.sessionNotFound, `this client keeps no session ${sessionId}`);
  }
}
