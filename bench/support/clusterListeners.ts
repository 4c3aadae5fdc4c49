import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TestPostgres } from '../../test/support/storage/postgres.ts';
import { BenchProcess } from './benchProcess.ts';
import { childMessage } from './childMessage.ts';
import { atMost, type Figure } from './figure.ts';
import { figureOf, median } from './figures.ts';
import type { Heard, ListenTask } from './listeners.ts';
import { note } from './measure.ts';
import { RequestClient } from './requestClient.ts';

const HOSTS = 3;
/** A host tells of each session once in so long where 1,000 clients listen. */
const TOLD_EVERY_MS = 2_000;
/** One client of so many counts: all of them would need more processors than the hosts. */
const SAMPLE = 50;
/** Nothing more is heard after so long. */
const PATIENCE_MS = 15_000;
const AT = 1_700_000_000_000;

/** One of the hosts, and the sessions that are there. */
class Member {
  readonly host: BenchProcess;
  readonly sender: RequestClient;
  readonly #uris: readonly string[];
  #clientSeq = 0;
  /** A new session counts as read. */
  readonly #unread = new Set<string>();

  static async start(database: string, sessions: number): Promise<Member> {
    const host = await BenchProcess.startHost(undefined, ['--database', database]);
    const sender = await RequestClient.open(host.address);
    const uris = Array.from({ length: sessions }, () => `mock:/${randomUUID()}`);
    for (const session of uris) await sender.request('createSession', { session });
    return new Member(host, sender, uris);
  }

  private constructor(host: BenchProcess, sender: RequestClient, uris: readonly string[]) {
    this.host = host;
    this.sender = sender;
    this.#uris = uris;
  }

  /** Each session changes once, evenly spread over the time in which a host tells of each once. */
  async change(): Promise<void> {
    const began = performance.now();
    for (const [n, session] of this.#uris.entries()) {
      const isRead = this.#unread.delete(session);
      if (!isRead) this.#unread.add(session);
      const action = { type: 'session/isReadChanged', session, at: AT, isRead };
      this.sender.send('dispatchAction', { clientSeq: ++this.#clientSeq, action });
      const early = began + ((n + 1) * TOLD_EVERY_MS) / this.#uris.length - performance.now();
      if (early > 0) await delay(early);
    }
  }
}

/**
 * The same on three hosts that share a database, each with a third of the clients and of the sessions, and the changes of the others
 * over links. It counts the CPU time of rounds in which all sessions change once: with so many clients a host tells of each session
 * once in two seconds, so a host needs that time every two seconds. A machine that is too slow for that, with the readers on it, takes
 * longer, and the CPU time is the same. Clients that are told of all sessions are a part of them, and the rest is EXTRAPOLATED: each
 * client costs a host the same. A part of the sessions would not do: what it takes to write to a client hardly depends on how many
 * changes it is told at once.
 */
export async function clusterListeners(quick: boolean): Promise<Figure[]> {
  const aim = quick
    ? { clients: 300, part: 300, sessions: 150, watch: 5 }
    : { clients: 5_000, part: 2_000, sessions: 1_500, watch: 50 };
  const rounds = quick ? 2 : 3;
  const server = await TestPostgres.start();
  const members: Member[] = [];
  try {
    for (let n = 0; n < HOSTS; n++) members.push(await Member.start(server.urlOf(), aim.sessions / HOSTS));
    const under = async (clients: number, watch?: number) => {
      const cores = await coresOf(members, { clients, told: watch ?? aim.sessions, watch }, rounds);
      note(`${clients} clients at ${HOSTS} hosts, told of ${watch ?? 'all'} sessions: ${cores.join(', ')} cores`);
      return cores;
    };
    const alone = await under(0);
    const base = median(alone);
    const ofAll = (await under(aim.part)).map((cores) => base + ((cores - base) * aim.clients) / aim.part);
    const ofNewest = await under(aim.clients, aim.watch);
    const about = { measure: 'listeners', unit: 'cores', better: 'lower', baseline: 'without clients' } as const;
    // The quick form is far from it.
    const limit = quick ? {} : { limit: atMost(1, 'value') };
    const who = `a host of ${HOSTS}: ${aim.clients} clients, ${aim.sessions} sessions at work`;
    return [
      figureOf({ ...about, ...limit, name: `${who}, told of all` }, ofAll, alone),
      figureOf({ ...about, ...limit, name: `${who}, told of the newest ${aim.watch}` }, ofNewest, alone),
    ];
  } finally {
    for (const { host, sender } of members) {
      sender.close();
      host.kill();
    }
    await server.dispose();
  }
}

interface Load {
  readonly clients: number;
  /** Of so many sessions each client is told. */
  readonly told: number;
  readonly watch: number | undefined;
}

/** What the host needs that needs most, of each round. */
async function coresOf(members: readonly Member[], { clients, told, watch }: Load, rounds: number): Promise<number[]> {
  const listeners: ChildProcess[] = [];
  const each = Math.floor(clients / members.length);
  try {
    for (const { host } of members) {
      const child = fork(join(import.meta.dirname, 'listeners.ts'));
      listeners.push(child);
      const task: ListenTask = { ...host.address, clients: each, ...(watch && { watch }), sample: SAMPLE };
      child.send(task);
    }
    await Promise.all(listeners.map((child) => childMessage(child, 'connected')));
    const heard = async () => {
      const all = listeners.map((child) => {
        child.send('how many');
        return childMessage(child, 'heard') as unknown as Promise<Heard>;
      });
      return (await Promise.all(all)).reduce((sum, { notifications }) => sum + notifications, 0);
    };
    const counting = SAMPLE * Math.ceil(each / SAMPLE) * members.length;
    const round = async () => {
      const cpu = members.map(({ host }) => host.cpu());
      const before = await heard();
      await Promise.all(members.map((member) => member.change()));
      // What was sent is done, also where nobody hears of it.
      await Promise.all(members.map(({ sender }) => sender.request('ping', {})));
      const part = await heardOf(heard, before, counting * told);
      const used = members.map(({ host }, n) => host.cpu() - (cpu[n] ?? 0));
      return Math.max(...used) / 1_000 / TOLD_EVERY_MS / part;
    };
    // Hosts learn of each other's clients, and of the newest sessions.
    await delay(2 * TOLD_EVERY_MS);
    const cores: number[] = [];
    for (let n = 0; n < rounds; n++) {
      cores.push(Number((await round()).toPrecision(3)));
      await delay(TOLD_EVERY_MS);
    }
    return cores;
  } finally {
    for (const child of listeners) child.kill();
  }
}

/** Waits until all is heard, or nothing more is: the part that was. A host cuts clients off that a slow machine gives no time to read. */
async function heardOf(heard: () => Promise<number>, before: number, all: number): Promise<number> {
  if (all === 0) return 1;
  let last = before;
  for (let grewAt = performance.now(); performance.now() < grewAt + PATIENCE_MS; await delay(100)) {
    const now = await heard();
    if (now - before >= all * 0.99) return 1;
    if (now > last) grewAt = performance.now();
    last = now;
  }
  const part = (last - before) / all;
  const percent = Math.round(part * 100);
  if (part < 0.3)
    throw new Error(`clients heard only ${percent} % of it: the host cut them off, or does not tell them`);
  return part;
}
