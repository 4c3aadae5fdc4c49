import { join } from 'node:path';
import type { AvailableAgent, ModelInfo, UnavailableAgent } from '@agenthost/protocol';
import type { Agent, AgentDescriptor, AgentSession, DeleteConversationOptions, OpenSessionOptions } from '../agent.js';
import type { CustomizationSupport } from '../agentCustomization.js';
import { AGENTS_FOLDER } from '../install/agentInstall.js';
import type { AgentPackage } from '../install/agentPackage.js';
import { readKey } from '../login/keyFile.js';
import type { AcpAgentSpec } from './acpAgentSpec.js';
import { AcpLogin, passedOn } from './acpLogin.js';
import type { AcpSession } from './acpSession.js';
import { ModelMemory } from './modelMemory.js';
import { type FoundProgram, findAgentProgram, findNamedProgram } from './program.js';
import { ChangeTally } from './turn/changeTally.js';
import { MESSAGE_LIMITS, type MessageLimits } from './turn/messageStream.js';

export interface AcpAgentOptions {
  readonly spec: AcpAgentSpec;
  /** The host's state root: agents are installed there, and their processes are marked with it. */
  readonly stateDir: string;
  /** The host's own environment. It is used to find programs and for the variables that the spec passes on. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** Called when a session offered other models than the known ones. */
  readonly onModelsChanged?: () => void;
  readonly limits?: Partial<MessageLimits>;
  readonly startTimeoutMs?: number;
  readonly silenceMs?: number;
  readonly toolSilenceMs?: number;
  readonly ownTurnQuietMs?: number;
  readonly cancelMs?: number;
}

const MINUTE = 60_000;
/** Less than the five seconds after which the host would end the whole session. */
const CANCEL_MS = 3_000;
const OWN_TURN_QUIET_MS = 3_000;

/** Any agent that speaks the Agent Client Protocol over its standard input and output. */
export class AcpAgent implements Agent {
  readonly #options: AcpAgentOptions;
  readonly #sessions = new Set<AcpSession>();
  readonly #attempts = new Set<Promise<void>>();
  readonly #disposal = new AbortController();
  readonly #models: ModelMemory;
  readonly login: AcpLogin;
  #spec: AcpAgentSpec;

  constructor(options: AcpAgentOptions) {
    this.#options = options;
    this.#spec = options.spec;
    this.login = new AcpLogin({
      ...options,
      spec: () => this.#spec,
      findAgent: () => this.findProgram(),
      tryToOpen: (folder, signal) => {
        const attempt = this.#tryToOpen(folder, signal).finally(() => this.#attempts.delete(attempt));
        this.#attempts.add(attempt);
        return attempt;
      },
    });
    this.#models = new ModelMemory(join(this.#agentsFolder, `${options.spec.provider}.models.json`));
  }

  get descriptor(): AgentDescriptor {
    const { provider, displayName, description, icon } = this.#spec;
    return { provider, displayName, description, ...(icon && { icon }) };
  }

  /** Agents of this protocol read their own settings in the folder that they are started in, and this can't be turned off. */
  get customizations(): CustomizationSupport {
    const { reads = [] } = this.#spec;
    return {
      takes: ['instructions', 'mcpServer'],
      obeysWorkspace: true,
      readsByItself: (_, path) => reads.some((own) => path === own || (own.endsWith('/') && path.startsWith(own))),
    };
  }

  get npmPackage(): AgentPackage | undefined {
    return this.#spec.npm;
  }

  /** Replaces the spec when the user changed it. Sessions that are opened later use the new one. */
  update(spec: AcpAgentSpec): void {
    this.#spec = spec;
  }

  async availability(): Promise<AvailableAgent | UnavailableAgent> {
    const found = await this.findProgram();
    if (found) return { state: 'available', ...(found.version !== undefined && { version: found.version }) };
    const { command, npm, provider } = this.#spec;
    const reason = `The program ${command} was not found.`;
    if (!npm) return { state: 'unavailable', reason, howToFix: `Install it, or correct "command" in agents.json.` };
    return {
      state: 'unavailable',
      reason: `It is not installed, and ${command} is not on PATH.`,
      howToFix: `Run \`agenthost agents add ${provider}\`.`,
      installable: npm.sizeHint === undefined ? {} : { sizeHint: npm.sizeHint },
    };
  }

  /** The program that the agent would be started from. */
  findProgram(): Promise<FoundProgram | undefined> {
    return findAgentProgram(this.#spec, this.#options);
  }

  async listModels(): Promise<readonly ModelInfo[]> {
    const { provider, models } = this.#spec;
    const remembered = await this.#models.list(provider);
    return remembered.length > 0 ? remembered : models.map((model) => ({ ...model, provider }));
  }

  async openSession(options: OpenSessionOptions): Promise<AgentSession> {
    const { spec, keyEnv } = await this.#withKey(this.#spec);
    const signal = AbortSignal.any([options.signal, this.#disposal.signal]);
    signal.throwIfAborted();
    const program = await this.findProgram();
    if (!program) {
      const availability = await this.availability();
      const { reason, howToFix } = availability as UnavailableAgent;
      throw new Error(`${spec.displayName} can't be started. ${reason} ${howToFix}`);
    }
    const { mode: wanted } = options.config;
    // Loaded lazily: the protocol's library takes a fifth of the host's memory, and most hosts never use it.
    const { AcpSession: Sessions } = await import('./acpSession.js');
    const session: AcpSession = await Sessions.open(
      {
        spec,
        program,
        cwd: options.cwd,
        env: { ...options.env, ...passedOn(spec, this.#options.hostEnv), ...spec.env, ...keyEnv },
        stateDir: this.#options.stateDir,
        limits: { ...MESSAGE_LIMITS, ...this.#options.limits },
        startTimeoutMs: this.#options.startTimeoutMs ?? MINUTE,
        silenceMs: this.#options.silenceMs ?? 15 * MINUTE,
        toolSilenceMs: this.#options.toolSilenceMs ?? 60 * MINUTE,
        ownTurnQuietMs: this.#options.ownTurnQuietMs ?? OWN_TURN_QUIET_MS,
        cancelMs: this.#options.cancelMs ?? CANCEL_MS,
        resume: options.resume,
        transcript: options.transcript,
        customizations: options.customizations,
        clientTools: options.clientTools,
        model: options.model,
        mode: typeof wanted === 'string' ? wanted : spec.mode,
        lastMode: options.mode,
        settings: options.settings ?? {},
        changes: await ChangeTally.open(options.sessionFs, options.resume !== undefined),
        onOpened: ({ choices }) => this.#learnModels(choices.models(spec.provider)),
        onInitialized: ({ authMethods }) => this.login.offers(authMethods),
        onDispose: () => this.#sessions.delete(session),
      },
      signal,
    );
    if (signal.aborted) {
      await session.dispose();
      signal.throwIfAborted();
    }
    this.#sessions.add(session);
    return session;
  }

  async deleteConversation({ nativeSessionId, cwd, env, signal }: DeleteConversationOptions): Promise<void> {
    const { spec, keyEnv } = await this.#withKey(this.#spec);
    const { stateDir, hostEnv, startTimeoutMs = MINUTE, limits } = this.#options;
    const program = await this.findProgram();
    if (!program) throw new Error(`${spec.displayName} can't be started: the program ${spec.command} was not found.`);
    const [name, ...args] = spec.deleteProgram ?? [];
    const deleteProgram = name === undefined ? undefined : await findNamedProgram(name, args, spec, this.#options);
    if (name !== undefined && !deleteProgram) throw new Error(`The program ${name} was not found.`);
    const { deleteConversation } = await import('./deleteConversation.js');
    await deleteConversation({
      spec,
      program,
      deleteProgram,
      nativeSessionId,
      cwd,
      env: { ...env, ...passedOn(spec, hostEnv), ...spec.env, ...keyEnv },
      stateDir,
      limits: { ...MESSAGE_LIMITS, ...limits },
      timeoutMs: startTimeoutMs,
      signal: AbortSignal.any([signal, this.#disposal.signal]),
    });
  }

  async dispose(): Promise<void> {
    this.#disposal.abort(new Error(`${this.#spec.displayName} was closed`));
    await Promise.all([...this.#sessions].map((session) => session.dispose()));
    await Promise.allSettled(this.#attempts);
  }

  get #agentsFolder(): string {
    return join(this.#options.stateDir, AGENTS_FOLDER);
  }

  /** With a key that the host keeps, the agent is told to use it. */
  async #withKey(
    spec: AcpAgentSpec,
  ): Promise<{ readonly spec: AcpAgentSpec; readonly keyEnv: Record<string, string> }> {
    const key = spec.key && (await readKey(this.#options.stateDir, spec.provider));
    if (!spec.key || key === undefined) return { spec, keyEnv: {} };
    const { variable, authMethod = spec.authMethod } = spec.key;
    return { spec: { ...spec, ...(authMethod !== undefined && { authMethod }) }, keyEnv: { [variable]: key } };
  }

  async #tryToOpen(folder: string, signal: AbortSignal): Promise<void> {
    const both = AbortSignal.any([signal, this.#disposal.signal]);
    const program = await this.findProgram();
    if (!program) throw new Error(`${this.#spec.displayName} is not installed`);
    const { spec, keyEnv } = await this.#withKey(this.#spec);
    const env = { ...this.login.environment(), ...keyEnv };
    const { AcpConnection } = await import('./acpConnection.js');
    const { Terminals } = await import('./terminals.js');
    const { stateDir, startTimeoutMs = MINUTE, limits } = this.#options;
    const connection = await AcpConnection.open({
      spec,
      program,
      cwd: folder,
      env,
      stateDir,
      limits: { ...MESSAGE_LIMITS, ...limits },
      startTimeoutMs,
      signal: both,
      terminals: new Terminals({ cwd: folder, env, stateDir }),
      customizations: [],
      clientTools: undefined,
      onUpdate: () => {},
      onPermission: async () => ({ outcome: { outcome: 'cancelled' } }),
      onForm: async () => ({ action: 'cancel' }),
      onInitialized: ({ authMethods }) => this.login.offers(authMethods),
    });
    this.#learnModels(connection.choices.models(spec.provider));
    await connection.dispose();
  }

  #learnModels(models: readonly ModelInfo[]): void {
    this.#models.remember(models).then(
      (changed) => {
        if (changed) this.#options.onModelsChanged?.();
      },
      // A failed write only means that the models are missing after a restart.
      () => {},
    );
  }
}
