import type { Observable } from '@agenthost/client';
import { ProviderNotFoundError } from '../errors.js';
import { observable } from '../observable.js';
import { readItem, type SessionsStorage, writeItem } from '../sessionsStorage.js';
import type { SessionsProvidersService } from './sessionsProvidersService.js';

const KEY = 'agenthost.sessions.activeProvider';

/** The provider that new sessions are made with: what was chosen last, or the only one that there is. */
export class ActiveProvider {
  readonly id: Observable<string | undefined>;
  readonly #id = observable<string | undefined>(undefined);
  readonly #providers: SessionsProvidersService;
  readonly #storage: SessionsStorage;
  #remembered: string | undefined;

  constructor(providers: SessionsProvidersService, storage: SessionsStorage) {
    this.#providers = providers;
    this.#storage = storage;
    this.#remembered = readItem(storage, KEY);
    this.id = this.#id;
    this.update();
  }

  set(providerId: string): void {
    if (!this.#providers.getProvider(providerId)) throw new ProviderNotFoundError(providerId);
    this.#remember(providerId);
    this.#id.set(providerId);
  }

  /** To be called when providers came or went. One that went is taken again when it is back. */
  update(): void {
    const ids = this.#providers.getProviders().map(({ id }) => id);
    const current = this.#id.value;
    if (this.#remembered !== undefined && ids.includes(this.#remembered)) this.#id.set(this.#remembered);
    else if (current === undefined || !ids.includes(current)) {
      const only = ids.length === 1 ? ids[0] : undefined;
      if (only !== undefined && this.#remembered === undefined) this.#remember(only);
      this.#id.set(only);
    }
  }

  #remember(providerId: string): void {
    this.#remembered = providerId;
    writeItem(this.#storage, KEY, providerId);
  }
}
