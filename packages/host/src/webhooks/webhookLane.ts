import { ERROR_CODE, type URI } from '@agenthost/protocol';
import { dropOldest, type FetchEventsResult } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { WebhookLimits } from './webhookLimits.js';
import { AnswerText, messageBody, messageId, webhookEventOf } from './webhookMessage.js';
import type { Place, StoredWebhook, WaitingSession, WebhookQueue } from './webhookStore.js';

/** What became of one attempt. */
export interface Attempt {
  readonly isDelivered: boolean;
  /** The receiver wants nothing more. */
  readonly isGone?: boolean;
  /** Ready to display, without the address. */
  readonly problem?: string;
  readonly retryAfterMs?: number | undefined;
}

export interface WebhookLaneOptions {
  readonly webhook: StoredWebhook;
  readonly queue: WebhookQueue;
  readonly limits: WebhookLimits;
  readonly send: (id: string, body: string, signal: AbortSignal) => Promise<Attempt>;
  readonly read: (session: URI, after: string | undefined, limit: number) => Promise<FetchEventsResult>;
  readonly titleOf: (session: URI) => string | undefined | Promise<string | undefined>;
  readonly onFailure: (attempt: Attempt) => void;
  readonly onDelivered: () => void;
  readonly onTooMany: () => void;
  readonly onError: (error: unknown) => void;
}

interface Entry {
  readonly session: URI;
  place: Place;
  /** Something may have happened since its log was read to the end. */
  isNew: boolean;
  isAtWork: boolean;
  /** Its turn has not ended: what comes may be told by the loader of a later run, which tells nobody. */
  isInTurn: boolean;
  notBefore: number;
  readonly answer: AnswerText;
}

/** One session of another host, or of a database that is away, must not be asked all the time. */
const READ_AGAIN_MS = 5_000;

/** Delivers to one webhook: the events of a session one after the other, those of several sessions beside each other. */
export class WebhookLane {
  readonly #options: WebhookLaneOptions;
  readonly #entries = new Map<URI, Entry>();
  /** Where sessions without waiting events stand, so that a long log is not read from its beginning. */
  readonly #places = new Map<URI, Place>();
  readonly #closing = new AbortController();
  #isStarted = false;
  #atWork = 0;
  #failures = 0;
  #notBefore = 0;
  #timer: NodeJS.Timeout | undefined;
  #next: NodeJS.Immediate | undefined;

  constructor(options: WebhookLaneOptions) {
    this.#options = options;
  }

  get webhook(): StoredWebhook {
    return this.#options.webhook;
  }

  get waiting(): number {
    return this.#entries.size;
  }

  /** Takes what waits according to the queue. */
  async look(isThorough: boolean): Promise<void> {
    for (const waiting of await this.#options.queue.waiting(isThorough)) this.#found(waiting);
    this.#soon();
  }

  /** Sends from now on. */
  start(): void {
    this.#isStarted = true;
    this.#soon();
  }

  /** Something of interest happens in a session of this host. It is stored before this returns. */
  changed(session: URI): void {
    const known = this.#entries.get(session);
    if (known) known.isNew = true;
    else {
      const place = this.#places.get(session) ?? this.#options.queue.place;
      // A database says by itself what waits.
      if (!place) return;
      this.#places.delete(session);
      if (this.#add(session, place)) this.#options.queue.begin({ session, ...place });
    }
    this.#soon();
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#timer);
    clearImmediate(this.#next);
    this.#options.queue.close();
    this.#entries.clear();
    this.#places.clear();
  }

  #found({ session, ...place }: WaitingSession): void {
    const known = this.#entries.get(session);
    if (known) known.isNew = true;
    else this.#add(session, place);
  }

  #add(session: URI, place: Place): boolean {
    // What a database has is found again later.
    if (this.#entries.size >= this.#options.limits.waiting) {
      if (this.#options.queue.place) this.#options.onTooMany();
      return false;
    }
    const answer = new AnswerText();
    const state = { isNew: true, isAtWork: false, isInTurn: false, notBefore: 0 };
    this.#entries.set(session, { session, place, ...state, answer });
    return true;
  }

  #soon(): void {
    if (this.#isStarted && !this.#closing.signal.aborted) this.#next ??= setImmediate(() => this.#step());
  }

  #step(): void {
    this.#next = undefined;
    clearTimeout(this.#timer);
    const now = performance.now();
    // One tries whether the receiver is back.
    const room = (this.#failures > 0 ? 1 : this.#options.limits.atOnce) - this.#atWork;
    const ready: Entry[] = [];
    let later = Number.POSITIVE_INFINITY;
    for (const entry of this.#entries.values()) {
      if (ready.length >= room) break;
      if (!entry.isNew || entry.isAtWork) continue;
      const at = Math.max(entry.notBefore, this.#notBefore);
      if (at <= now) ready.push(entry);
      else later = Math.min(later, at);
    }
    for (const entry of ready) void this.#work(entry);
    if (later !== Number.POSITIVE_INFINITY)
      this.#timer = setTimeout(() => this.#soon(), Math.max(later - now, 0) + 1).unref();
  }

  /** One page of one session. */
  async #work(entry: Entry): Promise<void> {
    this.#atWork++;
    entry.isAtWork = true;
    // Behind all others, so that each has its turn.
    this.#entries.delete(entry.session);
    this.#entries.set(entry.session, entry);
    try {
      entry.isNew = false;
      const page = await this.#read(entry);
      const isDone = page === undefined || (await this.#tell(entry, page));
      if (!isDone || page?.hasMore) entry.isNew = true;
      if (this.#closing.signal.aborted || entry.isNew || entry.isInTurn) return;
      this.#entries.delete(entry.session);
      this.#places.set(entry.session, entry.place);
      dropOldest(this.#places, this.#options.limits.places);
      await this.#options.queue.end({ session: entry.session, ...entry.place });
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      entry.isNew = true;
      entry.notBefore = performance.now() + READ_AGAIN_MS;
      this.#options.onError(error);
    } finally {
      entry.isAtWork = false;
      this.#atWork--;
      this.#soon();
    }
  }

  /** `undefined`: the session is gone. */
  async #read(entry: Entry): Promise<FetchEventsResult | undefined> {
    const { read, limits, queue } = this.#options;
    try {
      return await read(entry.session, entry.place.cursor, limits.page);
    } catch (error) {
      const code = error instanceof RpcError ? error.code : undefined;
      if (code === ERROR_CODE.sessionNotFound) {
        entry.isInTurn = false;
        return undefined;
      }
      if (code !== ERROR_CODE.notFound || entry.place.cursor === undefined) throw error;
      // Another log, of an older backup or of a new session with that name: its numbers say what was told.
      const { cursor, ...rest } = entry.place;
      entry.place = queue.place ? rest : { ...rest, bytes: endOf(cursor) };
      return read(entry.session, undefined, limits.page);
    }
  }

  /** Returns whether all of the page was delivered. */
  async #tell(entry: Entry, { items, cursor }: FetchEventsResult): Promise<boolean> {
    const { webhook, queue, send, titleOf } = this.#options;
    const content = webhook.content === true;
    for (const { cursor: after, envelope } of items) {
      const { seq, bytes } = entry.place;
      const told = queue.place ? Math.max(seq, envelope.serverSeq) : seq;
      const place: Place = { cursor: after, seq: told, ...(bytes !== undefined && { bytes }) };
      entry.answer.take(envelope);
      const event = webhookEventOf(envelope, entry.answer.text);
      if (event?.type === 'turnStarted') entry.isInTurn = true;
      if (event?.type === 'turnEnded') entry.isInTurn = false;
      const isOld = envelope.serverSeq <= seq || endOf(after) <= (bytes ?? 0);
      if (!event || isOld || !webhook.events.includes(event.type)) {
        entry.place = place;
        continue;
      }
      const title = await titleOf(entry.session);
      const body = messageBody(event, { session: entry.session, title, content });
      const attempt = await send(messageId(webhook.id, entry.session, after), body, this.#closing.signal);
      if (this.#closing.signal.aborted) return false;
      if (!attempt.isDelivered) {
        this.#failed(attempt);
        return false;
      }
      this.#failures = 0;
      this.#options.onDelivered();
      entry.place = place;
      await queue.keep({ session: entry.session, ...place });
    }
    if (cursor !== undefined) entry.place = { ...entry.place, cursor };
    return true;
  }

  #failed(attempt: Attempt): void {
    const { firstDelayMs, maxDelayMs } = this.#options.limits;
    // Several were on their way: they failed for one reason.
    if (this.#failures > 0 && performance.now() < this.#notBefore) return;
    const backoff = firstDelayMs * 2 ** Math.min(this.#failures, 20) * (0.75 + Math.random() / 2);
    this.#failures++;
    this.#notBefore = performance.now() + Math.min(Math.max(backoff, attempt.retryAfterMs ?? 0), maxDelayMs);
    this.#options.onFailure(attempt);
  }
}

/** A cursor is `number-start-end-checksum`. */
function endOf(cursor: string): number {
  return Number(cursor.split('-')[2]);
}
