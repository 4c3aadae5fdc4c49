import {
  Drafts,
  NeedsInput,
  SessionsListModel,
  SessionsManagementService,
  SessionsProvidersService,
} from '@agenthost/sessions';
import { createContext, useContext } from 'react';
import { PageHosts } from './pageHosts.js';
import { SettingsStore } from './settings.js';

/** What the whole page shares; made once. */
export interface PageServices {
  readonly settings: SettingsStore;
  readonly hosts: PageHosts;
  readonly management: SessionsManagementService;
  readonly list: SessionsListModel;
  readonly needsInput: NeedsInput;
  readonly drafts: Drafts;
}

export function createServices(): PageServices {
  const settings = new SettingsStore();
  const providers = new SessionsProvidersService();
  const management = new SessionsManagementService(providers, { storage: localStorage });
  const hosts = new PageHosts(providers, settings);
  const list = new SessionsListModel(management, { filter: { isArchived: false } });
  const needsInput = new NeedsInput(providers, management);
  return { settings, hosts, management, list, needsInput, drafts: new Drafts(localStorage) };
}

const Services = createContext<PageServices | undefined>(undefined);
export const ServicesProvider = Services.Provider;

export function useServices(): PageServices {
  const services = useContext(Services);
  if (!services) throw new Error('a component stands outside of the page');
  return services;
}
