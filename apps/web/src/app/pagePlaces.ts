import type { Role } from '@agenthost/protocol';
import {
  constant,
  type Observable,
  observable,
  type SessionsProvider,
  type SessionsProvidersService,
} from '@agenthost/sessions';
import type { PageHosts } from './pageHosts.js';
import type { PagePlace } from './pagePlace.js';

const OWNER = constant<Role>('owner');
const NEVER_STALE = constant<number | undefined>(undefined);

/** Hosts first, then other providers in the order of their registration. */
export class PagePlaces {
  readonly all: Observable<readonly PagePlace[]>;
  readonly #all = observable<readonly PagePlace[]>([]);
  readonly #hosts: PageHosts;
  readonly #providers: SessionsProvidersService;
  readonly #others = new WeakMap<SessionsProvider, PagePlace>();

  constructor(hosts: PageHosts, providers: SessionsProvidersService) {
    this.#hosts = hosts;
    this.#providers = providers;
    this.all = this.#all;
    hosts.all.subscribe(() => this.#update());
    providers.onDidChangeProviders(() => this.#update());
    this.#update();
  }

  byId(id: string): PagePlace | undefined {
    return this.#all.value.find((place) => place.id === id);
  }

  #update(): void {
    const hosts = this.#hosts.all.value;
    const others = this.#providers.getProviders().filter(({ id }) => !this.#hosts.isHost(id));
    this.#all.set([...hosts, ...others.map((provider) => this.#placeOf(provider))]);
  }

  /** A provider that was built into the page may be used without limits. */
  #placeOf(provider: SessionsProvider): PagePlace {
    const { id, label } = provider;
    const place = this.#others.get(provider) ?? {
      id,
      name: label,
      provider,
      role: OWNER,
      staleSince: NEVER_STALE,
    };
    this.#others.set(provider, place);
    return place;
  }
}
