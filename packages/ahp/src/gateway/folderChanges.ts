import type { HostClient, WatchedChanges } from '@agenthost/client';
import { type ChangesState, ERROR_CODE, type URI } from '@agenthost/protocol';
import { type Disposable, RpcError, type Schedule } from '@agenthost/rpc';
import { changesetOfFolder, type FileVersion, sinceBeginning } from '../translate/fileVersions.js';
import type { AhpChangeset } from '../types.js';

interface FolderChangesOptions {
  readonly work: HostClient['work'];
  readonly session: URI;
  readonly folder: () => URI | undefined;
  readonly onChanged: () => void;
  readonly schedule: Schedule;
  /** How long a client waits for git before it gets what the agent reported. */
  readonly maxWaitMs: number;
}

/** What git says of a session's folder, while a client looks at the changes. */
export class FolderChanges {
  readonly #options: FolderChangesOptions;
  readonly #watched: WatchedChanges;
  readonly #subscription: Disposable;
  readonly #loaded = Promise.withResolvers<void>();
  readonly #timer: Disposable;

  constructor(options: FolderChangesOptions) {
    this.#options = options;
    this.#watched = options.work.watchChanges(options.session);
    this.#timer = options.schedule(() => this.#loaded.resolve(), options.maxWaitMs);
    this.#subscription = this.#watched.state.subscribe((state) => this.#changed(state));
  }

  /** Git has looked, or takes too long. */
  loaded(): Promise<void> {
    this.#changed(this.#watched.state.value);
    return this.#loaded.promise;
  }

  /** `undefined` where git knows nothing of the folder. */
  get changeset(): AhpChangeset | undefined {
    const { session, folder } = this.#options;
    const [comparison, place] = [sinceBeginning(this.#watched.state.value), folder()];
    return comparison && place !== undefined ? changesetOfFolder(session, place, comparison) : undefined;
  }

  get state(): ChangesState {
    return this.#watched.state.value;
  }

  dispose(): void {
    this.#timer.dispose();
    this.#loaded.resolve();
    this.#subscription.dispose();
    this.#watched.dispose();
  }

  #changed(state: ChangesState): void {
    if (state.isLoading) return;
    this.#loaded.resolve();
    this.#options.onChanged();
  }
}

/** All of a file, if it still is what the client was told of. */
export async function readVersion(
  work: HostClient['work'],
  { session, path, side, revision }: FileVersion,
  known: ChangesState | undefined,
): Promise<{ readonly data: string }> {
  const comparison = sinceBeginning(known ?? (await work.fetchChanges(session)));
  const file = comparison?.files.find((one) => one.path === path);
  const isSame = comparison && file && (side === 'old' ? comparison.from : (file.id ?? '')) === revision;
  if (!isSame) throw new RpcError(ERROR_CODE.notFound, `${path} has changed since: look at the changes again`);
  const { from, to } = comparison;
  return work.fetchVersion(session, { path, from, to, side });
}
