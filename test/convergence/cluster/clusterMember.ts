import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Host, type HostLog, MockAgent } from '@agenthost/host';
import type { Transport } from '@agenthost/rpc';
import { Cluster } from '../../../packages/host/src/cluster/cluster.js';
import { Link, type LinkTarget } from '../../../packages/host/src/cluster/links/link.js';
import { Database } from '../../../packages/host/src/database/database.js';
import type { TestClient } from '../testClient.js';
import type { Wire } from '../wire.js';
import { DatabaseGate } from './databaseGate.js';

/** Longer than any run: who is dead is decided by the steps of a run, and not by a clock. */
const LEASE_MS = 600_000;

/** What an owner finds when it goes on after others have taken its sessions. */
const LOST_IT = /another host has taken the session|the database lacks bytes of this file/;

/** What a client finds that comes in the moment in which the host ends. It is cut off as well. */
const CLOSED = 'Cannot use a pool after calling end';

export interface ClusterMemberOptions {
  readonly name: string;
  readonly database: string;
  readonly stateDir: string;
  readonly defaultDirectory: string;
  readonly evict: boolean;
  readonly shortReplay: boolean;
  /** Rejects when the other host can't be reached. */
  readonly dial: (from: ClusterMember, to: string, dial: (url: URL) => Promise<Transport>) => Promise<Transport>;
  readonly onError: (text: string) => void;
  readonly onWarning: (text: string) => void;
}

/** By the log that they were started with, which all of their parts have. */
const members = new WeakMap<HostLog, ClusterMember>();

/** One host of a cluster in this process: the real one, with its links, its database and its clients in the hands of the suite. */
export class ClusterMember {
  readonly name: string;
  /** Connections of clients to it. */
  readonly wires = new Map<Wire, TestClient | undefined>();
  readonly gate = new DatabaseGate();
  readonly options: ClusterMemberOptions;
  readonly #front: Server;
  #host: Host | undefined;
  #cluster: Cluster | undefined;
  #url: URL | undefined;
  #isClosing = false;
  #isOver = false;
  isFrozen = false;
  wasTakenForDead = false;

  static async start(options: ClusterMemberOptions): Promise<ClusterMember> {
    // Only says whether somebody is there: links go past it.
    const front = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(front, 'listening');
    const member = new ClusterMember(options, front);
    try {
      await member.#start();
      return member;
    } catch (error) {
      front.close();
      await member.gate.close();
      throw error;
    }
  }

  private constructor(options: ClusterMemberOptions, front: Server) {
    this.name = options.name;
    this.options = options;
    this.#front = front;
  }

  get id(): string {
    return this.#host?.instanceId ?? '';
  }

  /** Where it really listens. */
  get url(): URL | undefined {
    return this.#url;
  }

  attach(wire: Wire, client?: TestClient): void {
    this.wires.set(wire, client);
    wire.host.onClose(() => this.wires.delete(wire));
    if (this.isFrozen) holdBoth(wire);
    this.#host?.attach(wire.host);
  }

  joined(cluster: Cluster): void {
    this.#cluster = cluster;
    // The lease is longer than any run, and other tests show that agents of a dead host are waited for (FEN7).
    cluster.freeAt = () => 0;
  }

  /** Tells the database that it is alive, and learns who else is. */
  async look(): Promise<void> {
    if (!this.#isOver) await this.#cluster?.look();
  }

  freeze(): void {
    this.isFrozen = true;
    this.gate.hold();
    for (const wire of this.wires.keys()) holdBoth(wire);
  }

  wake(): void {
    if (!this.isFrozen) return;
    this.isFrozen = false;
    this.gate.open();
    for (const [wire, client] of this.wires) {
      for (const lane of ['toHost', 'toClient'] as const) if (!client?.held[lane]) wire[lane].release();
    }
  }

  async drain(ms: number): Promise<void> {
    await this.#host?.drain(ms);
  }

  /** In the regular way. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#host?.close();
    this.#isOver = true;
    this.#front.close();
  }

  /** Whatever it does from now on reaches nobody. Resolves when its last timer has ended. */
  async kill(lastFramesArrive: boolean): Promise<void> {
    this.#isOver = true;
    this.#front.close();
    this.gate.kill();
    for (const wire of this.wires.keys()) wire.hostDied(lastFramesArrive);
    await this.#host?.close().catch(() => {});
    await this.gate.close();
  }

  async #start(): Promise<void> {
    const { database, stateDir, defaultDirectory, evict, shortReplay, onError, onWarning } = this.options;
    const idleMs = evict ? 1 : 60_000;
    const log: HostLog = {
      error: (message, cause) => {
        const told = `${this.name} reports: ${message} ${String(cause ?? '')}`;
        const isExpected = (this.wasTakenForDead && LOST_IT.test(told)) || (this.#isClosing && told.includes(CLOSED));
        if (!this.#isOver && !isExpected) onError(told);
      },
      warn: (message) => onWarning(`${this.name}: ${message}`),
      info: () => {},
      debug: () => {},
    };
    members.set(log, this);
    this.#host = await Host.start({
      stateDir,
      env: {},
      agents: [new MockAgent()],
      database,
      place: 'here',
      leaseMs: LEASE_MS,
      defaultDirectory,
      sessionIdleMs: idleMs,
      agentIdleMs: idleMs,
      abortGraceMs: 5,
      ...(shortReplay && { replayLimits: { maxEnvelopes: 8, maxBytes: 1_000_000 } }),
      log,
    });
    const { port } = this.#front.address() as AddressInfo;
    const { url } = await this.#host.listen({ linkUrl: new URL(`http://127.0.0.1:${port}`), token: 'x'.repeat(32) });
    this.#url = url;
  }
}

function holdBoth(wire: Wire): void {
  wire.toHost.hold();
  wire.toClient.hold();
}

// Where a host of a run reaches for the world around it, the run is asked first. Others are as ever.
const { open } = Database;
Database.open = async (options) => {
  const database = await open.call(Database, options);
  return members.get(options.log)?.gate.guard(database) ?? database;
};

const { join } = Cluster;
Cluster.join = async (options) => {
  const cluster = await join.call(Cluster, options);
  members.get(options.log)?.joined(cluster);
  return cluster;
};

const { dial } = Link;
Link.dial = async (from: string, target: LinkTarget, log: HostLog) => {
  const member = members.get(log);
  const really = (url: URL) => dial.call(Link, from, { ...target, url: url.href }, log);
  return member ? member.options.dial(member, target.id, really) : really(new URL(target.url));
};
