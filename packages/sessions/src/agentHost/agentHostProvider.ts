import type { Disposable, HostClient, Observable } from '@agenthost/client';
import { Emitter, listInStep } from '@agenthost/client/internal';
import { type AgentInfo, MAX_LIST_LIMIT, sessionUri, type URI } from '@agenthost/protocol';
import type { ChatModel, OpenChatOptions } from '../chat/chatModel.js';
import { sendLeftMessages, type UnsentMessage, type UnsentMessages } from '../chat/unsentMessages.js';
import { NotSupportedError, SessionNotFoundError } from '../errors.js';
import type {
  DeleteSessionOptions,
  SearchOptions,
  SearchResults,
  SendRequestOptions,
  SessionReplacement,
  SessionsChangeEvent,
  SessionsProvider,
  SessionType,
  SessionWorkspaceBrowseAction,
} from '../providers/sessionsProvider.js';
import type { Session, SessionWorkspace } from '../session.js';
import { parseSessionId } from '../sessionId.js';
import { settingsOfAgent } from './agentSettings.js';
import { ChatActions } from './chatActions.js';
import { createChatOnHost, type NewHostChat } from './createChatOnHost.js';
import { FolderBrowser, foldersAction } from './folderBrowser.js';
import { HostChatModel } from './hostChatModel.js';
import { chatResource, groupKeyOf, type HostSessionGroup, workspaceOfSummary } from './hostSessionGroup.js';
import { HostSessionList } from './hostSessionList.js';
import { ANY_AGENT, HostStatus } from './hostStatus.js';
import { SessionCatalogue } from './sessionCatalogue.js';
import { type UntitledSession, UntitledSessions } from './untitledSessions.js';

export interface AgentHostProviderOptions {
  /** Of a host that is not this machine, e.g. "dev-box": part of its id and of its workspaces' labels. */
  readonly name?: string;
  readonly label?: string;
  /** Default `agenthost-local`, or `agenthost-<name>`. */
  readonly id?: string;
  /** Sessions in one page of the list. Default 100. */
  readonly pageSize?: number;
  /** Lets the user pick a folder; `undefined` when they did not. Without it there is no browse action. */
  readonly pickFolder?: (folders: FolderBrowser) => Promise<URI | undefined>;
  /** Where messages are remembered until the host has answered. Those that an earlier page has left there are sent. */
  readonly unsent?: UnsentMessages;
  /** Gets a message that an earlier page left and that the host refuses: it is stored nowhere else any more. */
  readonly onUnsendable?: (message: UnsentMessage, error: unknown) => void;
}

const DEFAULT_PAGE_SIZE = 100;
const SEARCH_LIMIT = 50;

type Found =
  | { readonly kind: 'untitled'; readonly localId: string; readonly untitled: UntitledSession }
  | { readonly kind: 'listed'; readonly group: HostSessionGroup };

/**
 * The sessions of one agent host, over the SDK. Use one instance for each host. Closing the `HostClient` is up to its owner.
 *
 * @example
 * ```ts
 * const provider = new AgentHostProvider(host, { name: 'dev-box' });
 * const registration = providers.registerProvider(provider);
 * registration.dispose();
 * provider.dispose();
 * ```
 */
export class AgentHostProvider implements SessionsProvider {
  readonly id: string;
  readonly label: string;
  readonly icon: string;
  readonly isBackground = true;
  readonly browseActions: readonly SessionWorkspaceBrowseAction[];
  /** Connection and agents. */
  readonly status: HostStatus;
  readonly folders: FolderBrowser;
  readonly hasMoreSessions: Observable<boolean>;
  readonly isLoadingSessions: Observable<boolean>;
  /** Why sessions could not be listed; `refreshSessions` tries again, and so does the next connection. */
  readonly listError: Observable<unknown>;
  readonly #host: HostClient;
  readonly #remoteName: string | undefined;
  readonly #unsent: UnsentMessages | undefined;
  readonly #changes = new Emitter<SessionsChangeEvent>();
  readonly #replacements = new Emitter<SessionReplacement>();
  readonly #typeChanges = new Emitter<void>();
  readonly #catalogue: SessionCatalogue;
  readonly #untitled: UntitledSessions;
  readonly #list: HostSessionList;
  readonly #actions: ChatActions;
  readonly #following: Disposable;

  readonly onDidChangeSessions = this.#changes.event;
  readonly onDidReplaceSession = this.#replacements.event;
  readonly onDidChangeSessionTypes = this.#typeChanges.event;

  constructor(host: HostClient, options: AgentHostProviderOptions = {}) {
    const { name, pickFolder, pageSize = DEFAULT_PAGE_SIZE } = options;
    this.id = options.id ?? `agenthost-${name?.replace(/[^A-Za-z0-9+.-]+/g, '-') ?? 'local'}`;
    this.label = options.label ?? name ?? 'This machine';
    this.icon = name === undefined ? 'host' : 'remote-host';
    this.#host = host;
    this.#remoteName = name;
    this.#unsent = options.unsent;
    const identity = {
      providerId: this.id,
      remoteName: name,
      supportsMultipleChats: (provider: string) => this.#agent(provider)?.supportsMultipleChats === true,
      icon: (provider: string) => this.#agent(provider)?.icon ?? ANY_AGENT,
    };
    this.status = new HostStatus(host);
    this.#catalogue = new SessionCatalogue(identity, (event) => this.#changes.fire(event));
    this.#untitled = new UntitledSessions(identity);
    this.#actions = new ChatActions(host, this.#catalogue);
    this.#list = new HostSessionList({
      host,
      catalogue: this.#catalogue,
      pageSize: Math.min(pageSize, MAX_LIST_LIMIT),
    });
    this.hasMoreSessions = this.#list.hasMore;
    this.isLoadingSessions = this.#list.isLoading;
    this.listError = this.#list.error;
    this.folders = new FolderBrowser(host, () => this.#catalogue.newest());
    const resolve = (uri: URI) => this.resolveWorkspace(uri);
    this.browseActions = pickFolder ? [foldersAction(this.id, () => pickFolder(this.folders), resolve)] : [];
    this.#following = this.status.agents.subscribe(() => this.#typeChanges.fire());
    const { unsent, onUnsendable } = options;
    const openChat = (resource: URI) => this.openChat(resource);
    if (unsent) sendLeftMessages({ unsent, onUnsendable, providerId: this.id, openChat });
  }

  /** The host's agents, also those that can't be used yet; `availability` says what to do about that. */
  get sessionTypes(): readonly SessionType[] {
    return this.status.sessionTypes;
  }

  /** With what is known of the folder: sessions that work there have asked git already. */
  resolveWorkspace(repositoryUri: URI): SessionWorkspace {
    if (!/^file:\/\//i.test(repositoryUri) || !URL.canParse(repositoryUri)) {
      throw new NotSupportedError(`${repositoryUri} is no folder of ${this.label}; give a file: URI`);
    }
    const known = this.#catalogue.newest().find((summary) => this.folders.of(summary) === repositoryUri);
    const workspace = workspaceOfSummary(known ?? { workingDirectory: repositoryUri }, this.#remoteName);
    const { label = repositoryUri, icon = 'folder', repositories: [repository] = [] } = workspace ?? {};
    // The folder that was asked for, which may be one inside of a checkout.
    const repositories = [{ uri: repositoryUri, ...repository, workingDirectory: repositoryUri }];
    // Sessions that work there say what they had to be allowed; what another one would have to be, the host is asked for.
    return { label, icon, repositories, requiresWorkspaceTrust: workspace?.requiresWorkspaceTrust !== false || !known };
  }

  getSessions(): readonly Session[] {
    return [...this.#untitled.all(), ...this.#catalogue.sessions()];
  }

  loadMoreSessions(): Promise<void> {
    return this.#list.loadMore();
  }

  refreshSessions(): Promise<void> {
    return this.#list.refresh();
  }

  async searchSessions(text: string, { limit = SEARCH_LIMIT, signal }: SearchOptions = {}): Promise<SearchResults> {
    const params = { filter: { text }, limit: Math.min(limit, MAX_LIST_LIMIT) };
    const take = await listInStep(this.#host, params, { signal });
    const { items, total, snippets } = take();
    this.#catalogue.put(items);
    const results = items.flatMap((summary) => {
      const group = this.#catalogue.group(groupKeyOf(summary));
      const snippet = snippets?.[summary.resource];
      return group ? [{ session: group.session, ...(snippet !== undefined && { snippet }) }] : [];
    });
    return { results, total };
  }

  async createNewSession(workspace: SessionWorkspace): Promise<Session> {
    const types = this.sessionTypes;
    const type = types.find(({ availability }) => availability?.state === 'available') ?? types[0];
    if (!type) throw new NotSupportedError(`${this.label} has told of no agent yet; try again when it is connected`);
    const untitled = this.#untitled.create(workspace, type.id);
    const { session } = untitled;
    this.#changes.fire({ added: [session], removed: [], changed: [] });
    void this.#learnTrust(untitled);
    return session;
  }

  async setSessionType(sessionId: string, type: string): Promise<Session> {
    const found = this.#find(sessionId);
    if (found.kind === 'listed') {
      throw new NotSupportedError(`the agent of ${sessionId} can't be changed any more; begin another chat with it`);
    }
    if (!this.#agent(type)) throw new NotSupportedError(`${this.label} has no agent ${type}`);
    const untitled = this.#untitled.setType(found.localId, found.untitled, type);
    const { session } = untitled;
    this.#changes.fire({ added: [], removed: [], changed: [session] });
    void this.#learnTrust(untitled);
    return session;
  }

  getSessionTypes(sessionId: string): readonly SessionType[] {
    const found = this.#find(sessionId);
    if (found.kind === 'untitled') return this.sessionTypes;
    return this.sessionTypes.filter(({ id }) => id === found.group.session.sessionType);
  }

  async renameChat(sessionId: string, chatUri: URI, title: string): Promise<void> {
    const found = this.#find(sessionId);
    const uri = this.#chatOf(found, sessionId, chatUri);
    if (found.kind === 'untitled') this.#updateUntitled(found.untitled, { title });
    else await this.#actions.run([uri], (session) => session.rename(title));
  }

  async setModel(sessionId: string, modelId: string): Promise<void> {
    const found = this.#find(sessionId);
    if (found.kind === 'untitled') this.#updateUntitled(found.untitled, { modelId });
    else await this.#actions.run(urisOf(found.group).slice(0, 1), (session) => session.setModel(modelId));
  }

  archiveSession(sessionId: string): Promise<void> {
    return this.#setArchived(sessionId, true);
  }

  unarchiveSession(sessionId: string): Promise<void> {
    return this.#setArchived(sessionId, false);
  }

  async setRead(sessionId: string, read: boolean): Promise<void> {
    const found = this.#find(sessionId);
    if (found.kind === 'untitled') this.#updateUntitled(found.untitled, { isRead: read });
    else await this.#actions.run(urisOf(found.group), (session) => session.markRead(read));
  }

  async deleteSession(sessionId: string, options?: DeleteSessionOptions): Promise<void> {
    const found = this.#find(sessionId);
    if (found.kind === 'listed') return this.#actions.deleteAll(urisOf(found.group), options);
    this.#untitled.delete(found.localId);
    this.#changes.fire({ added: [], removed: [found.untitled.session], changed: [] });
  }

  async deleteChat(sessionId: string, chatUri: URI): Promise<void> {
    const found = this.#find(sessionId);
    const uri = this.#chatOf(found, sessionId, chatUri);
    if (found.kind === 'untitled') await this.deleteSession(sessionId);
    else await this.#actions.deleteAll([uri]);
  }

  async sendAndCreateChat(sessionId: string, options: SendRequestOptions): Promise<Session> {
    const found = this.#find(sessionId);
    return found.kind === 'untitled' ? this.#commit(found, options) : this.#addChat(found.group, options);
  }

  /** What its sessions of an agent let users choose, for a new one. */
  readonly settingsOf = (provider: string) => settingsOfAgent(this.#host, provider);

  /** A session of the host by its URI, also one that is older than what was listed. Rejects where there is none. */
  async findSession(uri: URI): Promise<Session> {
    const known = this.#catalogue.group(uri);
    if (known) return known.session;
    const opened = await this.#host.openSession(uri, { turns: 1 });
    const { summary } = opened.confirmed.value;
    opened.close();
    this.#catalogue.put([summary]);
    return this.#groupOf(groupKeyOf(summary)).session;
  }

  /** A conversation with all that is in it; `resource` is a chat's. To be disposed. */
  openChat(resource: URI, options: OpenChatOptions = {}): ChatModel {
    const { providerId, localId: uri } = parseSessionId(resource);
    if (providerId !== this.id || this.#untitled.get(uri)) {
      throw new SessionNotFoundError(`chat ${resource} of ${this.label}`);
    }
    const model = new HostChatModel({ ...options, host: this.#host, uri, resource, unsent: this.#unsent });
    this.#catalogue.chat(uri)?.openedWith(model.opened());
    return model;
  }

  /** A session that begins with the turns of that chat, up to the given one, for the same agent or for another one. */
  async forkChat(resource: URI, toTurnId?: string, sessionType?: string): Promise<Session> {
    const source = parseSessionId(resource).localId;
    const fork = await this.#host.forkSession({
      source,
      ...(toTurnId !== undefined && { toTurnId }),
      ...(sessionType !== undefined && { provider: sessionType }),
    });
    const { summary } = fork.confirmed.value;
    fork.close();
    this.#catalogue.put([summary]);
    return this.#groupOf(groupKeyOf(summary)).session;
  }

  dispose(): void {
    this.#following.dispose();
    this.#list.dispose();
    this.status.dispose();
  }

  /** Where the new session takes the place of the one that was begun, in one step. */
  async #commit({ localId, untitled }: Found & { kind: 'untitled' }, options: SendRequestOptions): Promise<Session> {
    const { chat, workspace, loading, session: from } = untitled;
    if (loading.value) throw new NotSupportedError(`${from.sessionId} is being sent already; wait for that`);
    const uri = sessionUri(from.sessionType, crypto.randomUUID());
    loading.set(true);
    this.#catalogue.hold(uri);
    try {
      const begun: NewHostChat = {
        ...options,
        uri,
        group: uri,
        provider: from.sessionType,
        workingDirectory: folderOf(workspace.value),
        model: chat.modelId.value,
        title: chat.title.value,
      };
      return await createChatOnHost(this.#host, begun, (summary) => {
        this.#catalogue.unhold(uri);
        const { session: to } = this.#catalogue.putQuietly(summary);
        if (this.#untitled.delete(localId)) this.#replacements.fire({ from, to });
        else this.#changes.fire({ added: [to], removed: [], changed: [] });
        return to;
      });
    } finally {
      this.#catalogue.unhold(uri);
      loading.set(false);
    }
  }

  async #addChat(group: HostSessionGroup, options: SendRequestOptions): Promise<Session> {
    const { session } = group;
    if (!session.capabilities.supportsMultipleChats) {
      throw new NotSupportedError(`${session.sessionType} has one chat a session; begin another session`);
    }
    const main = group.chats[0]?.summary;
    const begun: NewHostChat = {
      ...options,
      uri: sessionUri(session.sessionType, crypto.randomUUID()),
      group: group.key,
      provider: session.sessionType,
      workingDirectory: main && this.folders.of(main),
      model: main?.model,
      title: '',
    };
    await createChatOnHost(this.#host, begun, (summary) => this.#catalogue.put([summary]));
    return this.#groupOf(group.key).session;
  }

  async #setArchived(sessionId: string, isArchived: boolean): Promise<void> {
    const found = this.#find(sessionId);
    if (found.kind === 'untitled') this.#updateUntitled(found.untitled, { isArchived });
    else await this.#actions.run(urisOf(found.group), (session) => session.archive(isArchived));
  }

  /** What the host will ask is known to it alone, and not before it knows the agent. */
  async #learnTrust({ session, workspace }: UntitledSession): Promise<void> {
    const folder = folderOf(workspace.value);
    if (folder === undefined) return;
    const needed = await this.folders.requiresTrust(folder, session.sessionType).catch(() => undefined);
    const { localId } = parseSessionId(session.sessionId);
    const isCurrent = this.#untitled.get(localId)?.session === session;
    if (!isCurrent || needed === undefined || needed === workspace.value.requiresWorkspaceTrust) return;
    workspace.set({ ...workspace.value, requiresWorkspaceTrust: needed });
    this.#changes.fire({ added: [], removed: [], changed: [session] });
  }

  #updateUntitled({ session, chat }: UntitledSession, fields: Parameters<typeof chat.update>[0]): void {
    chat.update(fields);
    this.#changes.fire({ added: [], removed: [], changed: [session] });
  }

  #find(sessionId: string): Found {
    const { providerId, localId } = parseSessionId(sessionId);
    if (providerId !== this.id) throw new SessionNotFoundError(`session ${sessionId} at ${this.label}`);
    const untitled = this.#untitled.get(localId);
    if (untitled) return { kind: 'untitled', localId, untitled };
    return { kind: 'listed', group: this.#groupOf(localId) };
  }

  #groupOf(key: string): HostSessionGroup {
    const group = this.#catalogue.group(key);
    if (!group) throw new SessionNotFoundError(`session ${key} at ${this.label}`);
    return group;
  }

  /** The host's URI of a chat, which has to be one of that session. */
  #chatOf(found: Found, sessionId: string, chatUri: URI): URI {
    const chats = found.kind === 'untitled' ? [found.untitled.chat.resource] : urisOf(found.group);
    const uri = chats.find((one) => one === chatUri || chatResource(this.id, one) === chatUri);
    if (uri === undefined) throw new SessionNotFoundError(`chat ${chatUri} in ${sessionId}`);
    return uri;
  }

  #agent(provider: string): AgentInfo | undefined {
    return this.status.agents.value.find((agent) => agent.provider === provider);
  }
}

function folderOf({ repositories: [repository] }: SessionWorkspace): URI | undefined {
  return repository?.workingDirectory ?? repository?.uri;
}

function urisOf({ chats }: HostSessionGroup): readonly URI[] {
  return chats.map(({ summary }) => summary.resource);
}
