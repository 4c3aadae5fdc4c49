import { type FolderBrowser, type Observable, observable } from '@agenthost/sessions';

export interface FolderPick {
  readonly folders: FolderBrowser;
  readonly choose: (uri: string | undefined) => void;
}

/** Pending requests of a host's browse action, until the user chooses a folder or cancels. */
export class FolderPicks {
  readonly current: Observable<FolderPick | undefined>;
  readonly #current = observable<FolderPick | undefined>(undefined);

  constructor() {
    this.current = this.#current;
  }

  /** One at a time: an earlier request is cancelled. */
  pick(folders: FolderBrowser): Promise<string | undefined> {
    this.giveUp();
    return new Promise((resolve) => {
      const pick: FolderPick = {
        folders,
        choose: (uri) => {
          if (this.#current.value === pick) this.#current.set(undefined);
          resolve(uri);
        },
      };
      this.#current.set(pick);
    });
  }

  giveUp(): void {
    this.#current.value?.choose(undefined);
  }
}
