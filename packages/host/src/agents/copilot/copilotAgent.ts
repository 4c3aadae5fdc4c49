import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, sep } from 'node:path';
import type { AvailableAgent, ModelInfo, UnavailableAgent } from '@agenthost/protocol';
import { Confinement } from '../../storage/fs/confinement.js';
import type { Agent, AgentDescriptor, AgentSession, OpenSessionOptions } from '../agent.js';
import type { AgentCustomization, CustomizationSupport, McpServer } from '../agentCustomization.js';
import { LoginRequiredError } from '../agentLogin.js';
import { type AgentInstall, resolveAgentInstall } from '../install/agentInstall.js';
import type { AgentPackage } from '../install/agentPackage.js';
import { agentEnvironment } from '../orphans/agentEnvironment.js';
import { type CopilotConfiguration, loadConfiguration } from './copilotConfiguration.js';
import { CopilotLogin } from './copilotLogin.js';
import { CopilotProcess, findRuntime } from './copilotProcess.js';
import type { CopilotSession } from './copilotSession.js';
import { CopilotSettings } from './copilotSettings.js';
import { chooseMode, knownMode } from './modes.js';
import { parseSessionConfig, sdkProvider } from './providerConfig.js';
import type { SdkCustomizations, SdkMcpServer } from './sdk.js';
import { SDK_PACKAGE, type SdkModel, type SdkSessionConfig } from './sdk.js';
import { sdkTools } from './sdkTools.js';
import { SessionMemory } from './sessionMemory.js';
import { stateFiles } from './stateFiles.js';

export interface CopilotAgentOptions {
  /** The folder of added agents: `agents` in the state root. */
  readonly agentsFolder: string;
  /** Replaces the file in that folder. */
  readonly configuration?: CopilotConfiguration;
  /** The host's environment; Copilot gets the harmless part of it when it is asked whether a user is logged in. */
  readonly hostEnv?: Readonly<Record<string, string | undefined>>;
}

const PROVIDER = 'copilot';
const SIZE = 130_000_000;
/** The version that this agent was tested with. */
export const COPILOT_PACKAGE: AgentPackage = { name: SDK_PACKAGE, version: '1.0.14', sizeHint: SIZE };
const PROBE_MS = 5_000;
/** `listModels` comes right after `availability`, so one process answers both. */
const PROBE_VALID_MS = 10_000;

interface Probe {
  readonly isAuthenticated: boolean;
  readonly login?: string | undefined;
  readonly authType?: string | undefined;
  readonly models: readonly SdkModel[];
}

/**
 * GitHub Copilot, by its SDK. Each session is a process of Copilot's runtime.
 *
 * @example
 * ```ts
 * import { join } from 'node:path';
 *
 * const agentsFolder = join('/var/lib/agenthost', 'agents');
 * const host = await Host.start({ agents: [new CopilotAgent({ agentsFolder })] });
 * ```
 */
export class CopilotAgent implements Agent {
  readonly descriptor: AgentDescriptor = {
    provider: PROVIDER,
    displayName: 'GitHub Copilot',
    description: "GitHub's coding agent. Needs a Copilot subscription, or a model provider of your own.",
    icon: 'bot',
  };
  readonly npmPackage = COPILOT_PACKAGE;
  readonly login: CopilotLogin;
  readonly customizations: CustomizationSupport = { takes: ['instructions', 'skill', 'agent', 'mcpServer'] };
  readonly #options: CopilotAgentOptions;
  readonly #sessions = new Set<CopilotSession>();
  #probe: { readonly at: number; readonly answer: Promise<Probe> } | undefined;
  #disposed = false;

  constructor(options: CopilotAgentOptions) {
    this.#options = options;
    this.login = new CopilotLogin({
      stateDir: dirname(options.agentsFolder),
      hostEnv: options.hostEnv ?? process.env,
      ask: async (isAnew) => {
        const configuration = await this.#configuration();
        const install = await this.#install();
        // With a model provider of their own, users need no log-in.
        if (!install || configuration.defaultProvider !== undefined) return undefined;
        if (isAnew) this.#probe = undefined;
        return this.#ask(install, configuration);
      },
    });
  }

  async availability(): Promise<AvailableAgent | UnavailableAgent> {
    const install = await this.#install();
    if (!install) {
      return {
        state: 'unavailable',
        reason: 'GitHub Copilot is not installed here.',
        howToFix: 'Run `agenthost agents add copilot`.',
        installable: { sizeHint: SIZE },
      };
    }
    const configuration = await this.#configuration();
    if ((await findRuntime(install, this.#probeEnv(configuration))) === undefined) {
      const howToFix = 'Run `agenthost agents add copilot` again on this machine.';
      return { state: 'unavailable', reason: "Copilot's runtime for this kind of machine is missing.", howToFix };
    }
    return { state: 'available', version: install.version };
  }

  async listModels(): Promise<readonly ModelInfo[]> {
    const configuration = await this.#configuration();
    const { defaultProvider, providers = {} } = configuration;
    if (defaultProvider !== undefined) {
      const models = providers[defaultProvider]?.models ?? [];
      return models.map((id) => ({ id, provider: PROVIDER, name: id }));
    }
    const install = await this.#install();
    return install ? (await this.#ask(install, configuration)).models.map(modelInfo) : [];
  }

  async openSession(options: OpenSessionOptions): Promise<AgentSession> {
    const { providers = {}, defaultProvider, env } = await this.#configuration();
    const { provider, reasoningEffort, mode } = parseSessionConfig(options.config, providers, defaultProvider);
    const model = options.model ?? provider?.models?.[0];
    if (provider && model === undefined) throw new Error('A model provider of your own needs a model: choose one.');
    const install = await this.#install();
    if (!install) throw new Error('GitHub Copilot is not installed here. Run `agenthost agents add copilot`.');
    this.#checkOpening(options.signal);

    const { sessionFs, sessionId, cwd } = options;
    const files = stateFiles(sessionFs, sessionId);
    await sessionFs.mkdir(files.folder, { recursive: true });
    const memory = new SessionMemory(sessionFs, files.folder);
    if (options.resume !== undefined) await memory.load();
    const resume = (await files.hasSession()) ? options.resume : undefined;
    // Loaded with the first session.
    const { CopilotSession: Sessions } = await import('./copilotSession.js');
    const process = await CopilotProcess.start({
      install,
      cwd,
      env: { ...options.env, ...env, ...(await this.login.keyEnv()) },
      client: {
        useLoggedInUser: !provider,
        sessionFs: {
          initialCwd: cwd,
          sessionStatePath: files.path,
          conventions: sep === '/' ? 'posix' : 'windows',
        },
      },
    });
    const readable = new Confinement(await realpath(cwd));
    const onDispose = () => this.#sessions.delete(session);
    const session: CopilotSession = new Sessions({ process, memory, readable, files, onDispose });
    this.#sessions.add(session);
    try {
      this.#checkOpening(options.signal);
      const config: SdkSessionConfig = {
        clientName: 'agenthost',
        ...(model !== undefined && { model }),
        ...(provider && { provider: sdkProvider(provider) }),
        ...(reasoningEffort !== undefined && { reasoningEffort }),
        streaming: true,
        includeSubAgentStreamingEvents: false,
        enableFileHooks: false,
        enableConfigDiscovery: false,
        ...sdkCustomizations(options.customizations),
        ...(options.clientTools && { tools: sdkTools(options.clientTools) }),
        workingDirectory: cwd,
        createSessionFsProvider: () => files.provider,
        onEvent: (event) => session.handle(event),
        // A later answer of any client decides. Without a handler Copilot denies silently.
        onPermissionRequest: () => ({ kind: 'no-result' }),
        onUserInputRequest: (request) => session.askUser(request),
        onElicitationRequest: (request) => session.askForm(request),
        onExitPlanModeRequest: (request) => session.askAboutPlan(request),
      };
      const { client } = process;
      // Otherwise its turns fail with an error that does not say so in its type.
      if (!provider && !(await client.getAuthStatus()).isAuthenticated) throw new LoginRequiredError(this.descriptor);
      const sdk =
        resume === undefined ? await client.createSession(config) : await client.resumeSession(resume, config);
      const last = knownMode(options.settings?.['mode'] ?? options.mode);
      const settings = new CopilotSettings(
        sdk,
        await chooseMode(sdk, options.resume === undefined ? (last ?? mode) : last),
      );
      session.attach(sdk, settings, {
        isNew: options.resume !== undefined && resume === undefined,
        transcript: resume === undefined ? await options.transcript?.() : undefined,
        problem: await settings.restore(options.settings),
      });
      this.#checkOpening(options.signal);
      return session;
    } catch (error) {
      await session.dispose();
      throw error;
    }
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    await Promise.all([...this.#sessions].map((session) => session.dispose()));
    await this.#probe?.answer.catch(() => {});
  }

  #checkOpening(signal: AbortSignal): void {
    signal.throwIfAborted();
    if (this.#disposed) throw new Error('the agent is disposed of');
  }

  #install(): Promise<AgentInstall | undefined> {
    return resolveAgentInstall(this.#options.agentsFolder, PROVIDER, SDK_PACKAGE);
  }

  async #configuration(): Promise<CopilotConfiguration> {
    return this.#options.configuration ?? loadConfiguration(this.#options.agentsFolder);
  }

  #probeEnv({ env }: CopilotConfiguration): Record<string, string> {
    return { ...agentEnvironment(this.#options.hostEnv ?? process.env), ...env };
  }

  #ask(install: AgentInstall, configuration: CopilotConfiguration): Promise<Probe> {
    const now = performance.now();
    if (!this.#probe || now - this.#probe.at > PROBE_VALID_MS) {
      this.#probe = { at: now, answer: this.#askAnew(install, configuration) };
    }
    return this.#probe.answer;
  }

  async #askAnew(install: AgentInstall, configuration: CopilotConfiguration): Promise<Probe> {
    const env = { ...this.#probeEnv(configuration), ...(await this.login.keyEnv()) };
    const probe = await CopilotProcess.start({ install, cwd: tmpdir(), env, client: { useLoggedInUser: true } });
    const tooLate = setTimeout(() => void probe.dispose({ tidy: false }), PROBE_MS);
    try {
      const { isAuthenticated, login, authType } = await probe.client.getAuthStatus();
      return { isAuthenticated, login, authType, models: isAuthenticated ? await probe.client.listModels() : [] };
    } finally {
      clearTimeout(tooLate);
      await probe.dispose({ tidy: false });
    }
  }
}

function modelInfo({ id, name, capabilities, policy }: SdkModel): ModelInfo {
  const maxContextWindow = capabilities?.limits?.max_context_window_tokens;
  const supportsVision = capabilities?.supports?.vision;
  return {
    id,
    provider: PROVIDER,
    name: name ?? id,
    ...(maxContextWindow !== undefined && { maxContextWindow }),
    ...(supportsVision !== undefined && { supportsVision }),
    ...(policy?.state !== undefined && { policyState: policy.state }),
  };
}

/** The customizations in the SDK's form. Copilot reads none by itself: what is turned off must not reach it. */
function sdkCustomizations(customizations: readonly AgentCustomization[]): SdkCustomizations {
  const of = (kind: AgentCustomization['kind']) => customizations.filter((one) => one.kind === kind);
  const servers = of('mcpServer').flatMap(({ name, mcpServer }) =>
    mcpServer ? [[name, sdkServer(mcpServer)] as const] : [],
  );
  const skills = of('skill');
  const content = of('instructions').map(instructionText).join('\n\n');
  return {
    skipCustomInstructions: true,
    enableOnDemandInstructionDiscovery: false,
    ...(content && { systemMessage: { mode: 'append', content } }),
    enableSkills: skills.length > 0,
    skillDirectories: skills.map(({ path }) => dirname(path)),
    customAgents: of('agent').map(({ name, description, content: prompt = '' }) => ({
      name,
      displayName: name,
      ...(description !== undefined && { description }),
      prompt,
    })),
    mcpServers: Object.fromEntries(servers),
  };
}

function instructionText({ path, appliesTo, content = '' }: AgentCustomization): string {
  const scope = appliesTo === undefined ? '' : ` for files that match ${appliesTo}`;
  return `Instructions${scope}, from ${path}:\n\n${content}`;
}

function sdkServer(server: McpServer): SdkMcpServer {
  if (server.type !== 'stdio') return { type: server.type, url: server.url, headers: server.headers, tools: ['*'] };
  const { command, args, env, cwd } = server;
  return { type: 'stdio', command, args, env, ...(cwd !== undefined && { workingDirectory: cwd }), tools: ['*'] };
}
