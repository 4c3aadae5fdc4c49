import { setImmediate } from 'node:timers/promises';
import type { SessionSummary, URI } from '@agenthost/protocol';
import { untrustedFolder, withoutUntrustedFolder } from '@agenthost/protocol/internal';
import { settleWithin } from '../../agents/settleWithin.js';
import { CustomizationFinder } from '../../customizations/customizationFinder.js';
import type { Session } from '../session.js';
import { CUSTOMIZATIONS_MS } from '../sessionLimits.js';
import type { SessionServices } from '../sessionServices.js';
import { checkoutOf } from './gitMetadata.js';
import { judgeCustomizations, waitingForTrust } from './judgeCustomizations.js';

type FolderTrustOptions = Pick<
  SessionServices,
  'agents' | 'agentEnv' | 'stateDir' | 'trust' | 'index' | 'broadcast' | 'log'
>;

interface Sessions {
  open(): Iterable<Session>;
  /** Loaded or being loaded. */
  isLoaded(uri: URI): boolean;
}

/** Summaries that are checked in one turn of the event loop. */
const AT_ONCE = 200;

/** The folders that a user has to trust for the sessions of a hub. */
export class FolderTrust {
  readonly #options: FolderTrustOptions;
  readonly #sessions: Sessions;
  readonly #following: { dispose(): void };
  #isDisposed = false;

  constructor(options: FolderTrustOptions, sessions: Sessions) {
    this.#options = options;
    this.#sessions = sessions;
    this.#following = options.trust.onTrusted((folder) => this.#trusted(folder));
  }

  /** The folder to trust before a new session of that agent works in `cwd`, as far as that is known in time. */
  async needed(provider: string, cwd: string): Promise<string | undefined> {
    let folder: string | undefined;
    const look = this.#look(provider, cwd).then((found) => {
      folder = found;
    });
    await settleWithin(CUSTOMIZATIONS_MS, look);
    return folder;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#following.dispose();
  }

  async #look(provider: string, cwd: string): Promise<string | undefined> {
    const { agents, stateDir, agentEnv, trust } = this.#options;
    const agent = agents.get(provider);
    const support = agent?.customizations;
    if (!support) return undefined;
    const finder = new CustomizationFinder({ stateRoot: stateDir, env: agentEnv });
    const withConfiguration = support.obeysWorkspace === true;
    const found = await finder.find(cwd, await checkoutOf(cwd), { withConfiguration });
    // Then the agent is not started, trusted or not.
    if (withConfiguration && found.foreignConfiguration.length > 0) return undefined;
    const isTrusted = await trust.isTrusted(found.workspace);
    const agentName = agent.descriptor.displayName;
    const context = { support, agentName, isTrusted, wasDeclined: false, isEnabled: () => true };
    const judged = judgeCustomizations(found.customizations, context);
    return waitingForTrust(judged, found, context).length > 0 ? found.workspace : undefined;
  }

  #trusted(folder: string): void {
    for (const session of this.#sessions.open()) session.folderTrusted(folder);
    this.#tellUnloaded(folder).catch((error: unknown) =>
      this.#options.log.warn(`not all sessions were told that ${folder} is trusted: ${String(error)}`),
    );
  }

  /** Also updates sessions that are not loaded and waited for this folder. */
  async #tellUnloaded(folder: string): Promise<void> {
    const { index, broadcast } = this.#options;
    let after: URI | undefined = '';
    while (after !== undefined && !this.#isDisposed) {
      const { last, found } = await index.summariesWith(folder, after, AT_ONCE);
      for (const { summary, space } of found) {
        if (untrustedFolder(summary) !== folder || this.#sessions.isLoaded(summary.resource)) continue;
        const trusted: SessionSummary = { ...summary, metadata: withoutUntrustedFolder(summary.metadata ?? {}) };
        index.put(trusted, space);
        const changes = { metadata: trusted.metadata ?? null };
        const { resource: session } = summary;
        broadcast({ type: 'notify/sessionSummaryChanged', session, changes }, { space, summary: trusted });
      }
      after = last;
      await setImmediate();
    }
  }
}
