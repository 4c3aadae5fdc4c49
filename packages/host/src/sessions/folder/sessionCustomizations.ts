import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { SessionCustomization, SessionState } from '@agenthost/protocol';
import {
  grantsTrust,
  sameValue,
  TRUST_REQUEST,
  untrustedFolder,
  withUntrustedFolder,
} from '@agenthost/protocol/internal';
import type { Agent, Decision } from '../../agents/agent.js';
import type { AgentCustomization, CustomizationSupport } from '../../agents/agentCustomization.js';
import { PendingAnswers } from '../../agents/events/pendingAnswers.js';
import { settleWithin } from '../../agents/settleWithin.js';
import type { CustomizationFinder, FoundInWorkspace } from '../../customizations/customizationFinder.js';
import { DISCOVERY_LIMITS, type FoundCustomization } from '../../customizations/foundCustomization.js';
import { frontMatter } from '../../customizations/frontMatter.js';
import { trustQuestion } from '../../customizations/trustQuestion.js';
import { readText } from '../../customizations/workspaceFiles.js';
import type { WorkspaceTrust } from '../../customizations/workspaceTrust.js';
import type { HostLog } from '../../hostLog.js';
import type { Worktrees } from '../../work/worktrees/worktrees.js';
import { MAX_MISSING_CUSTOMIZATIONS } from '../sessionLimits.js';
import type { SessionStore } from '../sessionStore.js';
import { checkoutOf } from './gitMetadata.js';
import {
  type JudgeContext,
  type JudgedCustomization,
  judgeCustomizations,
  waitingForTrust,
} from './judgeCustomizations.js';

export interface SessionCustomizationsOptions {
  readonly agent: Pick<Agent, 'descriptor'> & { readonly customizations: CustomizationSupport };
  readonly finder: CustomizationFinder;
  readonly trust: WorkspaceTrust;
  readonly worktrees: Pick<Worktrees, 'find'>;
  readonly start: { readonly cwd: string };
  readonly store: Pick<SessionStore, 'uri' | 'state' | 'dispatch'>;
  /** A folder that takes longer is read in the background. */
  readonly maxMs: number;
  readonly log: HostLog;
}

interface Known extends FoundInWorkspace {
  readonly isTrusted: boolean;
}

/** The customizations of a session's agent, kept in step with the files, the toggles and the trust. */
export class SessionCustomizations {
  readonly #options: SessionCustomizationsOptions;
  readonly #support: CustomizationSupport;
  readonly #answers = new PendingAnswers();
  #known: Known | undefined;
  #looking: Promise<void> | undefined;
  /** The customizations that the user chose to continue without. */
  #declined: string | undefined;
  #closed = false;

  constructor(options: SessionCustomizationsOptions) {
    this.#options = options;
    this.#support = options.agent.customizations;
  }

  get isKnown(): boolean {
    return this.#known !== undefined;
  }

  /** Reads the files and publishes what changed. Never rejects; waits at most `maxMs`. */
  async refresh(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    await settleWithin(this.#options.maxMs, this.#looking);
  }

  /** Whether the user must be asked before the agent is started with all customizations. */
  get mustAsk(): boolean {
    // The folder could not be read in time: it may contain anything.
    if (!this.#known) return this.#support.obeysWorkspace === true;
    return this.#isRefused(this.#known) || this.#wouldAsk();
  }

  /** A folder of another user can't be trusted. */
  #isRefused({ foreignConfiguration }: Known): boolean {
    return this.#support.obeysWorkspace === true && foreignConfiguration.length > 0;
  }

  #wouldAsk(): boolean {
    const runs = this.#wouldRun();
    return runs.length > 0 && keyOf(runs) !== this.#declined;
  }

  /** Called before a turn: reads the customizations and asks for trust. Rejects when the agent may not be started without it. */
  async prepare(turnId: string, signal: AbortSignal): Promise<void> {
    await this.refresh();
    signal.throwIfAborted();
    const known = this.#known;
    const { agent, store, trust } = this.#options;
    const agentName = agent.descriptor.displayName;
    const isNeeded = this.#support.obeysWorkspace === true;
    if (!known) {
      if (isNeeded)
        throw new Error(`The session's folder could not be looked at, so ${agentName} was not started in it.`);
      return;
    }
    const [foreign] = known.foreignConfiguration;
    if (isNeeded && foreign !== undefined) {
      throw new Error(
        `${agentName} was not started: it would obey ${foreign}, which belongs to another user. Have it removed, or work in another folder.`,
      );
    }
    if (!this.mustAsk) return;
    const runs = this.#wouldRun();
    const requestId = `${TRUST_REQUEST}${randomUUID()}`;
    const answered = this.#answers.wait(requestId, signal);
    const request = trustQuestion({ requestId, folder: known.workspace, runs, agentName, isNeeded });
    store.dispatch({ type: 'session/permissionRequest', turnId, request });
    const { approved, optionId } = await answered;
    if (grantsTrust(requestId, approved, optionId)) {
      await trust.trust(known.workspace);
      this.#know({ ...known, isTrusted: true });
    } else if (isNeeded) {
      throw new Error(
        `${agentName} was not started: ${known.workspace} is not trusted. Send a message to be asked again.`,
      );
    } else {
      this.#declined = keyOf(runs);
      this.#know(known);
    }
    signal.throwIfAborted();
  }

  /** Takes the answer to any request; answers to other requests are ignored. */
  answer(requestId: string, decision: Decision): void {
    this.#answers.answer(requestId, decision);
  }

  /** After a declined customization is turned on, the user is asked again. */
  toggled(enabled: boolean): void {
    if (enabled) this.#declined = undefined;
    this.#tellTrust();
  }

  /** A user trusts a folder, in this session or in another one. */
  folderTrusted(folder: string): void {
    if (this.#known?.workspace === folder && !this.#closed) this.#know({ ...this.#known, isTrusted: true });
  }

  /** Changes when the agent needs other customizations. */
  get key(): string {
    return JSON.stringify(this.#handedOver().map(({ uri, stamp }) => [uri, stamp]));
  }

  async forAgent(): Promise<AgentCustomization[]> {
    const resolved = await Promise.all(this.#handedOver().map((found) => this.#resolved(found)));
    return resolved.flat();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.refresh();
  }

  async #look(): Promise<void> {
    if (this.#closed) return;
    const { finder, trust, worktrees, start, log, store } = this.#options;
    try {
      const folder = sessionDirectory(store.state, start);
      const withConfiguration = this.#support.obeysWorkspace === true;
      const found = await finder.find(folder, await checkoutOf(folder), { withConfiguration });
      // Trust of a project covers its worktrees.
      const workspace = (await worktrees.find(folder))?.repository ?? found.workspace;
      const isTrusted = await trust.isTrusted(workspace);
      if (!this.#closed) this.#know({ ...found, workspace, isTrusted });
    } catch (error) {
      log.warn(`${store.uri}: its customizations could not be looked for: ${String(error)}`);
    }
  }

  #know(known: Known): void {
    this.#known = known;
    const { store } = this.#options;
    const customizations = this.#list();
    if (!sameValue(customizations, store.state.customizations ?? [])) {
      store.dispatch({ type: 'session/customizationsChanged', customizations });
    }
    this.#tellTrust();
  }

  /** Lists show which sessions will ask for trust before they continue. */
  #tellTrust(): void {
    if (!this.#known || this.#closed) return;
    const { store } = this.#options;
    const folder = !this.#isRefused(this.#known) && this.#wouldAsk() ? this.#known.workspace : undefined;
    if (folder === untrustedFolder(store.state.summary)) return;
    store.dispatch({ type: 'session/metadataChanged', metadata: withUntrustedFolder(folder) });
  }

  #list(): SessionCustomization[] {
    const listed = this.#judged().map((one) => one.listed);
    const uris = new Set(listed.map(({ customization }) => customization.uri));
    const before = this.#options.store.state.customizations ?? [];
    // Otherwise it would be on again when the file returns.
    const missing = before.filter(({ customization, enabled }) => !enabled && !uris.has(customization.uri));
    return [
      ...listed,
      ...missing.slice(0, MAX_MISSING_CUSTOMIZATIONS).map(
        ({ customization }): SessionCustomization => ({
          customization,
          enabled: false,
          status: 'error',
          statusMessage: 'It is not there any more.',
        }),
      ),
    ];
  }

  #judged(): JudgedCustomization[] {
    return judgeCustomizations(this.#known?.customizations ?? [], this.#context());
  }

  #handedOver(): FoundCustomization[] {
    return this.#judged().flatMap(({ found, isHandedOver }) => (isHandedOver ? [found] : []));
  }

  #wouldRun(): string[] {
    return this.#known ? waitingForTrust(this.#judged(), this.#known, this.#context()) : [];
  }

  #context(): JudgeContext {
    const { store, agent } = this.#options;
    const off = (store.state.customizations ?? []).filter(({ enabled }) => !enabled);
    const disabled = new Set(off.map(({ customization }) => customization.uri));
    return {
      support: this.#support,
      agentName: agent.descriptor.displayName,
      isTrusted: this.#known?.isTrusted === true,
      wasDeclined: this.#declined !== undefined,
      isEnabled: (uri) => !disabled.has(uri),
    };
  }

  /** Nothing for a file that was removed meanwhile. */
  async #resolved(found: FoundCustomization): Promise<AgentCustomization[]> {
    const { kind, uri, name, description, path, appliesTo, mcpServer } = found;
    const hasText = kind === 'instructions' || kind === 'agent';
    let content: string | undefined;
    try {
      if (hasText) content = frontMatter(await readText(path, DISCOVERY_LIMITS.maxTextBytes)).body.trim();
    } catch (error) {
      this.#options.log.warn(`${path} could not be handed to the agent: ${String(error)}`);
      return [];
    }
    const customization = {
      kind,
      uri,
      name,
      path,
      ...(description !== undefined && { description }),
      ...(content !== undefined && { content }),
      ...(appliesTo !== undefined && { appliesTo }),
      ...(mcpServer && { mcpServer }),
    };
    return [customization];
  }
}

function keyOf(runs: readonly string[]): string {
  return JSON.stringify(runs);
}

/** The folder that a session works in. */
export function sessionDirectory({ summary }: SessionState, start: { readonly cwd: string }): string {
  return summary.workingDirectory === undefined ? start.cwd : fileURLToPath(summary.workingDirectory);
}
