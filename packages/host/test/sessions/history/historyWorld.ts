import { createSessionState, type SessionAction, type SessionState } from '@agenthost/protocol';
import { withNewestTurns } from '@agenthost/protocol/internal';
import { silentLog } from '../../../src/hostLog.js';
import { type FoldedLog, foldLog } from '../../../src/sessions/history/foldLog.js';
import { SessionHistory } from '../../../src/sessions/history/sessionHistory.js';
import { HISTORY_LIMITS, type HistoryLimits } from '../../../src/sessions/sessionLimits.js';
import { SessionStore } from '../../../src/sessions/sessionStore.js';
import type { TurnsRoom } from '../../../src/sessions/stateBytes.js';
import { AcceptedSequences } from '../../../src/sessions/turn/acceptedSequences.js';
import { Delivery } from '../../../src/state/delivery.js';
import { Publisher, type Subscriber } from '../../../src/state/publisher.js';
import { DEFAULT_REPLAY_LIMITS, ReplayBuffer } from '../../../src/state/replayBuffer.js';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import type { SessionFs } from '../../../src/storage/fs/sessionFs.js';
import type { DamageReport, LogPosition, LogRecord } from '../../../src/storage/log/eventLog.js';
import { JsonlEventLog } from '../../../src/storage/log/jsonlEventLog.js';

export const SESSION = 'mock:/s1';
export const NAMES = ['events.checkpoint.json', 'events.turns.jsonl'] as const;

/** A MemorySessionFs that reads parts of files, as the local disk does; counts the bytes that are read of each file. */
export class RangedMemoryFs extends MemorySessionFs {
  readonly read = new Map<string, number>();

  async readRange(path: string, offset: number, length: number): Promise<Uint8Array> {
    const bytes = (await super.readFileBytes(path)).subarray(offset, offset + length);
    this.#count(path, bytes.length);
    return bytes;
  }

  override async readFile(path: string): Promise<string> {
    const text = await super.readFile(path);
    this.#count(path, Buffer.byteLength(text));
    return text;
  }

  override async readFileBytes(path: string): Promise<Uint8Array> {
    const bytes = await super.readFileBytes(path);
    this.#count(path, bytes.length);
    return bytes;
  }

  override async *readLines(path: string, fromByte?: number): AsyncGenerator<string> {
    for await (const line of super.readLines(path, fromByte)) {
      this.#count(path, Buffer.byteLength(line) + 1);
      yield line;
    }
  }

  bytesRead(name: string): number {
    return [...this.read].filter(([path]) => path.endsWith(name)).reduce((sum, [, bytes]) => sum + bytes, 0);
  }

  #count(path: string, bytes: number): void {
    this.read.set(path, (this.read.get(path) ?? 0) + bytes);
  }
}

export const at = (fs: SessionFs, name: string) => fs.join(fs.sessionStatePath ?? '', name);
export const bytesOf = async (fs: SessionFs, name: string) =>
  Buffer.from(await fs.readFileBytes(at(fs, name)).catch(() => new Uint8Array()));

/** The files of a session with other bytes in one of them, or without it. */
export async function copyOf(
  fs: MemorySessionFs,
  changes: Readonly<Record<string, Uint8Array | undefined>> = {},
): Promise<RangedMemoryFs> {
  const copy = new RangedMemoryFs();
  for (const name of ['events.jsonl', ...NAMES]) {
    const bytes = name in changes ? changes[name] : await bytesOf(fs, name);
    if (bytes !== undefined && bytes.length > 0) await copy.writeFile(at(copy, name), bytes);
  }
  copy.read.clear();
  return copy;
}

export interface OpenedSession {
  readonly log: JsonlEventLog;
  readonly history: SessionHistory;
  readonly folded: FoldedLog;
  readonly skipped: LogPosition | undefined;
  readonly reports: DamageReport[];
}

export interface HistoryOptions {
  readonly limits?: Partial<HistoryLimits>;
  readonly hostVersion?: string;
  readonly debounceMs?: number;
}

/** Opens a session's log as the hub does. */
export async function openHistory(fs: SessionFs, options: HistoryOptions = {}): Promise<OpenedSession | undefined> {
  const reports: DamageReport[] = [];
  const log = await JsonlEventLog.open({
    fs,
    debounceMs: options.debounceMs ?? 0,
    retryMs: 0,
    onDamage: (damage) => reports.push(damage),
  });
  const history = newHistory(fs, log, options);
  const opened = await history.open();
  await history.settled();
  return opened && { log, history, ...opened, reports };
}

export function newHistory(fs: SessionFs, log: JsonlEventLog, options: HistoryOptions): SessionHistory {
  return new SessionHistory({
    uri: SESSION,
    stored: { fs, log },
    hostVersion: options.hostVersion ?? '1.0.0',
    log: silentLog,
    limits: { ...HISTORY_LIMITS, snapshotPauseMs: 0, ...options.limits },
  });
}

/** Room for so many turns, however large they are. */
export function upTo(turns: number): TurnsRoom {
  return { turns, bytes: Number.POSITIVE_INFINITY };
}

/** What the log alone says, whatever is kept beside it. */
export async function foldOf(log: Uint8Array, window = HISTORY_LIMITS.window): Promise<FoldedLog | undefined> {
  const fs = new MemorySessionFs();
  await fs.writeFile(at(fs, 'events.jsonl'), log);
  const read = await JsonlEventLog.open({ fs });
  return foldLog(read.load(), (state) => withNewestTurns(state, window));
}

export async function recordsOf(log: Uint8Array): Promise<LogRecord[]> {
  const fs = new MemorySessionFs();
  await fs.writeFile(at(fs, 'events.jsonl'), log);
  return (await (await JsonlEventLog.open({ fs })).loadAll()).records;
}

export const comparable = ({ start, state, accepted, lastServerSeq }: FoldedLog) => ({
  start,
  state,
  accepted: Object.fromEntries(accepted.entries()),
  lastServerSeq,
});

/** A session's store, log and history, without the agent and the clients. */
export class HistoryWorld {
  readonly fs: SessionFs;
  readonly #options: HistoryOptions;
  readonly #delivery = new Delivery();
  readonly #publisher = new Publisher(this.#delivery, new ReplayBuffer(0, DEFAULT_REPLAY_LIMITS));
  readonly #sequence = {
    current: 0,
    next() {
      return ++this.current;
    },
  };
  #clientSeq = 0;
  #now = 0;
  log!: JsonlEventLog;
  store!: SessionStore;
  history!: SessionHistory;

  static async create(fs: SessionFs, options: HistoryOptions = {}): Promise<HistoryWorld> {
    const world = new HistoryWorld(fs, options);
    world.log = await JsonlEventLog.open({ fs, debounceMs: 0, retryMs: 0 });
    const start = {
      type: 'session.start',
      id: 'start',
      at: 1,
      sessionId: 's1',
      provider: 'mock',
      cwd: '/',
      versions: { log: 1, protocol: 1 },
      createdAt: 1,
    } as const;
    world.log.append(start);
    await world.log.flush();
    world.history = newHistory(fs, world.log, options);
    world.history.begin({ ...start, v: 1, n: 1 });
    const state = createSessionState({ resource: SESSION, provider: 'mock', createdAt: 1 });
    world.#live(state, new AcceptedSequences(), 0);
    return world;
  }

  static async open(fs: SessionFs, options: HistoryOptions = {}): Promise<HistoryWorld> {
    const world = new HistoryWorld(fs, options);
    await world.reopen();
    return world;
  }

  private constructor(fs: SessionFs, options: HistoryOptions) {
    this.fs = fs;
    this.#options = options;
  }

  get state(): SessionState {
    return this.store.state;
  }

  /** The host's action, or a client's: that one is stored before it counts, and rolled back when that fails. */
  act(action: SessionAction, clientId?: string): void {
    this.#now = action.at;
    if (clientId === undefined) this.store.dispatch(action);
    else {
      this.#clientSeq = Math.max(this.#clientSeq, this.store.accepted.highest(clientId)) + 1;
      this.store.accept(subscriber(clientId), this.#clientSeq, action as never);
    }
  }

  /** Accepted actions are stored, or were rolled back. */
  async told(): Promise<void> {
    await this.#delivery.drained();
  }

  async restart(): Promise<OpenedSession> {
    await this.told();
    await this.log.close();
    await this.history.settled();
    return this.reopen();
  }

  /** As after a kill. */
  async reopen(): Promise<OpenedSession> {
    const opened = await openHistory(this.fs, this.#options);
    if (!opened) throw new Error('the session is gone');
    this.log = opened.log;
    this.history = opened.history;
    this.#live(opened.folded.state, opened.folded.accepted, opened.folded.lastServerSeq);
    return opened;
  }

  #live(state: SessionState, accepted: AcceptedSequences, lastServerSeq: number): void {
    this.#sequence.current = Math.max(this.#sequence.current, lastServerSeq);
    this.store = new SessionStore({
      uri: SESSION,
      incarnation: 'start',
      state,
      accepted,
      lastServerSeq,
      log: this.log,
      content: { stored: async () => {} },
      delivery: this.#delivery,
      publisher: this.#publisher,
      sequence: this.#sequence,
      now: () => this.#now,
    });
    this.store.effects = {
      afterChange: ({ type }) => {
        if (type === 'session/truncated') this.history.turnsRemoved(this.store.state);
        this.history.changed(this.store.state, this.store);
      },
      afterTakeBack: () => undefined,
      lost: () => undefined,
    };
  }
}

function subscriber(clientId: string): Subscriber {
  return { author: { clientId }, protocolVersion: 1, deliver: () => undefined, cutOff: () => undefined };
}

/** A turn of some records: it says `words` pieces of text, which are not merged, and ends. */
export function playTurn(world: HistoryWorld, n: number, words = 3): void {
  const turn = { session: SESSION, at: n, turnId: `t${n}` } as const;
  world.act({ type: 'session/turnStarted', ...turn, userMessage: { text: `message ${n}` } }, 'alice');
  for (let word = 0; word < words; word++) {
    const part = { kind: 'markdown', id: `p${word}`, content: `answer ${n}.${word}` } as const;
    world.act({ type: 'session/responsePart', ...turn, part });
  }
  world.act({ type: 'session/turnComplete', ...turn });
}
