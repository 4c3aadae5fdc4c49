type Metadata = Readonly<Record<string, unknown>>;

export interface MetadataRefreshOptions {
  /** Returns the changes; `undefined` when they are not known in time. */
  readonly read: () => Promise<Metadata | undefined>;
  readonly apply: (change: Metadata) => void;
  readonly onError: (error: unknown) => void;
}

/** Refreshes metadata in the background: no session waits for a file system. */
export class MetadataRefresh {
  readonly #options: MetadataRefreshOptions;
  /** `again`: something may have changed since the current refresh began. */
  #state: 'idle' | 'looking' | 'again' | 'disposed' = 'idle';

  constructor(options: MetadataRefreshOptions) {
    this.#options = options;
  }

  request(): void {
    if (this.#state === 'idle') void this.#look();
    else if (this.#state === 'looking') this.#state = 'again';
  }

  dispose(): void {
    this.#state = 'disposed';
  }

  async #look(): Promise<void> {
    const { read, apply, onError } = this.#options;
    this.#state = 'looking';
    try {
      const change = await read();
      if (!this.#isDisposed && change && Object.keys(change).length > 0) apply(change);
    } catch (error) {
      onError(error);
    }
    if (this.#isDisposed) return;
    const isWanted = this.#isWanted;
    this.#state = 'idle';
    if (isWanted) this.request();
  }

  // The state changes during the refresh, which the compiler does not see.
  get #isDisposed(): boolean {
    return this.#state === 'disposed';
  }

  get #isWanted(): boolean {
    return this.#state === 'again';
  }
}
