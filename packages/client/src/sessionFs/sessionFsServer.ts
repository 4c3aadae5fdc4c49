import { ERROR_CODE, parseSessionUri, type SessionFsRequests, type URI } from '@agenthost/protocol';
import type { SetProviderResult } from '@agenthost/protocol/internal';
import { RpcError, type RpcPeer } from '@agenthost/rpc';
import { SessionFsRefusedError } from '../errors.js';
import { createSessionFsAdapter, type SessionFsAdapter } from './sessionFsAdapter.js';
import type { SessionFsConfig } from './sessionFsHandler.js';

/** Answers the host's calls for the files of the sessions, which this client keeps. */
export class SessionFsServer {
  readonly #config: SessionFsConfig;
  readonly #adapters = new Map<string, SessionFsAdapter>();
  readonly #onWarning: (warning: string) => void;
  /** Sessions that were offered to the host, by id. Their handlers are made on first use. */
  #offered = new Map<string, URI>();

  /** `onWarning` gets what the host says will not work. */
  constructor(config: SessionFsConfig, onWarning: (warning: string) => void = () => {}) {
    if (config.sessions && !config.createSessionFsHandler) {
      throw new TypeError('sessionFs.sessions needs sessionFs.createSessionFsHandler: the host reads their files');
    }
    this.#config = config;
    this.#onWarning = onWarning;
  }

  /**
   * Before the host is asked for the session, because its first call may come at once. Throws where there is no handler for it:
   * the host would wait for files that no handler has.
   */
  add(session: URI, create = this.#config.createSessionFsHandler): void {
    const sessionId = parseSessionUri(session)?.sessionId;
    if (sessionId === undefined || this.#adapters.has(sessionId)) return;
    if (!create) {
      throw new TypeError(`this client keeps the sessions' files: give createSessionFsHandler for ${session}`);
    }
    this.#adapters.set(sessionId, createSessionFsAdapter(create(session)));
  }

  /** The host has removed the session, and its files with it. */
  remove(session: URI): void {
    const sessionId = parseSessionUri(session)?.sessionId ?? '';
    this.#adapters.delete(sessionId);
    this.#offered.delete(sessionId);
  }

  /** Tells the host, right after the handshake. What it refuses now it refuses for good. */
  async offer(peer: RpcPeer): Promise<void> {
    await this.#serve(peer);
    const { sessions, createSessionFsHandler: _, ...config } = this.#config;
    const uris = typeof sessions === 'function' ? await sessions() : sessions;
    this.#offered = new Map((uris ?? []).map((uri) => [parseSessionUri(uri)?.sessionId ?? '', uri]));
    try {
      const params = { ...config, ...(uris && { sessions: uris }) };
      const { warnings = [] } = (await peer.request('sessionFs.setProvider', params)) as SetProviderResult;
      for (const warning of warnings) this.#onWarning(warning);
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
    const offered = this.#offered.get(sessionId);
    if (offered !== undefined) this.add(offered);
    const adapter = this.#adapters.get(sessionId);
    if (adapter) return adapter;
    throw new RpcError(ERROR_CODE.sessionNotFound, `this client keeps no session ${sessionId}`);
  }
}
