import { randomBytes } from 'node:crypto';
import {
  type AddWebhookParams,
  type AddWebhookResult,
  ERROR_CODE,
  type ListWebhooksResult,
  MAX_WEBHOOKS,
  type TestWebhookResult,
  type URI,
} from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import type { HostLog } from '../hostLog.js';
import type { SessionChange } from '../sessions/sessionServices.js';
import { newSecret } from './signature.js';
import { WebhookCall } from './webhookCall.js';
import { type Attempt, WebhookLane, type WebhookLaneOptions } from './webhookLane.js';
import { DEFAULT_WEBHOOK_LIMITS, type WebhookLimits, type WebhookOptions } from './webhookLimits.js';
import { type StoredWebhook, shownWebhook, type WebhookStore } from './webhookStore.js';

/** With a database: how many polls come before one that also looks at sessions that no host has in memory. */
const THOROUGH_EVERY = 60;
const SAY_EVERY_MS = 10 * 60_000;

export interface WebhookServices {
  /** What happened in a session of that space. */
  readonly read: (
    space: string,
    ...of: Parameters<WebhookLaneOptions['read']>
  ) => ReturnType<WebhookLaneOptions['read']>;
  readonly titleOf: (space: string, session: URI) => string | undefined;
  /** The highest number that an action may have by now. */
  readonly lastNumber: () => number;
  /** For the audit trail of a space. */
  readonly tell: (event: string, text: string, space: string) => void;
}

interface WebhooksOptions extends WebhookOptions {
  readonly store: WebhookStore;
  readonly log: HostLog;
}

/** The webhooks of a host, or of all hosts of a database, of which one delivers. */
export class Webhooks {
  readonly #store: WebhookStore;
  readonly #limits: WebhookLimits;
  readonly #log: HostLog;
  readonly #call: WebhookCall;
  /** Those that are told. */
  readonly lanes = new Map<string, WebhookLane>();
  /** Of those that can't deliver right now: since when, and why. */
  readonly #failing = new Map<string, { readonly since: number; problem: string }>();
  #services: WebhookServices | undefined;
  #working: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #polls = 0;
  #leaseUntil = 0;
  #isClosed = false;
  #saidAt = Number.NEGATIVE_INFINITY;

  /** What happens from now on is remembered, and delivered after `start`. */
  static async open(options: WebhooksOptions): Promise<Webhooks> {
    const webhooks = new Webhooks(options);
    if (!options.store.isShared) await webhooks.#inTurn(async () => webhooks.#follow(await options.store.list()));
    return webhooks;
  }

  private constructor({ store, limits, log }: WebhooksOptions) {
    this.#store = store;
    this.#limits = { ...DEFAULT_WEBHOOK_LIMITS, ...limits };
    this.#log = log;
    this.#call = new WebhookCall(this.#limits.timeoutMs);
  }

  start(services: WebhookServices): void {
    this.#services = services;
    for (const lane of this.lanes.values()) lane.start();
    if (this.#store.isShared) this.#poll();
  }

  /** Called after each change of a session, before it is stored. */
  changed({ before, after, space }: Pick<SessionChange, 'before' | 'after' | 'space'>): void {
    const [was, is] = [before.activeTurn, after.activeTurn];
    const isSame = was?.toolCalls === is?.toolCalls && was?.pendingPermissions === is?.pendingPermissions;
    if (isSame && was?.id === is?.id && before.turns === after.turns) return;
    for (const lane of this.lanes.values()) if (lane.webhook.space === space) lane.changed(after.summary.resource);
  }

  async list(space: string): Promise<ListWebhooksResult> {
    const webhooks = (await this.#store.list()).filter((one) => one.space === space);
    return {
      items: webhooks.map((webhook) => {
        const lane = this.lanes.get(webhook.id);
        const problem = this.#failing.get(webhook.id)?.problem;
        const shown = shownWebhook(webhook);
        return { ...shown, ...(problem !== undefined && { problem }), ...(lane && { waiting: lane.waiting }) };
      }),
    };
  }

  async add({ url, events, content, allowPrivate }: AddWebhookParams, space: string): Promise<AddWebhookResult> {
    const refusal = await this.#call.refusal(url, allowPrivate === true);
    if (refusal !== undefined) {
      const hint =
        allowPrivate || !URL.canParse(url) ? '' : ' (an owner may allow it for this webhook: --allow-private)';
      throw new RpcError(ERROR_CODE.invalidParams, `${refusal}${hint}`);
    }
    const webhook: StoredWebhook = {
      id: `wh_${randomBytes(9).toString('base64url')}`,
      url,
      events: [...new Set(events)],
      ...(content && { content }),
      ...(allowPrivate && { allowPrivate }),
      createdAt: Date.now(),
      space,
      secret: newSecret(),
      since: this.#lastNumber(),
    };
    await this.#inTurn(async () => {
      await this.#store.startNow(webhook);
      const after = await this.#store.change((webhooks) => {
        if (webhooks.length < MAX_WEBHOOKS) return [...webhooks, webhook];
        throw new RpcError(ERROR_CODE.tooManyRequests, `this host has ${MAX_WEBHOOKS} webhooks already: remove one`);
      });
      await this.#changedTo(after);
    });
    return { webhook: shownWebhook(webhook), secret: webhook.secret };
  }

  async remove(id: string, space: string): Promise<void> {
    await this.#find(id, space);
    await this.#inTurn(async () => {
      this.#close(id);
      await this.#changedTo(await this.#store.change((webhooks) => webhooks.filter((one) => one.id !== id)));
    });
  }

  /** A disabled one gets what happens from now on. */
  async enable(id: string, space: string): Promise<void> {
    const found = await this.#find(id, space);
    if (found.disabledAt === undefined) return;
    const { disabledAt: _, failingSince: __, problem: ___, ...webhook } = { ...found, since: this.#lastNumber() };
    await this.#inTurn(async () => {
      await this.#store.startNow(webhook);
      await this.#changedTo(await this.#replace(id, () => webhook));
    });
  }

  /** Sends a message of its own, now and once. */
  async test(id: string, space: string): Promise<TestWebhookResult> {
    const webhook = await this.#find(id, space);
    const body = JSON.stringify({ type: 'test', timestamp: new Date().toISOString(), data: { webhook: id } });
    const signal = AbortSignal.timeout(this.#limits.timeoutMs);
    const attempt = await this.#call.send(webhook, `msg_${randomBytes(20).toString('base64url')}`, body, signal);
    return { delivered: attempt.isDelivered, ...(attempt.problem !== undefined && { problem: attempt.problem }) };
  }

  async dispose(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const id of [...this.lanes.keys()]) this.#close(id);
    await this.#working.catch(() => {});
    for (const id of [...this.lanes.keys()]) this.#close(id);
  }

  async #find(id: string, space: string): Promise<StoredWebhook> {
    const found = (await this.#store.list()).find((one) => one.id === id && one.space === space);
    if (!found)
      throw new RpcError(ERROR_CODE.notFound, `there is no webhook ${id}: list them with agenthost webhook ls`);
    return found;
  }

  #replace(id: string, make: (webhook: StoredWebhook) => StoredWebhook): Promise<readonly StoredWebhook[]> {
    return this.#store.change((webhooks) =>
      webhooks.some((one) => one.id === id) ? webhooks.map((one) => (one.id === id ? make(one) : one)) : webhooks,
    );
  }

  #lastNumber(): number {
    return this.#services?.lastNumber() ?? 0;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#working.then(work);
    this.#working = done.catch(() => {});
    return done;
  }

  /** With a database the next poll follows it, at the host that delivers. */
  async #changedTo(webhooks: readonly StoredWebhook[]): Promise<void> {
    if (!this.#store.isShared || this.#leaseUntil > performance.now()) await this.#follow(webhooks);
  }

  /** Has a lane for each that is enabled, and no others. */
  async #follow(webhooks: readonly StoredWebhook[]): Promise<void> {
    if (this.#isClosed) return;
    const enabled = new Map(webhooks.filter((one) => one.disabledAt === undefined).map((one) => [one.id, one]));
    for (const id of [...this.lanes.keys()]) if (!enabled.has(id)) this.#close(id);
    for (const webhook of enabled.values()) {
      if (this.lanes.has(webhook.id)) continue;
      const lane = this.#laneOf(webhook, await this.#store.queueOf(webhook));
      this.lanes.set(webhook.id, lane);
      const { failingSince: since, problem = '' } = webhook;
      if (since !== undefined) this.#failing.set(webhook.id, { since, problem });
      await lane.look(true);
      if (this.#services) lane.start();
    }
  }

  #laneOf(webhook: StoredWebhook, queue: WebhookLaneOptions['queue']): WebhookLane {
    return new WebhookLane({
      webhook,
      queue,
      limits: this.#limits,
      send: (id, body, signal) => this.#call.send(webhook, id, body, signal),
      read: (...of) => this.#ready().read(webhook.space, ...of),
      titleOf: (session) => this.#store.titleOf?.(session) ?? this.#ready().titleOf(webhook.space, session),
      onDelivered: () => this.#delivered(webhook),
      onFailure: (attempt) => this.#failed(webhook, attempt),
      onTooMany: () => this.#disable(webhook, `events of ${this.#limits.waiting} sessions wait, and no more can`),
      onError: (error) => this.#unreadable(error),
    });
  }

  /** Said once in a while, however many sessions it is. */
  #unreadable(error: unknown): void {
    if (performance.now() - this.#saidAt < SAY_EVERY_MS) return;
    this.#saidAt = performance.now();
    this.#log.warn(`events of a session could not be read for a webhook, and are tried again: ${String(error)}`);
  }

  #ready(): WebhookServices {
    if (!this.#services) throw new Error('the host has not started yet');
    return this.#services;
  }

  #close(id: string): void {
    this.lanes.get(id)?.close();
    this.lanes.delete(id);
    this.#failing.delete(id);
  }

  #delivered({ id }: StoredWebhook): void {
    if (!this.#failing.delete(id)) return;
    this.#kept(this.#replace(id, ({ failingSince: _, problem: __, ...webhook }) => webhook));
  }

  #failed(webhook: StoredWebhook, { isGone, problem = 'it failed' }: Attempt): void {
    const { id } = webhook;
    const failing = this.#failing.get(id);
    if (isGone) this.#disable(webhook, 'its receiver says that it wants nothing more (410)');
    else if (!failing) {
      const failingSince = Date.now();
      this.#failing.set(id, { since: failingSince, problem });
      this.#log.warn(`the webhook ${id} fails: ${problem}; it is tried again`);
      this.#kept(this.#replace(id, (one) => ({ ...one, failingSince, problem })));
    } else this.#stillFails(webhook, failing, problem);
  }

  #stillFails(webhook: StoredWebhook, failing: { readonly since: number; problem: string }, problem: string): void {
    failing.problem = problem;
    const days = Math.round(this.#limits.disableAfterMs / 86_400_000);
    if (Date.now() - failing.since >= this.#limits.disableAfterMs)
      this.#disable(webhook, `nothing could be delivered for ${days} days: ${problem}`);
  }

  #disable({ id, space }: StoredWebhook, problem: string): void {
    if (!this.lanes.has(id)) return;
    this.#close(id);
    const text = `the webhook ${id} was disabled: ${problem}`;
    this.#log.warn(text);
    this.#services?.tell('webhookDisabled', text, space);
    this.#kept(this.#replace(id, (one) => ({ ...one, disabledAt: Date.now(), problem })));
  }

  #kept(change: Promise<unknown>): void {
    change.catch((error: unknown) => this.#log.error('the state of a webhook could not be stored', error));
  }

  /** With a database: one host delivers, as long as it says so. */
  #poll(): void {
    void this.#inTurn(async () => {
      if (this.#isClosed) return;
      const now = performance.now();
      try {
        const webhooks = await this.#store.list();
        const { leaseMs } = this.#limits;
        // Renewed in time, and not at all while there is nothing to deliver.
        if (webhooks.length > 0 && this.#leaseUntil - now < (leaseMs * 2) / 3)
          this.#leaseUntil = (await this.#store.holdsLease?.(leaseMs)) ? now + leaseMs : 0;
        if (this.#leaseUntil > now) {
          await this.#follow(webhooks);
          const isThorough = this.#polls++ % THOROUGH_EVERY === 0;
          for (const lane of this.lanes.values()) await lane.look(isThorough);
        }
      } catch (error) {
        this.#log.debug(`webhooks could not be looked at: ${String(error)}`);
      }
      if (this.#leaseUntil <= performance.now()) for (const id of [...this.lanes.keys()]) this.#close(id);
    }).finally(() => {
      if (!this.#isClosed) this.#timer = setTimeout(() => this.#poll(), this.#limits.pollMs).unref();
    });
  }
}
