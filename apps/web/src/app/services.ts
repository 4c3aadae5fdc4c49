import {
  constant,
  NeedsInput,
  SessionsListModel,
  SessionsManagementService,
  type SessionsProvider,
  SessionsProvidersService,
  UnsentMessages,
} from '@agenthost/sessions';
import { createContext, useContext } from 'react';
import { browserName } from '../devices/deviceNames.js';
import { LastChoices } from '../newSession/lastChoices.js';
import { Undos } from '../overlays/undos.js';
import { PushDevice } from '../push/pushDevice.js';
import { MessageDrafts } from './messageDrafts.js';
import { PageHosts } from './pageHosts.js';
import { PagePlaces } from './pagePlaces.js';
import { SettingsStore } from './settings.js';

/** Shared by the whole page; made once. */
export interface PageServices {
  readonly settings: SettingsStore;
  readonly hosts: PageHosts;
  /** The hosts, and every other provider. */
  readonly places: PagePlaces;
  readonly lastChoices: LastChoices;
  readonly undos: Undos;
  readonly management: SessionsManagementService;
  readonly list: SessionsListModel;
  readonly needsInput: NeedsInput;
  readonly push: PushDevice;
  readonly drafts: MessageDrafts;
  readonly unsent: UnsentMessages;
}

export interface ServicesOptions {
  /** Shown beside the hosts. */
  readonly providers?: readonly SessionsProvider[];
  /** The token of a read-only link: the page shows what it does, and keeps nothing in this browser. */
  readonly link?: string;
}

export function createServices(options: ServicesOptions = {}): PageServices {
  const settings = new SettingsStore();
  const providers = new SessionsProvidersService();
  const { link } = options;
  const storage = link === undefined ? localStorage : sessionStorage;
  const management = new SessionsManagementService(providers, { storage });
  const drafts = new MessageDrafts();
  const unsent = new UnsentMessages(storage);
  const hosts = new PageHosts({ providers, settings, unsent, drafts, link });
  for (const provider of options.providers ?? []) providers.registerProvider(provider);
  const places = new PagePlaces(hosts, providers);
  const list = new SessionsListModel(management, { filter: { isArchived: false } });
  const needsInput = new NeedsInput(providers, management);
  // A link is not told of by push.
  const pushed = link === undefined ? hosts : { all: constant([]) };
  const push = new PushDevice({ hosts: pushed, settings, deviceName: browserName() });
  return {
    settings,
    hosts,
    places,
    lastChoices: new LastChoices(),
    undos: new Undos(),
    management,
    list,
    needsInput,
    push,
    drafts,
    unsent,
  };
}

const Services = createContext<PageServices | undefined>(undefined);
export const ServicesProvider = Services.Provider;

export function useServices(): PageServices {
  const services = useContext(Services);
  if (!services) throw new Error('this component is used outside of the page');
  return services;
}
