import { REJECTION, type URI } from '@agenthost/protocol';
import { isRecord, type JsonRecord, sizeOf, textOf } from './json.js';
import type { AhpLimits } from './limits.js';
import { EMPTY_CONFIG, type LocalSession } from './state.js';
import type { AhpAction, AhpActiveClient, AhpConfig } from './types.js';

/** What AHP clients share with one another and our host has no place for. Lives as long as the gateway, and no longer. */
export class LocalState {
  readonly #limits: AhpLimits;
  readonly #drafts = new Map<URI, JsonRecord>();
  readonly #activeClients = new Map<URI, Map<string, AhpActiveClient>>();
  #config: AhpConfig = EMPTY_CONFIG;

  constructor(limits: AhpLimits) {
    this.#limits = limits;
  }

  get config(): AhpConfig {
    return this.#config;
  }

  of(session: URI): LocalSession {
    const draft = this.#drafts.get(session);
    const activeClients = [...(this.#activeClients.get(session)?.values() ?? [])];
    return { activeClients, ...(draft !== undefined && { draft }) };
  }

  /** Takes an action in; why not, where it can't. */
  apply(action: AhpAction, session: URI | undefined, clientId: string): string | undefined {
    if (session === undefined) {
      return action.type === 'root/configChanged'
        ? this.#setConfig(action)
        : `this host does not take ${action.type.slice(0, 100)}`;
    }
    switch (action.type) {
      case 'chat/draftChanged':
        return this.#setDraft(session, action['draft']);
      case 'session/activeClientSet':
        return this.#setActiveClient(session, action['activeClient'], clientId);
      case 'session/activeClientRemoved':
        if (action['clientId'] !== clientId) return 'only the client itself goes';
        this.removeActiveClient(session, clientId);
        return undefined;
      default:
        return undefined;
    }
  }

  /** Whether it was one. */
  removeActiveClient(session: URI, clientId: string): boolean {
    const clients = this.#activeClients.get(session);
    const removed = clients?.delete(clientId) ?? false;
    if (clients?.size === 0) this.#activeClients.delete(session);
    return removed;
  }

  sessionsOf(clientId: string): URI[] {
    return [...this.#activeClients].flatMap(([session, clients]) => (clients.has(clientId) ? [session] : []));
  }

  /** The draft with another model; 'none' where there is no draft, `undefined` where it has that model already. */
  setDraftModel(session: URI, model: string): JsonRecord | 'none' | undefined {
    const draft = this.#drafts.get(session);
    if (!draft) return 'none';
    if (isRecord(draft['model']) && draft['model']['id'] === model) return undefined;
    const changed = { ...draft, model: { id: model } };
    this.#drafts.set(session, changed);
    return changed;
  }

  forgetSession(session: URI): void {
    this.#drafts.delete(session);
    this.#activeClients.delete(session);
  }

  #setConfig({ config, replace }: AhpAction): string | undefined {
    if (!isRecord(config)) return REJECTION.invalidAction;
    const values = replace === true ? { ...config } : { ...this.#config.values, ...config };
    if (sizeOf(values) > this.#limits.maxConfigChars) return 'the configuration is too large';
    this.#config = { ...this.#config, values };
    return undefined;
  }

  #setDraft(session: URI, draft: unknown): string | undefined {
    this.#drafts.delete(session);
    if (draft === undefined || draft === null) return undefined;
    if (!isRecord(draft)) return REJECTION.invalidAction;
    if (sizeOf(draft) > this.#limits.maxDraftChars) return 'the draft is too large to share';
    this.#drafts.set(session, draft);
    const [oldest] = this.#drafts.keys();
    if (this.#drafts.size > this.#limits.maxDrafts && oldest !== undefined) this.#drafts.delete(oldest);
    return undefined;
  }

  #setActiveClient(session: URI, client: unknown, clientId: string): string | undefined {
    if (!isRecord(client) || textOf(client['clientId']) !== clientId) return REJECTION.invalidAction;
    if (sizeOf(client) > this.#limits.maxActiveClientChars) return 'the client has more to offer than fits';
    const clients = this.#activeClients.get(session) ?? new Map<string, AhpActiveClient>();
    if (!clients.has(clientId) && clients.size >= this.#limits.maxActiveClientsPerSession)
      return 'too many active clients';
    clients.set(clientId, client as AhpActiveClient);
    this.#activeClients.set(session, clients);
    return undefined;
  }
}

/** What a client writes a message with that nobody has begun: VS Code takes the model for the next message from there. */
export function modelDraft(model: string): JsonRecord {
  return { text: '', origin: { kind: 'user' }, model: { id: model } };
}
