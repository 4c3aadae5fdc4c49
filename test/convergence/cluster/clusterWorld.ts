import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ConnectionLostError, connect, type HostClient, type SessionHandle } from '@agenthost/client';
import type { SessionStorage } from '@agenthost/host';
import { sessionUri, type URI } from '@agenthost/protocol';
import type { Transport } from '@agenthost/rpc';
import type { Database } from '../../../packages/host/src/database/database.js';
import { storageOf } from '../../faults/support/cluster/readLogs.js';
import { Journal } from '../journal.js';
import { immediately, TestClient } from '../testClient.js';
import type { TestWorld } from '../testWorld.js';
import { Wire } from '../wire.js';
import { WireOrder } from '../wireOrder.js';
import { ClusterMember } from './clusterMember.js';
import { type ClusterScenario, HOSTS } from './clusterSteps.js';
import { LinkWire } from './linkWire.js';

/** Where the hosts of a run keep everything; one run at a time. */
export interface ClusterPlace {
  readonly root: string;
  readonly url: string;
  /** Past every host. */
  readonly database: Database;
}

/** A host, or what takes its place. */
interface Slot {
  readonly name: string;
  member: ClusterMember | undefined;
  /** One that ends after its drain: it takes nobody any more, but it may be frozen. */
  ending: ClusterMember | undefined;
  /** Resolves when a host that is being replaced has been. */
  replacing: Promise<void> | undefined;
}

/** How often hosts look at each other once nothing happens to them any more. */
const BEAT_MS = 40;

/** Several clients and three hosts on one database, as far as a run has come. */
export class ClusterWorld implements TestWorld {
  readonly hasOneCounter = false;
  readonly journal = new Journal();
  readonly clients: readonly TestClient[];
  readonly sessions: URI[] = [];
  readonly #scenario: ClusterScenario;
  readonly #place: ClusterPlace;
  readonly #base: string;
  readonly #order = new WireOrder(this.journal);
  readonly #slots: readonly Slot[];
  readonly #homes = new Map<string, number>();
  readonly #endings: Promise<unknown>[] = [];
  #links: LinkWire[] = [];
  #beats: NodeJS.Timeout | undefined;
  #waiters: (() => void)[] = [];
  #started = 0;
  #messages = 0;

  static async start(scenario: ClusterScenario, place: ClusterPlace): Promise<ClusterWorld> {
    const world = new ClusterWorld(scenario, place);
    try {
      await world.#begin();
      return world;
    } catch (error) {
      await world.dispose();
      throw error;
    }
  }

  private constructor(scenario: ClusterScenario, place: ClusterPlace) {
    this.#scenario = scenario;
    this.#place = place;
    this.#base = mkdtempSync(join(place.root, 'run-'));
    this.#slots = Array.from({ length: HOSTS }, (_, n) => ({
      name: `host-${n}`,
      member: undefined,
      ending: undefined,
      replacing: undefined,
    }));
    const { journal } = this;
    this.clients = Array.from({ length: scenario.clients }, (_, n) => {
      this.#homes.set(`client-${n}`, n % HOSTS);
      return new TestClient({
        clientId: `client-${n}`,
        reachable: (client, signal) => this.#reachable(client, signal),
        attach: (wire, client) => this.#attach(wire, client),
        onError: (error) => journal.violations.push(`client-${n} reports: ${String(error)}`),
        onDuplicated: ({ clientId }, clientSeq) => journal.duplicated.add(`${clientId}#${clientSeq}`),
        onFrame: (client, wire, message) => void this.#order.check(client, wire, message),
      });
    });
  }

  /** Links that are open, in the order in which they were made. */
  get links(): readonly LinkWire[] {
    this.#links = this.#links.filter(({ isOpen }) => isOpen);
    return this.#links;
  }

  /** One of its ends neither hears nor speaks. */
  isFrozen({ from, to }: LinkWire): boolean {
    const members = this.#slots.flatMap(({ member, ending }) => [member ?? [], ending ?? []].flat());
    return members.some(({ isFrozen, id }) => isFrozen && (id === from || id === to));
  }

  member(host: number): ClusterMember | undefined {
    return this.#slots[host % this.#slots.length]?.member;
  }

  nextMark(): string {
    return `m${++this.#messages}`;
  }

  nextSession(): URI {
    // All runs of a place have one database.
    const uri = sessionUri('mock', `s${this.sessions.length}-${this.#base.slice(-6)}`);
    this.sessions.push(uri);
    return uri;
  }

  setOnline(client: TestClient, online: boolean): void {
    client.online = online;
    this.#reachabilityChanged();
  }

  /** Where the client is sent from now on. */
  setHome({ clientId }: TestClient, host: number): void {
    this.#homes.set(clientId, host);
  }

  /** Until `wake`. */
  freeze(host: number): void {
    const member = this.member(host);
    member?.freeze();
    for (const link of this.#linksOf(member)) link.hold();
  }

  wake(host: number): void {
    const { member, ending } = this.#slots[host % this.#slots.length] ?? {};
    for (const one of [member, ending]) {
      if (!one?.isFrozen) continue;
      one.wake();
      for (const link of this.#linksOf(one)) if (!this.isFrozen(link)) link.release();
    }
  }

  /** The others see that it is gone, and take what it has; it knows nothing of that. */
  async takeForDead(host: number): Promise<void> {
    const member = this.member(host);
    if (!member) return;
    member.wasTakenForDead = true;
    await this.#removeRow(member);
    const others = this.#slots.flatMap((slot) => (slot.member && slot.member !== member ? [slot.member] : []));
    await Promise.all(others.filter(({ isFrozen }) => !isFrozen).map((other) => other.look()));
  }

  async kill(host: number, lastFramesArrive: boolean, isKnown: boolean): Promise<void> {
    const slot = this.#slots[host % this.#slots.length];
    const member = slot?.member;
    // One that is being replaced is about to end anyway.
    if (!slot || !member || slot.replacing) return;
    slot.member = undefined;
    for (const link of this.#linksOf(member)) {
      if (lastFramesArrive && link.to === member.id) link.cutForOwner();
      else link.cut();
    }
    this.#endings.push(member.kill(lastFramesArrive));
    if (isKnown) await this.#removeRow(member);
    this.#replace(slot, async () => {});
  }

  /** Gives its sessions away for that long, ends, and is replaced. */
  drain(host: number, ms: number): void {
    const slot = this.#slots[host % this.#slots.length];
    const member = slot?.member;
    if (!slot || !member || slot.replacing) return;
    this.#replace(slot, async () => {
      await member.drain(ms);
      slot.member = undefined;
      slot.ending = member;
      await member.close();
      slot.ending = undefined;
    });
  }

  async mend(): Promise<void> {
    const wakeAll = () => {
      for (const [n] of this.#slots.entries()) this.wake(n);
      for (const link of this.links) link.release();
    };
    wakeAll();
    for (const { replacing } of this.#slots) await replacing;
    wakeAll();
    // Those that were taken for dead are there again, and know what they have lost.
    for (let times = 0; times < 3; times++) await this.#look();
    this.#beats = setInterval(() => void this.#look(), BEAT_MS);
  }

  observer(): Promise<HostClient> {
    return connect({
      clientId: 'observer',
      transport: async () => {
        const wire = new Wire();
        this.#up(0).attach(wire);
        return wire.client;
      },
      keepAliveMs: 0,
      schedule: immediately,
    });
  }

  /** A command passes the owner and comes back behind all that it had told before. */
  async heard(clients: readonly HostClient[], sessions: readonly SessionHandle[]): Promise<void> {
    const isThere = ({ gone }: SessionHandle) => gone.value === undefined;
    // Who was taken for dead may not know yet what it has lost, and would answer from what it had.
    await this.#look();
    await Promise.all(
      sessions.filter(isThere).map(async (session) => {
        const asked = await session.listArtifacts({ limit: 1 }).catch((error: unknown) => error);
        if (asked instanceof Error && isThere(session)) this.journal.note(`  asked in vain: ${asked.message}`);
      }),
    );
    await Promise.all(clients.map(heardFrom));
  }

  async stop(): Promise<void> {
    clearInterval(this.#beats);
    for (const client of this.clients) client.connection.close();
    await Promise.all(this.#slots.map(({ member }) => member?.close()));
  }

  storage(): Pick<SessionStorage, 'open'> {
    return storageOf(this.#place.database);
  }

  async dispose(): Promise<void> {
    clearInterval(this.#beats);
    for (const client of this.clients) client.connection.close();
    for (const [n] of this.#slots.entries()) this.wake(n);
    for (const link of this.#links) link.cut();
    await Promise.allSettled(this.#slots.map(({ replacing }) => replacing));
    await Promise.allSettled([...this.#slots.map(({ member }) => member?.kill(false)), ...this.#endings]);
    const { database } = this.#place;
    for (const table of ['host', 'session', 'chunk']) await database.query(`delete from ${table}`);
    rmSync(this.#base, { recursive: true, force: true });
  }

  /** All clients connected, spread over the hosts, and watching one session that is ready. */
  async #begin(): Promise<void> {
    await Promise.all(
      this.#slots.map(async (slot) => {
        slot.member = await this.#start(slot.name);
      }),
    );
    await Promise.all(this.#slots.map(({ member }) => member?.look()));
    this.#reachabilityChanged();
    const [first] = this.clients;
    const uri = this.nextSession();
    const created = await first?.connection.createSession({ provider: 'mock', session: uri });
    await created?.ready();
    if (first && created) first.handles.set(uri, created);
    await Promise.all(
      this.clients.slice(1).map(async (client) => {
        client.handles.set(uri, await client.connection.openSession(uri));
      }),
    );
  }

  #start(name: string): Promise<ClusterMember> {
    const { evict, shortReplay } = this.#scenario;
    return ClusterMember.start({
      name,
      database: this.#place.url,
      stateDir: join(this.#base, `state-${this.#started++}`),
      defaultDirectory: this.#base,
      evict,
      shortReplay,
      dial: (from, to, dial) => this.#dial(from, to, dial),
      onError: (text) => this.journal.violations.push(text),
      onWarning: (text) => this.journal.note(`  ${text}`),
    });
  }

  #replace(slot: Slot, end: () => Promise<void>): void {
    slot.replacing = (async () => {
      await end();
      slot.member = await this.#start(slot.name);
      slot.replacing = undefined;
      this.#reachabilityChanged();
    })();
    slot.replacing.catch((error: unknown) => {
      this.journal.violations.push(`${slot.name} could not be replaced: ${String(error)}`);
    });
  }

  async #removeRow({ id }: ClusterMember): Promise<void> {
    await this.#place.database.query('delete from host where id = $1', [id]);
  }

  async #dial(from: ClusterMember, to: string, dial: (url: URL) => Promise<Transport>): Promise<Transport> {
    const find = () => this.#slots.find(({ member }) => member?.id === to)?.member;
    const refused = () => new Error('connection refused');
    const target = find();
    if (!target?.url || !this.#slots.some(({ member }) => member === from)) throw refused();
    const socket = await dial(target.url);
    // It may have been killed meanwhile.
    if (find() !== target || !this.#slots.some(({ member }) => member === from)) {
      socket.close();
      throw refused();
    }
    const wire = new LinkWire({
      from: from.id,
      to,
      socket,
      isHeld: from.isFrozen || target.isFrozen,
      onDuplicated: (text) => this.#duplicated(text),
    });
    this.#links.push(wire);
    return wire.transport;
  }

  #duplicated(text: string): void {
    const { method, params } = JSON.parse(text);
    if (method === 'link.dispatch') this.journal.duplicated.add(`${params.as.author.clientId}#${params.clientSeq}`);
  }

  /** Each host looks at the others, and whether its sessions are still its own. */
  async #look(): Promise<void> {
    await Promise.all(this.#slots.map(({ member }) => member?.look()));
  }

  #linksOf(member: ClusterMember | undefined): readonly LinkWire[] {
    return this.links.filter(({ from, to }) => member && (from === member.id || to === member.id));
  }

  /** That host, or the next one that is up. */
  #up(host: number): ClusterMember {
    for (let n = 0; n < HOSTS; n++) {
      const member = this.member(host + n);
      if (member) return member;
    }
    throw new Error('no host is up');
  }

  #attach(wire: Wire, client: TestClient): void {
    this.#up(this.#homes.get(client.clientId) ?? 0).attach(wire, client);
  }

  async #reachable(client: TestClient, signal: AbortSignal): Promise<void> {
    while (!client.online || this.#slots.every(({ member }) => member === undefined)) {
      await new Promise<void>((resolve, reject) => {
        this.#waiters.push(resolve);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    }
    signal.throwIfAborted();
  }

  #reachabilityChanged(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }
}

/** What the hosts have told this client is here. Where its connection ends meanwhile, it is told anew. */
async function heardFrom(client: HostClient): Promise<void> {
  for (;;) {
    await client.connected();
    try {
      return await client.ping();
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) throw error;
    }
  }
}
