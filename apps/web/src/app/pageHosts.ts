import {
  createHostClient,
  createWebSocketTransport,
  type HostClient,
  HostUnreachableError,
  UnauthorizedError,
} from '@agenthost/client';
import type { Role } from '@agenthost/protocol';
import {
  AgentHostProvider,
  computed,
  type Observable,
  observable,
  type SessionsProvidersService,
  type UnsentMessages,
} from '@agenthost/sessions';
import { browserName } from '../devices/deviceNames.js';
import { exchange, tokenFor } from './hostAccess.js';
import type { MessageDrafts } from './messageDrafts.js';
import { rememberOwnId } from './ownIds.js';
import type { PageHost } from './pagePlace.js';
import { permissionError } from './permissionError.js';
import type { KnownHost, SettingsStore } from './settings.js';
import { forgetToken, isOtherLink, onTokenOfOtherTab, saveLink, tokenIn } from './tokens.js';

interface Attached extends PageHost {
  readonly host: HostClient;
  readonly dispose: () => void;
}

/** The name until the host has told its machine's name. */
const OWN_NAME = 'This machine';
const NO_NAME = 'Somebody';

interface PageHostsOptions {
  readonly providers: SessionsProvidersService;
  readonly settings: SettingsStore;
  readonly unsent: UnsentMessages;
  readonly drafts: MessageDrafts;
  /** The token of a read-only link: then the host that serves the page is the only one, with this token. */
  readonly link?: string | undefined;
}

/** The hosts of this page: the one that serves it, and added ones. Each is a sessions provider. */
export class PageHosts {
  readonly all: Observable<readonly PageHost[]>;
  readonly #all = observable<readonly Attached[]>([]);
  readonly #options: PageHostsOptions;
  readonly #settings: SettingsStore;
  readonly #hostIds = new Set<string>();

  constructor(options: PageHostsOptions) {
    this.all = this.#all;
    this.#options = options;
    const { settings } = options;
    this.#settings = settings;
    this.#attach(undefined, location.origin);
    if (options.link !== undefined) return;
    for (const { name, url } of settings.value.value.hosts) this.#attach(name, url);
    onTokenOfOtherTab((url) => {
      const host = this.#all.value.find((one) => one.url === url && one.connection.value.state === 'closed');
      if (host) this.#attachAgain(host);
    });
  }

  /** Why no session can be started from this page; undefined if a host allows it. */
  readonly whyNoNewSession: Observable<string | undefined> = computed(() => {
    const refusals = this.#all.value.map(({ role }) => permissionError(role.value, 'createSession'));
    return refusals.includes(undefined) ? undefined : refusals[0];
  });

  byId(id: string): PageHost | undefined {
    return this.#all.value.find((host) => host.id === id);
  }

  /** Includes a host that is about to be in `all`, or has just left it. */
  isHost(providerId: string): boolean {
    return this.#hostIds.has(providerId);
  }

  /** Adds a host from a link of `agenthost serve`. Throws with what is wrong with it. */
  add(link: string, name: string): PageHost {
    const url = URL.canParse(link) ? new URL(link) : undefined;
    const token = url && new URLSearchParams(url.hash.slice(1)).get('token');
    if (!url || !/^https?:$/.test(url.protocol))
      throw new Error('This is not a link. Paste the one that agenthost serve prints on that machine.');
    if (isOtherLink(link))
      throw new Error(
        'This link is for one device or one session. Paste the one that agenthost token show prints there.',
      );
    if (!token) throw new Error('The link has no token. Copy the whole link, including the part after #.');
    if (this.#all.value.some((host) => host.url === url.origin)) throw new Error('This host is already in the list.');
    const known: KnownHost = { name: name || url.hostname, url: url.origin };
    if (this.#all.value.some((host) => host.name === known.name))
      throw new Error(`A host called ${known.name} is already in the list. Choose another name.`);
    saveLink(known.url, token);
    this.#settings.update({ hosts: [...this.#settings.value.value.hosts, known] });
    return this.#attach(known.name, known.url);
  }

  remove(host: PageHost): void {
    this.#detach(host);
    forgetToken(host.url);
    this.#settings.update({ hosts: this.#settings.value.value.hosts.filter(({ url }) => url !== host.url) });
  }

  /** With a pasted link or token. Rejects with a text for the user when the host doesn't accept it. */
  async signIn(host: PageHost, pasted: string): Promise<PageHost> {
    if (host.isOwn && isOtherLink(pasted)) {
      // The page starts again with it.
      location.assign(pasted.trim());
      return host;
    }
    try {
      await exchange(host.url, tokenIn(pasted));
    } catch (error) {
      if (error instanceof UnauthorizedError)
        throw new Error(`${host.name} doesn't accept this token. It is wrong, or was replaced or revoked.`);
      if (error instanceof HostUnreachableError)
        throw new Error(`${host.name} isn't answering. Check that it runs, then try again.`);
      throw error;
    }
    return this.#attachAgain(host);
  }

  /** The hosts learn it with a new connection, which also sends unacknowledged messages. */
  setUserName(userName: string): void {
    if (userName === this.#settings.value.value.userName) return;
    this.#settings.update({ userName });
    for (const host of this.#all.value) this.#attachAgain(host);
  }

  #attachAgain(host: PageHost): PageHost {
    this.#detach(host);
    return this.#attach(host.isOwn ? undefined : host.name, host.url);
  }

  #attach(name: string | undefined, url: string): Attached {
    const { link } = this.#options;
    const host = createHostClient({
      transport: async (signal) =>
        createWebSocketTransport({ url, token: link ?? (await tokenFor(url, signal)), signal }),
      clientInfo: { name: this.#settings.value.value.userName || NO_NAME, device: browserName() },
    });
    rememberOwnId(host.clientId);
    const { providers, unsent, drafts } = this.#options;
    // A link does not tell the name of the machine.
    const ownName = link === undefined ? this.#settings.value.value.machine || OWN_NAME : location.hostname;
    const provider = new AgentHostProvider(host, {
      ...(name === undefined ? { label: ownName } : { name }),
      unsent,
      onUnsendable: ({ resource, message }) => drafts.giveBack(resource, message),
    });
    this.#hostIds.add(provider.id);
    const registration = providers.registerProvider(provider);
    const role = observable<Role>(host.role);
    const learning = host.connection.subscribe(() => {
      role.set(host.role);
      if (name === undefined) this.#learnName(host);
    });
    const attached: Attached = {
      id: provider.id,
      name: name ?? ownName,
      url,
      isOwn: name === undefined,
      connection: host.connection,
      devices: host.devices,
      webhooks: host.webhooks,
      native: host.native,
      role,
      shared: () => host.shared,
      staleSince: provider.status.staleSince,
      provider,
      push: host.push,
      host,
      dispose: () => {
        learning.dispose();
        registration.dispose();
        provider.dispose();
        host.close();
      },
    };
    this.#all.set([...this.#all.value, attached].toSorted((a, b) => Number(b.isOwn) - Number(a.isOwn)));
    return attached;
  }

  #learnName(host: HostClient): void {
    const machine = host.serverInfo?.machine;
    if (!machine || machine === this.#settings.value.value.machine) return;
    this.#settings.update({ machine });
    this.#all.set(this.#all.value.map((one) => (one.isOwn ? { ...one, name: machine } : one)));
  }

  #detach(host: PageHost): void {
    this.#all.value.find(({ id }) => id === host.id)?.dispose();
    this.#all.set(this.#all.value.filter(({ id }) => id !== host.id));
  }
}
