import { setTimeout as delay } from 'node:timers/promises';
import { ActionRejectedError, connect, type HostClient, type SessionHandle } from '@agenthost/client';
import type { SessionState, URI } from '@agenthost/protocol';
import { expect } from 'vitest';
import { until } from '../../../support/until.js';

/** What became of everything that clients have sent to one session. */
export interface Sent {
  readonly accepted: Set<string>;
  readonly refused: Map<string, string>;
  /** Their senders were not told. */
  readonly unknown: Set<string>;
  /** When something was accepted, by this process's clock. */
  readonly times: number[];
}

export interface ClusterLoadOptions {
  readonly url: URL;
  readonly token: string;
  readonly sessions: number;
  readonly clients: number;
  /** How long anything may take. */
  readonly patienceMs: number;
}

/** Between two of one sender: hosts, database and clients share the machine's cores. */
const PAUSE_MS = 15;
const QUIET_MS = 400;
/** Clients that send nothing, and so are told nothing unless the hosts see to it. */
const WATCHERS = 3;

/** Clients that send to several sessions all the time, and note what they are told. */
export class ClusterLoad {
  readonly sent = new Map<URI, Sent>();
  readonly #options: ClusterLoadOptions;
  readonly #clients: HostClient[] = [];
  readonly #handles: SessionHandle[] = [];
  #loads: Promise<void>[] = [];
  #isOver = false;
  /** How often clients lost their connections. */
  disconnects = 0;

  constructor(options: ClusterLoadOptions) {
    this.#options = options;
  }

  async begin(): Promise<void> {
    const { sessions, clients } = this.#options;
    const uris: URI[] = [];
    for (let n = 0; n < sessions; n++) {
      // Each at the host where the balancer sends its maker.
      const maker = await this.connect();
      this.#clients.push(maker);
      const session = await maker.createSession({ provider: 'mock' });
      await session.ready();
      uris.push(session.uri);
      this.sent.set(session.uri, { accepted: new Set(), refused: new Map(), unknown: new Set(), times: [] });
    }
    for (let n = 0; n < clients; n++) {
      const client = await this.connect();
      this.#clients.push(client);
      // Each looks at two of them, so that every session has clients at several hosts. The last session is quiet: one sends.
      const busy = uris.slice(0, -1);
      for (const uri of new Set([n === 0 ? uris.at(-1) : busy[n % busy.length], busy[(n * 2 + 1) % busy.length]])) {
        if (uri !== undefined) this.#handles.push(await client.openSession(uri));
      }
    }
    const senders = [...this.#handles];
    for (let n = 0; n < WATCHERS; n++) {
      const client = await this.connect();
      this.#clients.push(client);
      for (const uri of uris) this.#handles.push(await client.openSession(uri));
    }
    const speakers = new Set<URI>();
    this.#loads = senders.map((session, index) => {
      const isSpeaker = !speakers.has(session.uri);
      speakers.add(session.uri);
      if (session.uri === uris.at(-1)) return this.#rename(session, index, QUIET_MS);
      return isSpeaker ? this.#speak(session, index) : this.#rename(session, index);
    });
    for (const load of this.#loads) load.catch(() => {});
    for (const { connection } of this.#clients) {
      connection.subscribe(({ state }) => {
        if (state !== 'connected' && state !== 'connecting') this.disconnects++;
      });
    }
  }

  connect(url: URL = this.#options.url): Promise<HostClient> {
    const { token } = this.#options;
    const times = { connectTimeoutMs: 5_000, keepAliveMs: 2_000, commandTimeoutMs: this.#options.patienceMs };
    return connect({ url, token, random: () => 0.2, ...times });
  }

  get acceptedCount(): number {
    return [...this.sent.values()].reduce((sum, { accepted }) => sum + accepted.size, 0);
  }

  /** Resolves when every session has accepted something that was sent after this. Rejects with what hangs. */
  async goesOn(): Promise<void> {
    const before = new Map([...this.sent].map(([uri, { times }]) => [uri, times.length]));
    const end = performance.now() + this.#options.patienceMs;
    for (;;) {
      const waiting = [...this.sent].filter(([uri, { times }]) => times.length < (before.get(uri) ?? 0) + 2);
      if (waiting.length === 0) return;
      if (performance.now() > end) throw new Error(`hangs: ${waiting.map(([uri]) => this.#describe(uri)).join('; ')}`);
      await Promise.race([delay(50), ...this.#loads.map((load) => load.then(() => delay(50)))]);
    }
  }

  /** Nothing more is sent, and all of it has been answered. */
  async end(): Promise<void> {
    this.#isOver = true;
    const hangs = delay(this.#options.patienceMs, undefined, { ref: false }).then(() => {
      const pending = this.#handles.filter(({ state, confirmed }) => state.value !== confirmed.value);
      throw new Error(`never answered: ${pending.map(({ uri }) => this.#describe(uri)).join('; ')}`);
    });
    hangs.catch(() => {});
    await Promise.race([Promise.all(this.#loads), hangs]);
  }

  /** What every client sees now. */
  async seen(): Promise<readonly { readonly uri: URI; readonly state: SessionState }[]> {
    await Promise.all(this.#clients.map((client) => client.ping()));
    return this.#handles.map(({ uri, confirmed }) => ({ uri, state: confirmed.value }));
  }

  close(): void {
    this.#isOver = true;
    for (const client of this.#clients) client.close();
  }

  #describe(uri: URI): string {
    const here = this.#handles.filter((handle) => handle.uri === uri);
    const pending = here.map(
      ({ state, confirmed, gone }) =>
        `${state.value === confirmed.value ? 'in step' : 'pending'}${gone.value ? ` gone: ${gone.value.message}` : ''}`,
    );
    const states = this.#clients.map(({ connection }) => connection.value.state);
    return `${uri} (${pending.join(', ')}; clients ${states.join(', ')})`;
  }

  async #rename(session: SessionHandle, index: number, pauseMs = PAUSE_MS): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const id = `r${index}-${n}.`;
      await this.#note(session, id, () => session.rename(id));
      await delay(pauseMs);
    }
  }

  /** Turns whose text streams. */
  async #speak(session: SessionHandle, index: number): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const id = `t${index}-${n}.`;
      await until(session.confirmed, ({ activeTurn }) => !activeTurn, 'the end of a turn', this.#options.patienceMs);
      await this.#note(session, id, () => session.send(n % 3 === 0 ? 'stream 700' : 'hello', id));
      await delay(PAUSE_MS);
    }
  }

  async #note(session: SessionHandle, id: string, send: () => Promise<unknown>): Promise<void> {
    const sent = this.sent.get(session.uri);
    try {
      await send();
      sent?.accepted.add(id);
      sent?.times.push(performance.now());
    } catch (error) {
      if (error instanceof ActionRejectedError) sent?.refused.set(id, error.message);
      else sent?.unknown.add(`${id} ${String(error)}`);
    }
  }
}

/** Of the turns those that both know: a client that was there for long has more of them than one that has just come. */
export function expectSame(one: SessionState, other: SessionState, what: string): void {
  const common = Math.min(one.turns.length, other.turns.length);
  const comparable = ({ clients: _, turns, earlierTurns = 0, ...state }: SessionState) => ({
    ...state,
    count: earlierTurns + turns.length,
    turns: turns.slice(turns.length - common),
  });
  expect(comparable(one), what).toEqual(comparable(other));
}
