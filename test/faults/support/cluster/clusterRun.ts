import { setTimeout as delay } from 'node:timers/promises';
import type { SessionState, URI } from '@agenthost/protocol';
import { expect } from 'vitest';
import type { LogRecord } from '../../../../packages/host/src/storage/log/eventLog.js';
import { TestPostgres } from '../../../support/storage/postgres.js';
import { PATIENCE_MS } from '../amount.js';
import { Balancer } from './balancer.js';
import { ClusterLoad, expectSame, type Sent } from './clusterLoad.js';
import { ClusterNode, LEASE_S } from './clusterNode.js';
import { pick, seeded } from './random.js';
import { readLogs } from './readLogs.js';

export const CLUSTER_FAULTS = [
  'kill',
  'stop',
  'term',
  'cutDatabase',
  'silentDatabase',
  'cutLinks',
  'restartDatabase',
  'crashDatabase',
  'cutClients',
] as const;
export type ClusterFault = (typeof CLUSTER_FAULTS)[number];

export interface ClusterRunOptions {
  readonly seed: number;
  readonly faults: number;
  readonly only?: readonly ClusterFault[];
  /** Default 3. */
  readonly hosts?: number;
  /** How long a fault lasts at the most. */
  readonly maxHoldMs?: number;
  /** For the hosts. */
  readonly env?: Readonly<Record<string, string>>;
  /** How long anything may take. */
  readonly patienceMs?: number;
}

export interface ClusterResult {
  readonly accepted: number;
  readonly refused: number;
  readonly unknown: number;
  /** How often clients lost their connections. */
  readonly disconnects: number;
  /** Turns that did not end by themselves. */
  readonly interrupted: number;
  /** By fault: the longest time in which a session accepted nothing, in ms. */
  readonly pauses: Readonly<Record<string, readonly number[]>>;
  /** What the longest of them followed, and in which session. */
  readonly longest: string;
}

const LEASE_MS = LEASE_S * 1_000;

/**
 * Three hosts on one database under faults in random order, with clients spread over them. Throws when an accepted action is lost,
 * one is doubled, one that was refused is there, a client sees something else than the others, or a log has a gap.
 */
export async function runCluster(options: ClusterRunOptions): Promise<ClusterResult> {
  const postgres = await TestPostgres.start();
  const run = new ClusterRun(postgres, options);
  try {
    return await run.play();
  } catch (error) {
    const faults = run.history.join(', ');
    throw new Error(`seed ${options.seed}, after ${faults}: ${String(error)}`, { cause: error });
  } finally {
    await run.dispose();
    await postgres.dispose();
  }
}

class ClusterRun {
  readonly history: string[] = [];
  readonly #postgres: TestPostgres;
  readonly #options: ClusterRunOptions;
  readonly #random: () => number;
  readonly #nodes: ClusterNode[] = [];
  readonly #pauses: Record<string, number[]> = {};
  #longest = { ms: 0, after: 'no fault' };
  #balancer: Balancer | undefined;
  #load: ClusterLoad | undefined;

  constructor(postgres: TestPostgres, options: ClusterRunOptions) {
    this.#postgres = postgres;
    this.#options = options;
    this.#random = seeded(options.seed);
  }

  async play(): Promise<ClusterResult> {
    const url = await this.#postgres.newDatabase();
    const { faults, env = {}, only = CLUSTER_FAULTS, hosts = 3, maxHoldMs = 2.5 * LEASE_MS } = this.#options;
    const balancer = await Balancer.start(() => {
      const up = this.#nodes.filter(({ isUp }) => isUp);
      return up.length > 0 ? pick(this.#random, up).url : undefined;
    });
    this.#balancer = balancer;
    for (const name of ['a', 'b', 'c'].slice(0, hosts)) {
      this.#nodes.push(await ClusterNode.start({ name, database: new URL(url), publicUrl: () => balancer.url, env }));
    }
    const load = new ClusterLoad({
      url: balancer.url,
      token: this.#nodes[0]?.token ?? '',
      sessions: 5,
      clients: 8,
      patienceMs: this.#options.patienceMs ?? PATIENCE_MS,
    });
    this.#load = load;
    await load.begin();
    await load.goesOn();
    for (let n = 0; n < faults; n++) {
      const node = await this.#victim(url);
      const others = this.#nodes.filter((other) => other !== node);
      const planned = [{ fault: pick(this.#random, only), node, holdMs: 100 + this.#random() * maxHoldMs }];
      // Sometimes two things at once.
      if (others.length > 0 && this.#random() < 0.4) {
        const second = { node: pick(this.#random, others), holdMs: 100 + this.#random() * maxHoldMs };
        planned.push({
          ...second,
          fault: pick(
            this.#random,
            only.filter((fault) => !fault.endsWith('Database')),
          ),
        });
        n++;
      }
      const names = planned.map(({ fault }) => fault).join(' and ');
      this.history.push(
        planned.map((one) => `${one.fault} ${one.node.name} ${Math.round(one.holdMs)} ms`).join(' with '),
      );
      const began = performance.now();
      await Promise.all(planned.map((one) => this.#make(one.fault, one.node, one.holdMs)));
      await load.goesOn();
      this.#notePause(planned.length > 1 ? 'two at once' : names, began);
    }
    await load.end();
    await this.#checkSeen(load);
    const { disconnects } = load;
    for (const node of this.#nodes) await node.end('SIGTERM');
    const logs = await readLogs(url, load.sent.keys());
    check(load.sent, logs);
    const errors = [...logs.values()]
      .flat()
      .filter((one) => one.type === 'action' && one.action.type === 'session/error');
    const sent = [...load.sent.values()];
    return {
      accepted: load.acceptedCount,
      refused: sent.reduce((sum, { refused }) => sum + refused.size, 0),
      unknown: sent.reduce((sum, { unknown }) => sum + unknown.size, 0),
      disconnects,
      interrupted: errors.length,
      pauses: this.#pauses,
      longest: `${this.#longest.ms} ms, ${this.#longest.after}`,
    };
  }

  /** Mostly one that has sessions: the others are hardly missed. */
  async #victim(url: string): Promise<ClusterNode> {
    const any = pick(this.#random, this.#nodes);
    const wantsOwner = this.#random() < 0.7;
    const sql = 'select h.url from agenthost.session s join agenthost.host h on h.id = s.owner';
    const rows = await this.#postgres.query<{ url: string | null }>(url, sql);
    const owners = this.#nodes.filter((node) => rows.some((row) => row.url === node.url?.href));
    return wantsOwner && owners.length > 0 ? pick(this.#random, owners) : any;
  }

  async dispose(): Promise<void> {
    this.#load?.close();
    for (const node of this.#nodes) await node.dispose();
    await this.#balancer?.close();
  }

  async #make(fault: ClusterFault, node: ClusterNode, holdMs: number): Promise<void> {
    const postgres = this.#postgres;
    switch (fault) {
      case 'kill':
      case 'term':
        await node.end(fault === 'kill' ? 'SIGKILL' : 'SIGTERM');
        await delay(holdMs / 2);
        return node.run();
      case 'stop': {
        const { url } = node;
        node.stop();
        // A balancer that asks for its health cuts its clients off; another one leaves them where they are.
        if (this.#random() < 0.5) this.#balancer?.cut(url);
        await delay(LEASE_MS + holdMs);
        return node.goOn();
      }
      case 'cutDatabase':
      case 'silentDatabase':
        node.cutFromDatabase({ silent: fault === 'silentDatabase' });
        await delay(holdMs);
        return node.joinDatabase();
      case 'cutLinks':
        node.cutLinks();
        await delay(holdMs);
        return node.cutLinks();
      case 'restartDatabase':
      case 'crashDatabase':
        await postgres.stop(fault === 'restartDatabase' ? 'SIGINT' : 'SIGQUIT');
        await delay(holdMs / 2);
        return postgres.run();
      case 'cutClients':
        this.#balancer?.cut(node.url);
        return;
    }
  }

  #notePause(fault: string, began: number): void {
    for (const [uri, { times }] of this.#load?.sent ?? []) {
      const after = times.filter((time) => time > began);
      const longest = Math.round(Math.max(...after.map((time, index) => time - (after[index - 1] ?? began))));
      this.#pauses[fault] = [...(this.#pauses[fault] ?? []), longest];
      if (longest > this.#longest.ms) this.#longest = { ms: longest, after: `${uri} after ${this.history.at(-1)}` };
    }
  }

  /** All clients, wherever they are, see what one sees that comes to any of the hosts now. */
  async #checkSeen(load: ClusterLoad): Promise<void> {
    const states = new Map<URI, SessionState>();
    for (const node of this.#nodes) {
      if (!node.url) throw new Error(`host ${node.name} has ended: ${node.errors}`);
      const fresh = await load.connect(node.url);
      for (const uri of load.sent.keys()) {
        const session = await fresh.openSession(uri);
        await expect.poll(() => session.confirmed.value.activeTurn, { timeout: PATIENCE_MS }).toBe(undefined);
        const state = session.confirmed.value;
        expectSame(state, states.get(uri) ?? state, `diverged: ${uri} at host ${node.name}`);
        states.set(uri, state);
      }
      fresh.close();
    }
    for (const { uri, state } of await load.seen()) {
      expectSame(state, states.get(uri) ?? state, `a client diverged in ${uri}`);
    }
  }
}

function check(sent: ReadonlyMap<URI, Sent>, logs: ReadonlyMap<URI, readonly LogRecord[]>): void {
  for (const [uri, { accepted, refused }] of sent) {
    const found = new Map<string, number>();
    const origins = new Map<string, number>();
    for (const record of logs.get(uri) ?? []) {
      if (record.type !== 'action' || !record.origin) continue;
      const { action, origin } = record;
      const id = action.type === 'session/titleChanged' ? action.title : 'turnId' in action ? action.turnId : '';
      const key = `${origin.clientId} ${origin.clientSeq}`;
      origins.set(key, (origins.get(key) ?? 0) + 1);
      found.set(id, (found.get(id) ?? 0) + 1);
    }
    const result = {
      lost: [...accepted].filter((id) => !found.has(id)),
      doubled: [...found, ...origins].filter(([, times]) => times > 1).map(([id]) => id),
      'refused, but there': [...refused].filter(([id]) => found.has(id)),
    };
    expect(result, uri).toEqual({ lost: [], doubled: [], 'refused, but there': [] });
  }
}
