import type { UserMessage } from '@agenthost/protocol';
import { type Disposable, Emitter } from '@agenthost/rpc';
import { warnOfListenerError } from '../../hostLog.js';
import type { Agent, AgentEvent, AgentSession, DeleteConversationOptions, OpenSessionOptions } from '../agent.js';
import { oneLine } from '../events/boundedText.js';
import type { NativeLinks } from './nativeLinks.js';
import { BUSY_MS } from './nativeList.js';
import type { NativeStore, NativeTurns } from './nativeStore.js';

/** Read of the end of a conversation to find what others have said. */
const TAIL_BYTES = 1024 * 1024;
const OPEN_MS = 5 * 60_000;
const MAX_QUOTED = 3;
/** How the host tells an agent why something was denied. */
const OWN = /^The user did not allow this:/;

export interface NativeGuardOptions {
  readonly stores: readonly NativeStore[];
  readonly links: NativeLinks;
  readonly now: () => number;
}

/**
 * Keeps what people say in a terminal to a conversation that this host has open. Agents take no lock, and write what they know: of
 * two who continue one conversation, the later would not know what the earlier said.
 */
export function guardAgent(agent: Agent, options: NativeGuardOptions): Agent {
  const store = options.stores.find(({ provider }) => provider === agent.descriptor.provider);
  if (!store || store.isSafe) return agent;
  const openSession = async (opening: OpenSessionOptions): Promise<AgentSession> => {
    const guarded = new GuardedSession(agent, store, options, opening);
    return guarded.open();
  };
  const { deleteConversation } = agent;
  return withMembers(agent, () => agent, {
    openSession,
    ...(deleteConversation && {
      deleteConversation: async (deletion: DeleteConversationOptions) => {
        await mustBeKnown(store, options.links, deletion.nativeSessionId);
        await deleteConversation.call(agent, deletion);
      },
    }),
  });
}

/** Rejects when somebody has spoken in a terminal since the last turn here: nobody here has seen those words. */
async function mustBeKnown(store: NativeStore, links: NativeLinks, id: string): Promise<void> {
  const place = await store.find(id);
  if (!place) return;
  const { turns } = await store.turns(place, TAIL_BYTES);
  const known = (await links.get(`${store.provider}/${id}`))?.lastTurnId;
  const foreign = newSince(turns, known).map(({ userMessage }) => userMessage.text);
  const unseen = foreign.filter((text) => !OWN.test(text));
  if (unseen.length === 0) return;
  throw new Error(`It was continued in a terminal with ${quoted(unseen)}, which is not shown here.`);
}

/** An object with some members of its own, and all others of the target. */
function withMembers<T extends object>(base: T, target: () => T, members: Partial<T>): T {
  return new Proxy(base, {
    get: (_, key) => {
      if (key in members) return Reflect.get(members, key);
      const from = target();
      const value: unknown = Reflect.get(from, key, from);
      return typeof value === 'function' ? value.bind(from) : value;
    },
  });
}

class GuardedSession {
  readonly #agent: Agent;
  readonly #store: NativeStore;
  readonly #options: NativeGuardOptions;
  readonly #opening: OpenSessionOptions;
  readonly #events = new Emitter<AgentEvent>(warnOfListenerError);
  /** Events that wait until it is known whether somebody else has spoken. */
  #waiting: AgentEvent[] | undefined;
  #inner: AgentSession | undefined;
  #heard: Disposable | undefined;
  #said: string[] = [];
  #model: string | undefined;
  #isDisposed = false;

  constructor(agent: Agent, store: NativeStore, options: NativeGuardOptions, opening: OpenSessionOptions) {
    this.#agent = agent;
    this.#store = store;
    this.#options = options;
    this.#opening = opening;
  }

  async open(): Promise<AgentSession> {
    const inner = await this.#openInner(this.#opening);
    await this.#link();
    const members: Partial<AgentSession> = {
      onEvent: (listener) => this.#events.event(listener),
      send: (message) => this.#send(message),
      dispose: () => this.#dispose(),
      ...(inner.setModel && {
        setModel: async (id: string) => {
          this.#model = id;
          await this.#session.setModel?.(id);
        },
      }),
      ...(inner.steer && {
        steer: async (message: UserMessage) => {
          this.#said.push(message.text);
          await this.#session.steer?.(message);
        },
      }),
    };
    return withMembers(inner, () => this.#session, members);
  }

  get #session(): AgentSession {
    if (!this.#inner) throw new Error('the session is not open');
    return this.#inner;
  }

  async #openInner(opening: OpenSessionOptions): Promise<AgentSession> {
    const inner = await this.#agent.openSession(opening);
    this.#inner = inner;
    this.#heard = inner.onEvent((event) => this.#take(event));
    return inner;
  }

  async #send(message: UserMessage): Promise<void> {
    const { foreign, isBusy } = await this.#look().catch(() => NOTHING);
    if (foreign.length > 0 && isBusy) {
      const text = `It is open in a terminal, where somebody said ${quoted(foreign)}. Wait until it rests there, or continue in a copy.`;
      // After `send` has resolved, as every failure of a turn.
      setImmediate(() => this.#fire({ type: 'error', error: { errorType: 'nativeSessionBusy', message: text } }));
      return;
    }
    if (foreign.length > 0) await this.#reopen();
    this.#said = [message.text];
    await this.#session.send(message);
    if (foreign.length === 0) return;
    const text = `It was continued in a terminal with ${quoted(foreign)}, which is not shown here. ${this.#store.agentName} has read it.`;
    setImmediate(() => this.#fire({ type: 'notice', text, severity: 'info' }));
  }

  /** The agent reads its conversation again. */
  async #reopen(): Promise<void> {
    const { nativeSessionId: resume, mode } = this.#session;
    this.#heard?.dispose();
    await this.#session.dispose();
    if (this.#isDisposed) throw new Error('the session is disposed of');
    await this.#openInner({
      ...this.#opening,
      ...(resume !== undefined && { resume }),
      ...(mode && { mode: mode.id }),
      ...(this.#model !== undefined && { model: this.#model }),
    });
  }

  #take(event: AgentEvent): void {
    if (this.#waiting) this.#waiting.push(event);
    else if (event.type === 'idle' || event.type === 'error') {
      this.#waiting = [event];
      void this.#afterTurn();
    } else this.#fire(event);
  }

  async #afterTurn(): Promise<void> {
    const { foreign } = await this.#look(this.#said).catch(() => NOTHING);
    const events = this.#waiting ?? [];
    this.#waiting = undefined;
    if (foreign.length > 0) {
      const text = `Somebody said ${quoted(foreign)} in a terminal while this turn ran. ${this.#store.agentName} keeps both, and may know only one of them from now on.`;
      this.#fire({ type: 'notice', text, severity: 'warning' });
    }
    for (const [index, event] of events.entries()) {
      // The first one is the end of the turn.
      if (index === 0) this.#fire(event);
      else this.#take(event);
    }
  }

  #fire(event: AgentEvent): void {
    if (!this.#isDisposed) this.#events.fire(event);
  }

  /** What others have said since the last look. With `said`, a turn of our own may be among it. */
  async #look(said?: readonly string[]): Promise<Seen> {
    const id = this.#session.nativeSessionId;
    if (id === undefined) return NOTHING;
    const place = await this.#store.find(id);
    if (!place) return NOTHING;
    const { turns, isOpen } = await this.#store.turns(place, TAIL_BYTES);
    const known = (await this.#options.links.get(`${this.#store.provider}/${id}`))?.lastTurnId;
    await this.#link(turns.at(-1)?.id);
    const others = newSince(turns, known).filter(
      ({ userMessage: { text } }) => !OWN.test(text) && !said?.some((own) => isSame(own, text)),
    );
    const foreign = others.map(({ userMessage }) => userMessage.text);
    // Not when the file changed: agents write to it by themselves, also when they end.
    const age = Math.abs(this.#options.now() - (others.at(-1)?.endedAt ?? 0));
    const isBusy = age < (isOpen ? OPEN_MS : BUSY_MS);
    // What is refused is seen again next time.
    if (isBusy && foreign.length > 0 && !said) await this.#link(known);
    return { foreign, isBusy };
  }

  async #link(lastTurnId?: string): Promise<void> {
    const { links } = this.#options;
    const { nativeSessionId } = this.#session;
    if (nativeSessionId === undefined) return;
    const id = `${this.#store.provider}/${nativeSessionId}`;
    const before = await links.get(id);
    const session = `${this.#store.provider}:/${this.#opening.sessionId}`;
    const last = lastTurnId ?? before?.lastTurnId;
    const isOurs = before?.isOurs ?? this.#opening.resume === undefined;
    await links.set(id, { session, isOurs, ...(last !== undefined && { lastTurnId: last }) });
  }

  async #dispose(): Promise<void> {
    this.#isDisposed = true;
    this.#events.clear();
    await this.#inner?.dispose();
  }
}

interface Seen {
  readonly foreign: readonly string[];
  readonly isBusy: boolean;
}

const NOTHING: Seen = { foreign: [], isBusy: false };

/** The turns after the known one; none if it isn't among those that were read. */
function newSince(turns: NativeTurns['turns'], known: string | undefined): NativeTurns['turns'] {
  const at = known === undefined ? -1 : turns.findIndex(({ id }) => id === known);
  return at < 0 ? [] : turns.slice(at + 1);
}

/** Agents add to a message: instructions, the names of files. */
function isSame(own: string, found: string): boolean {
  const beginning = own.trim().slice(0, 200);
  return beginning === '' || found.includes(beginning);
}

function quoted(texts: readonly string[]): string {
  const shown = texts.slice(-MAX_QUOTED).map((text) => `"${oneLine(text, 80)}"`);
  return texts.length > MAX_QUOTED ? `${texts.length} messages, the last ${shown.at(-1)}` : shown.join(' and ');
}
