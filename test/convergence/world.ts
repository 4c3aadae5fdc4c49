import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { connect, type HostClient } from '@agenthost/client';
import { Host, MockAgent, type SessionStorage } from '@agenthost/host';
import { parseSessionUri, sessionUri, type URI } from '@agenthost/protocol';
import { LocalSessionStorage } from '../../packages/host/src/storage/localSessionStorage.js';
import { FlakyStorage, HICCUP } from '../support/storage/flakyStorage.js';
import { Journal } from './journal.js';
import type { Scenario } from './steps.js';
import { immediately, TestClient, type WireMessage } from './testClient.js';
import type { TestWorld } from './testWorld.js';
import { Wire } from './wire.js';
import { WireOrder } from './wireOrder.js';

/** Several clients and a host, as far as a run has come. */
export class World implements TestWorld {
  readonly hasOneCounter = true;
  readonly journal: Journal;
  readonly clients: readonly TestClient[];
  readonly sessions: URI[] = [];
  readonly scenario: Scenario;
  readonly #base: string;
  readonly #endings: Promise<void>[] = [];
  #host: Host;
  #life: { isOver: boolean };
  #stateDir: string;
  #isUp = true;
  #restarting: Promise<void> = Promise.resolve();
  /** By session id, for the host of now and all later ones. */
  readonly #unreadable: Map<string, string>;
  #waiters: (() => void)[] = [];
  #dirs = 0;
  #messages = 0;
  /** The highest `serverSeq` that any client was told, and what it was when the present host started. */
  #highestSeen = 0;
  #highestBeforeStart = 0;
  /** The host at the other end must say nothing lower. */
  readonly #lowest = new WeakMap<Wire, number>();
  readonly #order: WireOrder;

  static async start(scenario: Scenario, root: string): Promise<World> {
    const base = mkdtempSync(join(root, 'run-'));
    const journal = new Journal();
    const stateDir = join(base, 'state-0');
    const life = { isOver: false };
    const unreadable = new Map<string, string>();
    const host = await startHost(stateDir, scenario, base, journal, life, unreadable);
    const world = new World(scenario, base, journal, host, stateDir, life, unreadable);
    await world.#begin();
    return world;
  }

  private constructor(
    scenario: Scenario,
    base: string,
    journal: Journal,
    host: Host,
    stateDir: string,
    life: { isOver: boolean },
    unreadable: Map<string, string>,
  ) {
    this.#life = life;
    this.#unreadable = unreadable;
    this.scenario = scenario;
    this.#base = base;
    this.journal = journal;
    this.#order = new WireOrder(journal);
    this.#host = host;
    this.#stateDir = stateDir;
    this.clients = Array.from(
      { length: scenario.clients },
      (_, index) =>
        new TestClient({
          clientId: `client-${index}`,
          reachable: (client, signal) => this.#reachable(client, signal),
          attach: (wire) => this.#attach(wire),
          onError: (error) => journal.violations.push(`client-${index} reports: ${String(error)}`),
          onDuplicated: ({ clientId }, clientSeq) => journal.duplicated.add(`${clientId}#${clientSeq}`),
          onFrame: (client, wire, message) => this.#check(client, wire, message),
        }),
    );
  }

  nextMark(): string {
    return `m${++this.#messages}`;
  }

  nextSession(): URI {
    const uri = sessionUri('mock', `s${this.sessions.length}`);
    this.sessions.push(uri);
    return uri;
  }

  /** A session that can't be read from disk stays so across restarts, until it can or everything heals. */
  hiccup(session: number, fails: boolean): void {
    const uri = this.sessions[session % this.sessions.length];
    const { sessionId = '' } = parseSessionUri(uri ?? '') ?? {};
    if (fails) this.#unreadable.set(sessionId, 'EIO');
    else this.#unreadable.delete(sessionId);
  }

  async mend(): Promise<void> {
    this.#unreadable.clear();
    await this.restarted();
  }

  setOnline(client: TestClient, online: boolean): void {
    client.online = online;
    this.#reachabilityChanged();
  }

  /** Connected clients may keep talking to the host while it ends. */
  async restartHost(): Promise<void> {
    await this.restarted();
    this.#isUp = false;
    this.#restarting = this.#host.close().then(() => this.#start(this.#stateDir));
  }

  async restarted(): Promise<void> {
    await this.#restarting;
  }

  /** As `kill -9`: what is on disk now is all that the next host finds. */
  async killHost(lastFramesArrive: boolean): Promise<void> {
    await this.restarted();
    this.#isUp = false;
    const copy = join(this.#base, `state-${++this.#dirs}`);
    copyState(this.#stateDir, copy);
    // What it finds of its own from now on (its temporary folder gone, say) it would not have lived to see.
    this.#life.isOver = true;
    for (const { wires } of this.clients) for (const wire of wires) wire.hostDied(lastFramesArrive);
    this.#endings.push(this.#host.close());
    await this.#start(copy);
  }

  observer(): Promise<HostClient> {
    return connect({
      clientId: `observer-${this.#dirs}`,
      transport: async () => {
        const wire = new Wire();
        this.#attach(wire);
        return wire.client;
      },
      keepAliveMs: 0,
      schedule: immediately,
    });
  }

  async heard(clients: readonly HostClient[]): Promise<void> {
    await Promise.all(clients.map((client) => client.ping()));
  }

  storage(): SessionStorage {
    return new LocalSessionStorage({
      stateRoot: this.#stateDir,
      listSessionIds: async function* () {},
      durability: 'write',
      initialCwd: this.#stateDir,
      now: Date.now,
      newId: () => crypto.randomUUID(),
      onDamage: (id, damage) => {
        throw new Error(`the log of ${id} is damaged: ${JSON.stringify(damage)}`);
      },
    });
  }

  async stop(): Promise<void> {
    for (const client of this.clients) client.connection.close();
    await this.#host.close();
  }

  async dispose(): Promise<void> {
    for (const client of this.clients) client.connection.close();
    await this.#restarting.catch(() => {});
    await Promise.allSettled([this.#host.close(), ...this.#endings]);
    rmSync(this.#base, { recursive: true, force: true });
  }

  /** All clients connected, and watching one session that is ready. */
  async #begin(): Promise<void> {
    const [first] = this.clients;
    const uri = this.nextSession();
    const created = await first?.connection.createSession({ provider: 'mock', session: uri });
    await created?.ready();
    if (first && created) first.handles.set(uri, created);
    for (const client of this.clients.slice(1)) client.handles.set(uri, await client.connection.openSession(uri));
  }

  async #start(stateDir: string): Promise<void> {
    this.#highestBeforeStart = this.#highestSeen;
    this.#life = { isOver: false };
    this.#host = await startHost(stateDir, this.scenario, this.#base, this.journal, this.#life, this.#unreadable);
    this.#stateDir = stateDir;
    this.#isUp = true;
    this.#reachabilityChanged();
  }

  async #reachable(client: TestClient, signal: AbortSignal): Promise<void> {
    while (!client.online || !this.#isUp) {
      await new Promise<void>((resolve, reject) => {
        this.#waiters.push(resolve);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    }
    signal.throwIfAborted();
  }

  #attach(wire: Wire): void {
    this.#lowest.set(wire, this.#highestBeforeStart);
    this.#host.attach(wire.host);
  }

  #reachabilityChanged(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  /** What arrives at a client has numbers that rise, and are higher than all of an earlier host. */
  #check(client: TestClient, wire: Wire, message: WireMessage): void {
    const lowest = this.#lowest.get(wire) ?? 0;
    for (const serverSeq of this.#order.check(client, wire, message)) {
      if (serverSeq < lowest) {
        this.journal.violations.push(
          `${client.clientId}: serverSeq ${serverSeq}, though an earlier host had said ${lowest}`,
        );
      }
      this.#highestSeen = Math.max(this.#highestSeen, serverSeq);
    }
  }
}

/**
 * The folder as it is now; a lock dies with its process. In one go, so that the host's code does nothing meanwhile; but
 * what it has already handed to the file system's threads may end, and a temporary file get its name under the copy's
 * hands. Such a copy is of no moment that ever was, and is made again.
 */
function copyState(from: string, to: string, attempts = 20): void {
  try {
    cpSync(from, to, { recursive: true, filter: (path) => !basename(path).startsWith('host.lock') });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempts <= 1) throw error;
    rmSync(to, { recursive: true, force: true });
    copyState(from, to, attempts - 1);
  }
}

async function startHost(
  stateDir: string,
  scenario: Scenario,
  cwd: string,
  journal: Journal,
  life: { readonly isOver: boolean },
  unreadable: Map<string, string>,
): Promise<Host> {
  const hasHiccups = scenario.steps.some((step) => step.do === 'hiccup');
  const [idleMs, abortGraceMs] = [scenario.evict ? 1 : 60_000, 5];
  return Host.start({
    stateDir,
    env: {},
    agents: [new MockAgent()],
    defaultDirectory: cwd,
    sessionIdleMs: idleMs,
    agentIdleMs: idleMs,
    abortGraceMs,
    ...(hasHiccups && { storage: new FlakyStorage(stateDir, unreadable) }),
    ...(scenario.shortReplay && { replayLimits: { maxEnvelopes: 8, maxBytes: 1_000_000 } }),
    log: {
      error: (message, cause) => {
        const told = `the host reports: ${message} ${String(cause ?? '')}`;
        if (!life.isOver && !told.includes(HICCUP)) journal.violations.push(told);
      },
      warn: (message) => journal.note(`  host: ${message}`),
      info: () => {},
      debug: () => {},
    },
  });
}
