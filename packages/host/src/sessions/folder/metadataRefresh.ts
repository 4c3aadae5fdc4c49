type Metadata = Readonly<Record<string, unknown>>;

export interface MetadataRefreshOptions {
  /** What has to change; nothing when there is nothing, or it can't be told now. */
  readonly read: () => Promise<Metadata | undefined>;
  readonly apply: (change: Metadata) => void;
  readonly onError: (error: unknown) => void;
}

/** Looks when asked to, behind everybody's back: no session waits for a file system. */
export class MetadataRefresh {
  readonly #options: MetadataRefreshOptions;
  /** `again`: something may have changed since the look that is under way began. */
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

  // The state changes while a look is under way, which the compiler does not see.
  get #isDisposed(): boolean {
    return this.#state === 'disposed';
  }

  get #isWanted(): boolean {
    return this.#state === 'again';
  }
}
