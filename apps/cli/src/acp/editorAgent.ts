import { homedir } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as acp from '@agentclientprotocol/sdk';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { parseSessionUri, type SessionSummary } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import { readVersion } from '../readVersion.js';
import { safeLine } from '../text/safeText.js';
import { chooseAgent, loginMethods, neededLogin } from './editorAgents.js';
import { requestErrorOf } from './editorErrors.js';
import { EditorThread, type EditorTraits } from './editorThread.js';

export interface EditorAgentOptions {
  /** Where the page is. */
  readonly page: URL;
  /** The agent of new threads. */
  readonly provider?: string;
  log(line: string): void;
}

/** More are let go of, the one that was used least recently first: the editor may load it again. */
const MAX_THREADS = 32;
const PAGE = 50;

/** One editor: its threads are sessions of the host. */
export class EditorAgent {
  readonly #host: HostClient;
  readonly #options: EditorAgentOptions;
  readonly #threads = new Map<string, EditorThread>();
  #traits: EditorTraits = { terminalOutput: false, forms: false, notices: false };
  #connection: acp.AgentConnection | undefined;

  constructor(host: HostClient, options: EditorAgentOptions) {
    this.#host = host;
    this.#options = options;
  }

  connect(stream: acp.Stream): acp.AgentConnection {
    const on = <P, R>(handle: (params: P, signal: AbortSignal) => Promise<R>) => {
      return async ({ params, signal }: { readonly params: P; readonly signal: AbortSignal }): Promise<R> => {
        try {
          return await handle(params, signal);
        } catch (error) {
          throw requestErrorOf(error, this.#options.page);
        }
      };
    };
    const app = acp
      .agent({ name: 'agenthost' })
      .onRequest(
        'initialize',
        on(async (params) => this.#initialize(params)),
      )
      .onRequest(
        'authenticate',
        on((params) => this.#authenticate(params)),
      )
      .onRequest(
        'session/new',
        on((params) => this.#new(params)),
      )
      .onRequest(
        'session/load',
        on((params) => this.#load(params)),
      )
      .onRequest(
        'session/resume',
        on((params) => this.#resume(params)),
      )
      .onRequest(
        'session/list',
        on((params) => this.#list(params)),
      )
      .onRequest(
        'session/close',
        on(async ({ sessionId }) => this.#letGo(sessionId)),
      )
      .onRequest(
        'session/prompt',
        on(({ sessionId, prompt }, signal) => this.#thread(sessionId).prompt(prompt, signal)),
      )
      .onRequest(
        'session/set_mode',
        on(({ sessionId, modeId }) => this.#thread(sessionId).setMode(modeId)),
      )
      .onRequest(
        'session/set_config_option',
        on(({ sessionId, configId, value }) => this.#thread(sessionId).setOption(configId, value)),
      )
      .onNotification('session/cancel', ({ params: { sessionId } }) => {
        this.#threads
          .get(sessionId)
          ?.cancel()
          .catch((error) => this.#options.log(errorMessage(error)));
      });
    const connection = app.connect(stream);
    this.#connection = connection;
    return connection;
  }

  /** What was sent to the host has been answered, or the time is over. */
  async drained(ms: number): Promise<void> {
    const sent = Promise.all([...this.#threads.values()].map((thread) => thread.sent()));
    await Promise.race([sent, new Promise((resolve) => setTimeout(resolve, ms).unref())]);
  }

  dispose(): void {
    for (const thread of this.#threads.values()) thread.dispose();
    this.#threads.clear();
  }

  #initialize({ clientCapabilities }: acp.InitializeRequest): acp.InitializeResponse {
    this.#traits = {
      terminalOutput: clientCapabilities?._meta?.['terminal_output'] === true,
      forms: Boolean(clientCapabilities?.elicitation?.form),
      notices: Boolean(clientCapabilities?.session?.notices),
    };
    return {
      protocolVersion: acp.PROTOCOL_VERSION,
      agentInfo: { name: 'agenthost', title: 'agenthost', version: readVersion() },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
      authMethods: loginMethods(this.#host, clientCapabilities?.auth?.terminal === true),
    };
  }

  async #authenticate({ methodId }: acp.AuthenticateRequest): Promise<acp.AuthenticateResponse> {
    const login = await this.#host.logins.check(methodId);
    if (login && login.state !== 'ready' && login.state !== 'unknown') throw neededLogin(methodId);
    return {};
  }

  async #new({ cwd, mcpServers }: acp.NewSessionRequest): Promise<acp.NewSessionResponse> {
    this.#tellOfServers(mcpServers);
    const agent = chooseAgent(this.#host, this.#options.provider);
    const { state } = agent.login ?? {};
    if (state === 'needed' || state === 'expired') throw neededLogin(agent.provider);
    // A thread that is opened and never used must not be in everybody's list.
    const workingDirectory = pathToFileURL(cwd).href;
    const session = await this.#host.createSession({ provider: agent.provider, workingDirectory, provisional: true });
    try {
      await session.ready();
    } catch (error) {
      session.dispose();
      await this.#host.disposeSession(session.uri).catch(() => {});
      throw error;
    }
    const thread = this.#keep(session);
    return { sessionId: session.uri, ...thread.begin() };
  }

  async #load({ sessionId, mcpServers }: acp.LoadSessionRequest): Promise<acp.LoadSessionResponse> {
    this.#tellOfServers(mcpServers);
    const thread = await this.#open(sessionId);
    await thread.replay();
    return thread.begin();
  }

  async #resume({ sessionId, mcpServers = [] }: acp.ResumeSessionRequest): Promise<acp.ResumeSessionResponse> {
    this.#tellOfServers(mcpServers);
    const thread = await this.#open(sessionId);
    thread.skip();
    return thread.begin();
  }

  async #list({ cwd, cursor }: acp.ListSessionsRequest): Promise<acp.ListSessionsResponse> {
    const { provider } = this.#options;
    const { items, nextCursor } = await this.#host.listSessions({
      filter: {
        isArchived: false,
        ...(provider !== undefined && { provider }),
        ...(cwd != null && { workspace: pathToFileURL(cwd).href }),
      },
      limit: PAGE,
      ...(cursor != null && { cursor }),
    });
    return {
      sessions: items.map((summary) => sessionInfo(summary, cwd ?? homedir())),
      ...(nextCursor !== undefined && { nextCursor }),
    };
  }

  async #open(sessionId: string): Promise<EditorThread> {
    if (!parseSessionUri(sessionId)) throw acp.RequestError.sessionNotFound(sessionId);
    this.#letGo(sessionId);
    const session = await this.#host.openSession(sessionId);
    try {
      await session.ready();
      return this.#keep(session);
    } catch (error) {
      session.dispose();
      throw error;
    }
  }

  #keep(session: SessionHandle): EditorThread {
    const connection = this.#connection;
    if (!connection) throw new Error('the connection is not open yet');
    const { page, log } = this.#options;
    this.#letGo(session.uri);
    const { client, signal: gone } = connection;
    const thread = new EditorThread(session, { host: this.#host, client, traits: this.#traits, page, gone, log });
    this.#threads.set(session.uri, thread);
    for (const [id, other] of this.#threads) {
      if (this.#threads.size <= MAX_THREADS) break;
      if (other !== thread && !other.isPrompting) this.#letGo(id);
    }
    return thread;
  }

  #thread(sessionId: string): EditorThread {
    const thread = this.#threads.get(sessionId);
    if (!thread) throw acp.RequestError.sessionNotFound(sessionId);
    // The newest is the last.
    this.#threads.delete(sessionId);
    this.#threads.set(sessionId, thread);
    return thread;
  }

  #letGo(sessionId: string): acp.CloseSessionResponse {
    this.#threads.get(sessionId)?.dispose();
    this.#threads.delete(sessionId);
    return {};
  }

  #tellOfServers(servers: readonly acp.McpServer[]): void {
    if (servers.length === 0) return;
    const names = servers.map(({ name }) => safeLine(name)).join(', ');
    this.#options.log(`The editor's MCP servers are not passed on (${names}): set them up for the agent itself.`);
  }
}

function sessionInfo({ resource, title, workingDirectory, modifiedAt }: SessionSummary, cwd: string): acp.SessionInfo {
  return {
    sessionId: resource,
    cwd: workingDirectory?.startsWith('file:') ? fileURLToPath(workingDirectory) : cwd,
    title: safeLine(title),
    updatedAt: new Date(modifiedAt).toISOString(),
  };
}
