import type { Disposable, HostClient } from '@agenthost/client';
import { type ClientAction, roleIncludes } from '@agenthost/protocol';
import { errorMessage, roleForAction } from '@agenthost/protocol/internal';
import { AgentHostProvider, type ChatModel, Drafts, type Session, SessionsListModel } from '@agenthost/sessions';
import { safeLine } from '../text/safeText.js';
import type { Prompt } from '../turn/prompt.js';
import { currentPrompt } from './promptKeys.js';
import { editOf, NOTHING } from './textEdit.js';
import type { UiState } from './uiState.js';

const FRAME_MS = 33;
const TURNS = 30;
/** How long a question is on the screen before a key can answer it without Tab. */
const APPEARS_MS = 700;

/** Everything that the screen shows, in one place that says when to draw again: at most once per frame. */
export class AttachModel {
  readonly host: HostClient;
  readonly provider: AgentHostProvider;
  readonly list: SessionsListModel;
  readonly #drafts = new Drafts();
  readonly #listeners = new Set<() => void>();
  readonly #following: Disposable[];
  #chat: { readonly model: ChatModel; readonly following: readonly Disposable[] } | undefined;
  #ui: UiState = { focus: 'list', isListHidden: false, selected: 1, scrolledUp: 0, composer: NOTHING };
  #version = 0;
  #frame: NodeJS.Timeout | undefined;
  /** The question on the screen, until it has been there for a moment. */
  #appearing: { readonly prompt: Prompt; readonly timer: NodeJS.Timeout } | undefined;
  #shown: Prompt | undefined;

  constructor(host: HostClient) {
    this.host = host;
    this.provider = new AgentHostProvider(host);
    this.list = new SessionsListModel(this.provider, { filter: { isArchived: false } });
    const changed = () => this.#soon();
    this.#following = [
      this.list.version.subscribe(changed),
      this.provider.onDidChangeSessions(changed),
      host.connection.subscribe(changed),
      host.root.state.subscribe(changed),
    ];
  }

  get ui(): UiState {
    return this.#ui;
  }

  get chat(): ChatModel | undefined {
    return this.#chat?.model;
  }

  /** Whether this device's role allows it: an action's type, with the fields that the role depends on. The host refuses the rest anyway. */
  may(type: ClientAction['type'], fields: Readonly<Record<string, unknown>> = {}): boolean {
    return roleIncludes(this.host.role, roleForAction({ ...fields, type }));
  }

  /** Whether the question is so new that a key may have been meant for something else. */
  hasJustAppeared(prompt: Prompt): boolean {
    return this.#shown !== prompt || this.#appearing?.prompt === prompt;
  }

  /** For React: the number changes with each change. */
  readonly version = (): number => this.#version;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  update(changes: Partial<UiState>): void {
    this.#ui = { ...this.#ui, ...changes };
    if ('composer' in changes && this.chat && !this.#ui.editing) {
      this.#drafts.set(this.chat.resource, this.#ui.composer.text);
    }
    this.#now();
  }

  /** Removes what is optional. */
  clear(...keys: readonly ('dialog' | 'notice' | 'editing')[]): void {
    const { dialog, notice, editing, ...rest } = this.#ui;
    const optional = { dialog, notice, editing };
    const kept = Object.entries(optional).filter(
      ([key, value]) => value !== undefined && !keys.includes(key as 'dialog'),
    );
    this.#ui = { ...rest, ...Object.fromEntries(kept) };
    this.#now();
  }

  notify(text: string, isError = false): void {
    this.update({ notice: { text: safeLine(text), isError } });
  }

  /** Shows an error of an action that was refused or could not be sent. */
  attempt(action: Promise<unknown>): void {
    action.catch((error: unknown) => this.notify(errorMessage(error), true));
  }

  get selectedSession(): Session | undefined {
    const item = this.list.at(this.#ui.selected);
    return item?.kind === 'session' ? item.session : undefined;
  }

  /** By its resource here, or its URI on the host. */
  open(resource: string) {
    const named = resource.startsWith(`${this.provider.id}:`) ? resource : `${this.provider.id}:${resource}`;
    if (this.chat?.resource === named) return this.update({ focus: 'composer' });
    this.#closeChat();
    const model = this.provider.openChat(named, { turns: TURNS });
    const changed = () => this.#soon();
    const following = [model.state, model.phase, model.confirmations, model.permissions].map((each) =>
      each.subscribe(changed),
    );
    this.#chat = { model, following };
    this.clear('editing', 'dialog', 'notice');
    this.update({ focus: 'composer', scrolledUp: 0, composer: editOf(this.#drafts.of(named).value) });
    model.opened().then(
      () => (this.may('session/isReadChanged') ? model.markRead().catch(() => {}) : undefined),
      () => {},
    );
  }

  dispose(): void {
    clearTimeout(this.#frame);
    clearTimeout(this.#appearing?.timer);
    this.#listeners.clear();
    this.#closeChat();
    for (const following of this.#following) following.dispose();
    this.list.dispose();
    this.provider.dispose();
  }

  #closeChat(): void {
    for (const following of this.#chat?.following ?? []) following.dispose();
    this.#chat?.model.dispose();
    this.#chat = undefined;
  }

  /** The chosen session stays chosen when the list changes. */
  #followSelection(): void {
    const { selectedId, selected } = this.#ui;
    const line = selectedId === undefined ? -1 : this.list.indexOf(selectedId);
    const last = Math.max(this.list.length - 1, 0);
    if (line >= 0) this.#ui = { ...this.#ui, selected: line };
    else {
      const nearest = Math.min(selected, last);
      const item = this.list.at(nearest);
      // A heading can't be chosen; it is only met when the chosen row is gone.
      const isHeading = item?.kind === 'group' && !item.isCollapsed && nearest < last;
      this.#ui = { ...this.#ui, selected: isHeading ? nearest + 1 : nearest };
    }
  }

  #followPrompt(): void {
    const prompt = currentPrompt(this);
    if (prompt === this.#shown) return;
    this.#shown = prompt;
    clearTimeout(this.#appearing?.timer);
    this.#appearing = undefined;
    if (!prompt) return;
    const seen = () => {
      this.#appearing = undefined;
      this.#now();
    };
    this.#appearing = { prompt, timer: setTimeout(seen, APPEARS_MS) };
  }

  #soon(): void {
    this.#frame ??= setTimeout(() => this.#now(), FRAME_MS);
  }

  #now(): void {
    clearTimeout(this.#frame);
    this.#frame = undefined;
    this.#version++;
    this.#followSelection();
    this.#followPrompt();
    for (const listener of this.#listeners) listener();
  }
}
