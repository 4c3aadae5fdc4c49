import { type FolderBrowser, type Observable, observable } from '@agenthost/sessions';

export interface FolderPick {
  readonly folders: FolderBrowser;
  readonly choose: (uri: string | undefined) => void;
}

/** What the browse action of a host asks for, until somebody has chosen a folder or given up. */
export class FolderPicks {
  readonly current: Observable<FolderPick | undefined>;
  readonly #current = observable<FolderPick | undefined>(undefined);

  constructor() {
    this.current = this.#current;
  }

  /** One at a time: whoever was asked before has given up. */
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
