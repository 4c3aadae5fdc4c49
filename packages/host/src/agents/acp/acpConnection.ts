import { setImmediate as immediate } from 'node:timers/promises';
import type * as acp from '@agentclientprotocol/sdk';
import { LOGIN_REQUIRED } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import type * as z from 'zod';
import type { AgentCustomization } from '../agentCustomization.js';
import type { ClientTools, ToolServer } from '../clientTools.js';
import { mcpServersOf, toolServer } from './acpCustomizations.js';
import { AcpFailure, acpFailure } from './acpFailure.js';
import { AcpWire, type AcpWireOptions } from './acpWire.js';
import { type ChoiceRequest, SessionChoices } from './sessionChoices.js';
import { STEERING } from './turn/messageStream.js';
import {
  type Initialized,
  type OpenedSession,
  openedSession,
  type PromptCapabilities,
  promptResponse,
  steered,
} from './updateSchemas.js';

export interface AcpConnectionOptions extends AcpWireOptions {
  readonly resume?: string;
  readonly customizations: readonly AgentCustomization[];
  readonly clientTools: ClientTools | undefined;
  onInitialized?(info: Initialized): void;
}

/** Who forks a session waits for it; without it, the copy gets the turns as text. */
const FORK_MS = 5_000;

export type PromptOutcome = z.output<typeof promptResponse>;

/** One process of an agent with one session in it. */
export class AcpConnection {
  readonly sessionId: string;
  readonly choices: SessionChoices;
  readonly promptCapabilities: PromptCapabilities;
  /** Why the earlier session could not be resumed, if that was requested. */
  readonly notResumed: string | undefined;
  /** Whether the agent has resumed a session. */
  readonly remembers: boolean;
  /** What the agent was not given, as sentences. */
  readonly leftOut: readonly string[];
  readonly #wire: AcpWire;
  readonly #tools: ToolServer | undefined;
  /** Absent when the agent can't fork. */
  readonly #forkParams: object | undefined;
  readonly #canClose: boolean;
  readonly #canSteer: boolean;

  /** Rejects with an AcpFailure; no process of the agent is left then. */
  static async open(options: AcpConnectionOptions): Promise<AcpConnection> {
    await tidy(options);
    const wire = await AcpWire.start(options);
    const stop = () => void wire.dispose();
    options.signal.addEventListener('abort', stop, { once: true });
    const { clientTools } = options;
    let tools: ToolServer | undefined;
    try {
      const info = await wire.initialize();
      options.onInitialized?.(info);
      const { servers, leftOut } = mcpServersOf(
        options.customizations,
        info.agentCapabilities?.mcpCapabilities,
        options.spec,
      );
      if (clientTools && info.agentCapabilities?.mcpCapabilities?.http) {
        tools = await clientTools.serve();
        servers.push(toolServer(tools));
      }
      const session = await openSession(wire, info, options, servers);
      await tidy(options);
      options.signal.throwIfAborted();
      const notTold = clientTools && !tools ? [TOOLS_LEFT_OUT] : [];
      return new AcpConnection(wire, info, session, {
        servers,
        leftOut: [...leftOut, ...notTold],
        cwd: options.cwd,
        tools,
      });
    } catch (error) {
      tools?.dispose();
      await wire.dispose();
      throw options.signal.aborted ? options.signal.reason : acpFailure(error, options.spec);
    } finally {
      options.signal.removeEventListener('abort', stop);
    }
  }

  private constructor(
    wire: AcpWire,
    info: Initialized,
    { opened, sessionId, remembers, notResumed }: OpenedAs,
    { servers, leftOut, cwd, tools }: Given,
  ) {
    this.#wire = wire;
    this.#tools = tools;
    const { fork, close } = info.agentCapabilities?.sessionCapabilities ?? {};
    this.#forkParams = fork ? { sessionId, cwd, mcpServers: servers } : undefined;
    this.#canClose = Boolean(close);
    this.#canSteer = info._meta?.steering?.supported === true;
    this.sessionId = sessionId;
    this.promptCapabilities = info.agentCapabilities?.promptCapabilities;
    this.choices = new SessionChoices(opened);
    this.remembers = remembers;
    this.notResumed = notResumed;
    this.leftOut = leftOut;
  }

  /** Settles when the agent has ended. */
  get failed(): Promise<AcpFailure> {
    return this.#wire.failed;
  }

  /** Starts counting for a new turn. */
  beginTurn(): void {
    this.#wire.stream.beginTurn();
  }

  get hasFailed(): boolean {
    return this.#wire.hasFailed;
  }

  async prompt(prompt: acp.ContentBlock[]): Promise<PromptOutcome> {
    this.beginTurn();
    const answer = await this.#wire.request('session/prompt', { sessionId: this.sessionId, prompt });
    // Updates that came just before the answer are processed after one turn of the event loop.
    await immediate();
    const parsed = promptResponse.safeParse(answer);
    return parsed.success ? parsed.data : { stopReason: 'end_turn', usage: undefined };
  }

  /**
   * Puts a message into the running turn. Rejects unless the agent says that it is there: it then belongs to the next turn, which
   * is ours to begin (`promptRequired`).
   */
  async steer(prompt: acp.ContentBlock[]): Promise<void> {
    if (!this.#canSteer) throw new Error('the agent takes no messages while a turn runs');
    const _meta = { steering: { idleBehavior: 'promptRequired' } };
    const answer = await this.#wire.request(STEERING, { sessionId: this.sessionId, prompt, _meta });
    const outcome = steered.safeParse(answer).data?.outcome;
    if (outcome !== 'injected') throw new Error(`the agent did not take the message (${outcome ?? 'no outcome'})`);
  }

  pause(): void {
    this.#wire.stream.pause();
  }

  resume(): void {
    this.#wire.stream.resume();
  }

  async cancel(): Promise<void> {
    await this.#wire.notify('session/cancel', { sessionId: this.sessionId });
  }

  readonly choose = async ({ method, params }: ChoiceRequest): Promise<void> => {
    const answer = await this.#wire.request(method, { sessionId: this.sessionId, ...params });
    if (typeof answer === 'object' && answer !== null && 'configOptions' in answer) {
      this.choices.update(answer.configOptions);
    }
  };

  /** The id of a copy of the session, if the agent can make one. Another process opens it. */
  async fork(withinMs: number = FORK_MS): Promise<string | undefined> {
    if (!this.#forkParams || this.hasFailed) return undefined;
    const ask = (method: string, params: object) =>
      this.#wire.request(method, params, `the agent did not answer ${method}`, withinMs);
    const { sessionId } = openedSession.parse((await ask('session/fork', this.#forkParams)) ?? {});
    if (sessionId === undefined || sessionId === this.sessionId) return undefined;
    // The other process must have it alone.
    if (this.#canClose) await ask('session/close', { sessionId });
    return sessionId;
  }

  /** Stops using the agent: pending requests fail with this error. */
  fail(errorType: string, message: string): void {
    this.#wire.fail(errorType, message);
  }

  dispose(): Promise<void> {
    this.#tools?.dispose();
    return this.#wire.dispose();
  }
}

const TOOLS_LEFT_OUT = 'This agent does not take MCP servers over http: the tools of clients were left out.';

/** What the agent was given, and what it was not. */
interface Given {
  readonly servers: readonly acp.McpServer[];
  readonly leftOut: readonly string[];
  readonly cwd: string;
  readonly tools: ToolServer | undefined;
}

interface OpenedAs {
  readonly opened: OpenedSession;
  readonly sessionId: string;
  readonly remembers: boolean;
  readonly notResumed: string | undefined;
}

async function openSession(
  wire: AcpWire,
  { agentCapabilities, authMethods = [] }: Initialized,
  { spec, cwd, resume, startTimeoutMs }: AcpConnectionOptions,
  mcpServers: readonly acp.McpServer[],
): Promise<OpenedAs> {
  const late = `${spec.displayName} did not open a session`;
  const ask = async (method: string, params: object) =>
    openedSession.parse((await wire.request(method, { cwd, mcpServers, ...params }, late, startTimeoutMs)) ?? {});
  let notResumed: string | undefined;
  if (resume !== undefined) {
    const method = resumeMethod(agentCapabilities);
    try {
      if (method === undefined) throw new Error('it can not resume earlier sessions');
      const opened = await ask(method, { sessionId: resume });
      if (method === 'session/load') await wire.updatesEnd();
      return { opened, sessionId: resume, remembers: true, notResumed };
    } catch (error) {
      if (wire.hasFailed || (error instanceof AcpFailure && error.errorType === LOGIN_REQUIRED)) throw error;
      notResumed = errorMessage(error);
    }
  }
  try {
    const opened = await ask('session/new', {});
    if (opened.sessionId === undefined) throw new AcpFailure('agentError', `${spec.displayName} gave no session id.`);
    return { opened, sessionId: opened.sessionId, remembers: false, notResumed };
  } catch (error) {
    if (!(error instanceof AcpFailure) || error.errorType !== LOGIN_REQUIRED) throw error;
    const ways = authMethods.map(({ name, description }) => (description ? `${name} (${description})` : name));
    const offered = ways.length > 0 ? ` It offers: ${ways.join('; ')}.` : '';
    throw new AcpFailure(LOGIN_REQUIRED, `${error.message}${offered}`, { cause: error });
  }
}

/** The session works without it, so that its failure is not one of the session. */
async function tidy({ spec, env, resume }: AcpConnectionOptions): Promise<void> {
  if (resume !== undefined) await spec.tidy?.(env, resume).catch(() => {});
}

/** `resume` sends no history. `load` sends all of it again, which the host already has. */
function resumeMethod(capabilities: Initialized['agentCapabilities']): string | undefined {
  if (capabilities?.sessionCapabilities?.resume) return 'session/resume';
  return capabilities?.loadSession ? 'session/load' : undefined;
}
