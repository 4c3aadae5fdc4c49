import { setTimeout as delay } from 'node:timers/promises';
import * as acp from '@agentclientprotocol/sdk';
import type * as z from 'zod';
import { FIRST_ISSUE } from '../../describeIssues.js';
import { HOST_VERSION } from '../../version.js';
import type { AcpAgentSpec } from './acpAgentSpec.js';
import { AcpFailure, acpFailure } from './acpFailure.js';
import { AcpProcess, type Program } from './acpProcess.js';
import type { Terminals } from './terminals.js';
import { type MessageLimits, MessageStream } from './turn/messageStream.js';
import {
  type ElicitationFields,
  elicitation,
  type Initialized,
  initialized,
  type PermissionRequestFields,
  permissionRequest,
} from './updateSchemas.js';

export interface AcpWireOptions {
  readonly spec: AcpAgentSpec;
  readonly program: Program;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stateDir: string;
  readonly limits: MessageLimits;
  /** How long starting the agent and opening a session may take. */
  readonly startTimeoutMs: number;
  readonly signal: AbortSignal;
  readonly terminals: Terminals;
  onUpdate(params: unknown): void;
  onPermission(request: PermissionRequestFields): Promise<acp.RequestPermissionResponse>;
  /** `withdrawn` aborts when the agent no longer waits for the answer. */
  onForm(request: ElicitationFields, withdrawn: AbortSignal): Promise<acp.CreateElicitationResponse>;
}

/** How long the agent must be silent after a load, and how long the host waits for that. */
const QUIET_MS = 250;
const HISTORY_MS = 10_000;

/** The client file system is not offered: agents work on the files themselves, and the host has no unsaved buffers. */
const CLIENT: acp.InitializeRequest = {
  protocolVersion: acp.PROTOCOL_VERSION,
  clientInfo: { name: 'agenthost', version: HOST_VERSION },
  clientCapabilities: {
    terminal: true,
    auth: { terminal: true },
    session: { notices: {}, compaction: {} },
    elicitation: { form: {} },
    _meta: { terminal_output: true },
  },
};

/** The agent's process with the messages to and from it. */
export class AcpWire {
  readonly stream: MessageStream;
  readonly failed: Promise<AcpFailure>;
  hasFailed = false;
  readonly #options: AcpWireOptions;
  readonly #process: AcpProcess;
  readonly #connection: acp.ClientConnection;
  #lastUpdate = 0;
  #settle: (failure: AcpFailure) => void = () => {};

  static async start(options: AcpWireOptions): Promise<AcpWire> {
    const { spec, program, cwd, env, stateDir } = options;
    options.signal.throwIfAborted();
    return new AcpWire(await AcpProcess.start({ displayName: spec.displayName, program, cwd, env, stateDir }), options);
  }

  private constructor(process: AcpProcess, options: AcpWireOptions) {
    this.#options = options;
    this.#process = process;
    this.failed = new Promise((resolve) => {
      this.#settle = (failure) => {
        this.hasFailed = true;
        resolve(failure);
      };
    });
    void process.ended.then((failure) => this.#settle(failure));
    this.stream = new MessageStream({
      process,
      limits: options.limits,
      onUpdate: (params) => {
        this.#lastUpdate = performance.now();
        options.onUpdate(params);
      },
      onBroken: (errorType, what) => this.fail(errorType, `${options.spec.displayName} ${what}. It was ended.`),
    });
    const app = acp
      .client({ name: 'agenthost' })
      .onRequest(acp.methods.client.session.requestPermission, parsed(permissionRequest), ({ params }) =>
        options.onPermission(params),
      )
      .onRequest(acp.methods.client.elicitation.create, parsed(elicitation), ({ params, signal }) =>
        options.onForm(params, signal),
      )
      .onNotification('*', () => {});
    this.#connection = options.terminals.serve(app).connect(this.stream.stream);
  }

  async initialize(): Promise<Initialized> {
    const { spec } = this.#options;
    const answer = initialized.safeParse(
      await this.request('initialize', CLIENT, `${spec.displayName} did not answer`, this.#options.startTimeoutMs),
    );
    if (!answer.success || answer.data.protocolVersion !== acp.PROTOCOL_VERSION) {
      const theirs = answer.data?.protocolVersion ?? 'none that it could name';
      const message = `${spec.displayName} speaks version ${theirs} of the protocol, this host ${acp.PROTOCOL_VERSION}. Install the version that agenthost agents add brings.`;
      throw this.#process.failure('wrongVersion', message);
    }
    if (spec.authMethod !== undefined) await this.request('authenticate', { methodId: spec.authMethod });
    return answer.data;
  }

  /** Rejects with an AcpFailure when the agent ends or does not answer in time. */
  async request(method: string, params: object, late?: string, timeoutMs?: number): Promise<unknown> {
    const { spec } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const failed = this.failed.then((failure) => {
      throw failure;
    });
    failed.catch(() => {});
    if (timeoutMs !== undefined) {
      timer = setTimeout(() => {
        this.fail('agentSilent', `${late} within ${Math.round(timeoutMs / 1_000)} s. It was ended.`);
      }, timeoutMs);
    }
    // The reason of the process's end says more than the closed stream.
    const answered = this.#connection.agent.request<unknown, object>(method, params).catch(async (error: unknown) => {
      if (error instanceof acp.RequestError) throw acpFailure(error, spec);
      throw await this.failed;
    });
    try {
      return await Promise.race([answered, failed]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Some agents send the rest of a loaded conversation after they answered that it is loaded. */
  async updatesEnd(): Promise<void> {
    const deadline = performance.now() + HISTORY_MS;
    this.#lastUpdate = performance.now();
    while (!this.hasFailed && performance.now() < deadline) {
      const quietFor = performance.now() - this.#lastUpdate;
      if (quietFor >= QUIET_MS) return;
      await delay(QUIET_MS - quietFor);
    }
  }

  async notify(method: string, params: object): Promise<void> {
    await this.#connection.agent.notify(method, params).catch(() => undefined);
  }

  fail(errorType: string, message: string): void {
    if (this.hasFailed) return;
    this.#settle(this.#process.failure(errorType, message));
    void this.dispose();
  }

  async dispose(): Promise<void> {
    this.#settle(new AcpFailure('agentEnded', `${this.#options.spec.displayName} was closed.`));
    this.#connection.close();
    this.stream.close();
    await Promise.all([this.#process.stop(), this.#options.terminals.dispose()]);
  }
}

function parsed<T extends z.ZodType>(schema: T): (params: unknown) => z.output<T> {
  return (params) => {
    const result = schema.safeParse(params, FIRST_ISSUE);
    if (!result.success) throw acp.RequestError.invalidParams(undefined, result.error.issues[0]?.message);
    return result.data;
  };
}
