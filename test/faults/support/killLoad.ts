import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ActionRejectedError, ConnectionLostError, type HostClient, type SessionHandle } from '@agenthost/client';
import { parseSessionUri, type Turn } from '@agenthost/protocol';
import { expect } from 'vitest';
import { type RestartableHost, startRestartableHost } from '../../support/restartableHost.js';
import { until } from '../../support/until.js';
import { PATIENCE_MS } from './amount.js';

const IN_FLIGHT = 6;
const MAX_QUEUE = 50;

export interface KillResult {
  readonly kills: number;
  readonly accepted: number;
  readonly unknown: number;
  readonly envelopes: number;
}

/**
 * Kills the real process again and again while clients send as fast as it takes, and looks after each kill whether what they
 * were told is stored is on disk, and whether a number was given out twice. Throws at the first that is lost.
 */
export async function killUnderLoad(kills: number, env: Readonly<Record<string, string>> = {}): Promise<KillResult> {
  const host = await startRestartableHost([], env);
  const load = new Load(host);
  try {
    await load.begin();
    for (let kill = 0; kill < kills; kill++) {
      const watcher = await load.watch();
      await load.accept(10 + ((kill * 37) % 60));
      await host.end('SIGKILL');
      await watcher.end();
      await load.checkDisk(kill + 1);
      load.checkNumbers(kill + 1);
      await host.start();
    }
    await load.end();
    await load.checkAll();
    return { kills, ...load.counts };
  } finally {
    load.giveUp();
    await host.dispose();
  }
}

interface Loaded {
  readonly session: SessionHandle;
  readonly accepted: Set<string>;
  /** Told since the last kill. */
  readonly fresh: Set<string>;
  /** How much of the log was looked at. */
  looked: number;
}

class Load {
  readonly #host: RestartableHost;
  readonly #loaded = new Map<string, Loaded>();
  #sessions: SessionHandle[] = [];
  #loads: Promise<void>[] = [];
  #isOver = false;
  #unknown = 0;
  #envelopes = 0;
  #highest = 0;
  #watched: readonly number[] = [];
  #onAccepted = () => {};

  constructor(host: RestartableHost) {
    this.#host = host;
  }

  get counts() {
    const accepted = [...this.#loaded.values()].reduce((sum, one) => sum + one.accepted.size, 0);
    return { accepted, unknown: this.#unknown, envelopes: this.#envelopes };
  }

  async begin(): Promise<void> {
    const [first, second]: HostClient[] = [await this.#host.connect(), await this.#host.connect()];
    if (!first || !second) return;
    const mine = await first.createSession({ provider: 'mock' });
    const ours = await first.createSession({ provider: 'mock' });
    await Promise.all([mine.ready(), ours.ready()]);
    const theirs = await second.openSession(ours.uri);
    this.#sessions = [mine, ours, theirs];
    for (const session of [mine, ours]) {
      this.#loaded.set(session.uri, { session, accepted: new Set(), fresh: new Set(), looked: 0 });
    }
    this.#loads = this.#sessions.flatMap((session) => Array.from({ length: IN_FLIGHT }, () => this.#send(session)));
  }

  /** A client that sees every number that the host gives out, live. */
  async watch() {
    const watcher = await this.#host.raw(`watcher-${crypto.randomUUID()}`);
    for (const uri of this.#loaded.keys()) await watcher.request('subscribe', { resource: uri });
    const end = async () => {
      this.#watched = watcher.envelopes.filter((one) => !one.rejectionReason).map(({ serverSeq }) => serverSeq);
      await watcher.end();
    };
    return { end };
  }

  /** Resolves when so many more were taken. */
  async accept(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let left = count;
    this.#onAccepted = () => {
      if (--left <= 0) resolve();
    };
    await Promise.race([promise, ...this.#loads]);
  }

  /** What was sent is in the log, now that no process can write it any more. */
  async checkDisk(kill: number): Promise<void> {
    for (const one of this.#loaded.values()) {
      const written = await this.#written(one);
      const lost = [...one.fresh].filter((id) => !written.includes(`"${id}"`));
      expect(lost, `kill ${kill}: accepted, but not on disk`).toEqual([]);
      one.fresh.clear();
    }
  }

  checkNumbers(kill: number): void {
    const repeated = this.#watched.find((serverSeq) => serverSeq <= this.#highest);
    expect(repeated, `kill ${kill}: serverSeq ${repeated} was given out before, up to ${this.#highest}`).toBe(
      undefined,
    );
    this.#envelopes += this.#watched.length;
    this.#highest = Math.max(this.#highest, ...this.#watched);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loads);
  }

  giveUp(): void {
    this.#isOver = true;
    for (const load of this.#loads) load.catch(() => {});
  }

  /** Everything that was accepted is a turn, once; and all clients see the same. */
  async checkAll(): Promise<void> {
    for (const { session, accepted } of this.#loaded.values()) {
      await session.queue('the last one');
      const { turns } = await until(session.confirmed, isThrough, 'the end of the queue', PATIENCE_MS);
      const earlier: Turn[] = [];
      for await (const turn of session.history({ pageSize: 200 })) earlier.push(turn);
      const ids = [...earlier, ...turns].map(({ id }) => id);
      const found = new Set(ids);
      expect([...accepted].filter((id) => !found.has(id))).toEqual([]);
      expect(ids.length - found.size, 'doubled turns').toBe(0);
      if (ids.length < 200) continue;
      // It came back from snapshot files, not only from its log.
      expect((await stat(join(this.#folder(session), 'events.checkpoint.json'))).size).toBeGreaterThan(1_000);
    }
    const [, ours, theirs] = this.#sessions;
    await until(theirs?.confirmed ?? expect.fail('nobody'), isThrough, 'the end of the queue', PATIENCE_MS);
    expect(theirs?.confirmed.value.turns.at(-1)).toEqual(ours?.confirmed.value.turns.at(-1));
  }

  /** Of a session's log, what was added since it was looked at last. */
  async #written(one: Loaded): Promise<string> {
    const file = await open(join(this.#folder(one.session), 'events.jsonl'));
    try {
      const { size } = await file.stat();
      const { buffer } = await file.read(Buffer.alloc(size - one.looked), 0, size - one.looked, one.looked);
      // What is torn off at the next start is written again.
      one.looked = Math.max(0, size - 65_536);
      return buffer.toString('utf8');
    } finally {
      await file.close();
    }
  }

  #folder({ uri }: SessionHandle): string {
    return join(this.#host.stateDir, 'session-state', parseSessionUri(uri)?.sessionId ?? '');
  }

  /** Sends for as long as it may, and counts what the host has taken. */
  async #send(session: SessionHandle): Promise<void> {
    const one = this.#loaded.get(session.uri);
    for (let n = 0; !this.#isOver; n++) {
      try {
        const id = await session.queue(`message ${n}`);
        one?.accepted.add(id);
        one?.fresh.add(id);
        this.#onAccepted();
      } catch (error) {
        await this.#refused(session, error);
      }
    }
  }

  async #refused(session: SessionHandle, error: unknown): Promise<void> {
    // The client can't tell what became of it, so it may be there or not; but only once.
    if (error instanceof ConnectionLostError) {
      this.#unknown++;
      return;
    }
    // A full queue is an answer too; anything else is not.
    if (!(error instanceof ActionRejectedError)) throw error;
    const hasRoom = ({ activeTurn, queuedMessages }: SessionHandle['confirmed']['value']) =>
      !activeTurn || (queuedMessages?.length ?? 0) < MAX_QUEUE;
    const { activeTurn } = await until(session.confirmed, hasRoom, 'some room', PATIENCE_MS);
    // After a kill a queue waits for another message, and a full one accepts none that would start it.
    if (!activeTurn) await session.send('go on').catch(() => {});
  }
}

function isThrough({ activeTurn, queuedMessages, turns }: SessionHandle['confirmed']['value']): boolean {
  return !activeTurn && !queuedMessages && turns.at(-1)?.userMessage.text === 'the last one';
}
