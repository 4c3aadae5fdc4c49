import { ERROR_CODE, parseSessionUri, type SessionFsRequests, type URI } from '@agenthost/protocol';
import { RPC_ERROR, RpcError, type RpcPeer } from '@agenthost/rpc';
import { SessionFsRefusedError } from './errors.js';
import { createSessionFsAdapter, type SessionFsAdapter } from './sessionFsAdapter.js';
import type { CreateSessionFsHandler, SessionFsConfig } from './sessionFsHandler.js';

const METHODS: Readonly<Record<keyof SessionFsRequests, true>> = {
  'sessionFs.readFile': true,
  'sessionFs.writeFile': true,
  'sessionFs.appendFile': true,
  'sessionFs.exists': true,
  'sessionFs.stat': true,
  'sessionFs.mkdir': true,
  'sessionFs.readdir': true,
  'sessionFs.readdirWithTypes': true,
  'sessionFs.rm': true,
  'sessionFs.rename': true,
};

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

  /** Tells the host, right after the handshake. What it refuses now it refuses for good. */
  async offer(peer: RpcPeer): Promise<void> {
    try {
      await peer.request('sessionFs.setProvider', this.#config);
    } catch (error) {
      if (error instanceof RpcError) throw new SessionFsRefusedError(error.message, { cause: error });
      throw error;
    }
  }

  serve(peer: RpcPeer): void {
    for (const method of Object.keys(METHODS) as (keyof SessionFsRequests)[]) this.#serveMethod(peer, method);
  }

  #serveMethod<M extends keyof SessionFsRequests>(peer: RpcPeer, method: M): void {
    type Params = SessionFsRequests[M]['params'];
    peer.onRequest(method, {
      parse: (params) => params,
      handle: async (raw) => {
        const { SESSION_FS_SCHEMAS } = await import('./sessionFsSchemas.js');
        const { success, data, error } = SESSION_FS_SCHEMAS[method].params.safeParse(raw);
        if (!success) throw new RpcError(RPC_ERROR.invalidParams, error.message);
        const params = data as Params;
        return this.#adapterOf(params.sessionId)[method](params);
      },
    });
  }

  /** One session's files are never another's. */
  #adapterOf(sessionId: string): SessionFsAdapter {
    const adapter = this.#adapters.get(sessionId);
    if (adapter) return adapter;
    throw new RpcError(ERROR_CODE.sessionNotFound, `this client keeps no session ${sessionId}`);
  }
}
