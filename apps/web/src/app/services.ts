import {
  NeedsInput,
  SessionsListModel,
  SessionsManagementService,
  type SessionsProvider,
  SessionsProvidersService,
  UnsentMessages,
} from '@agenthost/sessions';
import { createContext, useContext } from 'react';
import { FolderPicks } from './folderPicks.js';
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
  readonly folderPicks: FolderPicks;
  readonly management: SessionsManagementService;
  readonly list: SessionsListModel;
  readonly needsInput: NeedsInput;
  readonly drafts: MessageDrafts;
  readonly unsent: UnsentMessages;
}

export interface ServicesOptions {
  /** Shown beside the hosts. */
  readonly providers?: readonly SessionsProvider[];
}

export function createServices(options: ServicesOptions = {}): PageServices {
  const settings = new SettingsStore();
  const providers = new SessionsProvidersService();
  const management = new SessionsManagementService(providers, { storage: localStorage });
  const drafts = new MessageDrafts();
  const unsent = new UnsentMessages(localStorage);
  const folderPicks = new FolderPicks();
  const hosts = new PageHosts({ providers, settings, unsent, drafts, folderPicks });
  for (const provider of options.providers ?? []) providers.registerProvider(provider);
  const places = new PagePlaces(hosts, providers);
  const list = new SessionsListModel(management, { filter: { isArchived: false } });
  const needsInput = new NeedsInput(providers, management);
  return { settings, hosts, places, folderPicks, management, list, needsInput, drafts, unsent };
}

const Services = createContext<PageServices | undefined>(undefined);
export const ServicesProvider = Services.Provider;

export function useServices(): PageServices {
  const services = useContext(Services);
  if (!services) throw new Error('this component is used outside of the page');
  return services;
}
