import { REJECTION, type URI } from '@agenthost/protocol';
import { dropOldest } from '@agenthost/protocol/internal';
import type { Reviews } from '../translate/changesets.js';
import { isRecord, type JsonRecord, sizeOf, textOf, textsOf } from '../translate/json.js';
import { EMPTY_CONFIG, type LocalSession } from '../translate/state.js';
import type { AhpAction, AhpActiveClient, AhpConfig } from '../types.js';
import type { AhpLimits } from './limits.js';
import { type Actor, localRefusal, REVIEWED } from './localRoles.js';

/** Files of one session. */
const MAX_REVIEWED = 2_000;

type Owner = Pick<Actor, 'clientId' | 'credentialId'>;

/** The client chooses its id; the token says whose it is. */
interface ActiveClient {
  readonly credentialId: string;
  readonly state: AhpActiveClient;
}

/** State that AHP clients share and our host doesn't have. It lives as long as the gateway. */
export class LocalState {
  readonly #limits: AhpLimits;
  /** By session and token. */
  readonly #drafts = new Map<string, JsonRecord>();
  readonly #activeClients = new Map<URI, Map<string, ActiveClient>>();
  /** Files that were marked as reviewed, with what was marked. */
  readonly #reviews = new Map<URI, Map<string, string>>();
  /** What could be chosen for a session when it was created. */
  readonly #beginnings = new Map<URI, AhpConfig>();
  #config: AhpConfig = EMPTY_CONFIG;

  constructor(limits: AhpLimits) {
    this.#limits = limits;
  }

  get config(): AhpConfig {
    return this.#config;
  }

  /** The state for this client. */
  of(session: URI, viewer: Pick<Actor, 'credentialId'>): LocalSession {
    const draft = this.#drafts.get(draftKey(session, viewer));
    const activeClients = [...(this.#activeClients.get(session)?.values() ?? [])].map(({ state }) => state);
    const beganWith = this.#beginnings.get(session);
    return { activeClients, ...(draft !== undefined && { draft }), ...(beganWith && { beganWith }) };
  }

  reviewsOf(session: URI): Reviews {
    return this.#reviews.get(session) ?? new Map();
  }

  /** Marks files of those that the client sees, or takes the marks away; returns the reason if it is refused. */
  review(session: URI, action: AhpAction, shown: Reviews, actor: Actor): string | undefined {
    const [files, { reviewed }] = [textsOf(action['files']), action];
    if (action.type !== REVIEWED) return `this host does not take ${action.type.slice(0, 100)} here`;
    if (!files || typeof reviewed !== 'boolean') return REJECTION.invalidAction;
    const refusal = localRefusal(action, actor);
    if (refusal !== undefined) return refusal;
    const marks = this.#reviews.get(session) ?? new Map<string, string>();
    for (const file of files) {
      const revision = shown.get(file);
      marks.delete(file);
      if (reviewed && revision !== undefined) marks.set(file, revision);
    }
    dropOldest(marks, MAX_REVIEWED);
    this.#reviews.set(session, marks);
    dropOldest(this.#reviews, this.#limits.maxDrafts);
    return undefined;
  }

  beginsWith(session: URI, config: AhpConfig): void {
    if (Object.keys(config.schema.properties).length === 0) return;
    this.#beginnings.set(session, config);
    dropOldest(this.#beginnings, this.#limits.maxDrafts);
  }

  /** Applies an action; returns the reason if it is refused. */
  apply(action: AhpAction, session: URI | undefined, actor: Actor): string | undefined {
    const take = session === undefined ? this.#rootChange(action) : this.#sessionChange(action, session, actor);
    if (!take) return `this host does not take ${action.type.slice(0, 100)}`;
    return localRefusal(action, actor) ?? take();
  }

  #rootChange(action: AhpAction): (() => string | undefined) | undefined {
    return action.type === 'root/configChanged' ? () => this.#setConfig(action) : undefined;
  }

  #sessionChange(action: AhpAction, session: URI, actor: Actor): (() => string | undefined) | undefined {
    switch (action.type) {
      case 'chat/draftChanged':
        return () => this.#setDraft(draftKey(session, actor), action['draft']);
      case 'session/activeClientSet':
        return () => this.#setActiveClient(session, action['activeClient'], actor);
      case 'session/activeClientRemoved':
        return () => this.#leave(session, action['clientId'], actor);
      // These are sent to others and not kept.
      case 'session/configChanged':
        return () => (sizeOf(action) > this.#limits.maxConfigChars ? 'the configuration is too large' : undefined);
      case 'chat/inputAnswerChanged':
        return () => (sizeOf(action) > this.#limits.maxDraftChars ? 'the answer is too large to share' : undefined);
      default:
        return undefined;
    }
  }

  /** Whether it was one. */
  removeActiveClient(session: URI, { clientId, credentialId }: Owner): boolean {
    const clients = this.#activeClients.get(session);
    const removed = clients?.get(clientId)?.credentialId === credentialId && clients.delete(clientId);
    if (clients?.size === 0) this.#activeClients.delete(session);
    return removed;
  }

  sessionsOf({ clientId, credentialId }: Owner): URI[] {
    const isIn = (clients: ReadonlyMap<string, ActiveClient>) => clients.get(clientId)?.credentialId === credentialId;
    return [...this.#activeClients].flatMap(([session, clients]) => (isIn(clients) ? [session] : []));
  }

  /** The draft of a token with another model; 'none' without a draft, `undefined` if it already has that model. */
  setDraftModel(session: URI, owner: Pick<Actor, 'credentialId'>, model: string): JsonRecord | 'none' | undefined {
    const key = draftKey(session, owner);
    const draft = this.#drafts.get(key);
    if (!draft) return 'none';
    if (isRecord(draft['model']) && draft['model']['id'] === model) return undefined;
    const changed = { ...draft, model: { id: model } };
    this.#drafts.set(key, changed);
    return changed;
  }

  forgetSession(session: URI): void {
    const ofSession = draftKey(session, { credentialId: '' });
    for (const key of this.#drafts.keys()) if (key.startsWith(ofSession)) this.#drafts.delete(key);
    this.#activeClients.delete(session);
    this.#beginnings.delete(session);
    this.#reviews.delete(session);
  }

  #setConfig({ config, replace }: AhpAction): string | undefined {
    if (!isRecord(config)) return REJECTION.invalidAction;
    const values = replace === true ? { ...config } : { ...this.#config.values, ...config };
    if (sizeOf(values) > this.#limits.maxConfigChars) return 'the configuration is too large';
    this.#config = { ...this.#config, values };
    return undefined;
  }

  #setDraft(key: string, draft: unknown): string | undefined {
    this.#drafts.delete(key);
    if (draft === undefined || draft === null) return undefined;
    if (!isRecord(draft)) return REJECTION.invalidAction;
    if (sizeOf(draft) > this.#limits.maxDraftChars) return 'the draft is too large to share';
    this.#drafts.set(key, draft);
    dropOldest(this.#drafts, this.#limits.maxDrafts);
    return undefined;
  }

  #leave(session: URI, clientId: unknown, actor: Actor): string | undefined {
    if (clientId !== actor.clientId || this.#isAnothers(session, actor)) return 'only the client itself goes';
    this.removeActiveClient(session, actor);
    return undefined;
  }

  #setActiveClient(session: URI, client: unknown, actor: Actor): string | undefined {
    const { clientId, credentialId } = actor;
    if (!isRecord(client) || textOf(client['clientId']) !== clientId) return REJECTION.invalidAction;
    if (sizeOf(client) > this.#limits.maxActiveClientChars) return 'the client has more to offer than fits';
    if (this.#isAnothers(session, actor)) return 'another client with this id, and another token, is active here';
    const clients = this.#activeClients.get(session) ?? new Map<string, ActiveClient>();
    if (!clients.has(clientId) && clients.size >= this.#limits.maxActiveClientsPerSession)
      return 'too many active clients';
    clients.set(clientId, { credentialId, state: client as AhpActiveClient });
    this.#activeClients.set(session, clients);
    return undefined;
  }

  #isAnothers(session: URI, { clientId, credentialId }: Owner): boolean {
    const active = this.#activeClients.get(session)?.get(clientId);
    return active !== undefined && active.credentialId !== credentialId;
  }
}

function draftKey(session: URI, { credentialId }: Pick<Actor, 'credentialId'>): string {
  return [session, credentialId].join('\n');
}

/** An empty draft with the model: VS Code takes the model for the next message from there. */
export function modelDraft(model: string): JsonRecord {
  return { text: '', origin: { kind: 'user' }, model: { id: model } };
}
