import { errorMessage } from '@agenthost/protocol/internal';
import type { HostLog } from '../hostLog.js';
import type { PushLimits } from './pushLimits.js';
import { ForbiddenAddressError, type PushAnswer, type PushRequest, type PushServices } from './pushService.js';
import type { PushDevice } from './pushStore.js';

/** A message that waits for its device. */
export interface WaitingPush {
  /** Of two with the same topic, the push service keeps the later one. */
  readonly topic: string;
  readonly ttlSeconds: number;
  readonly urgency: 'normal' | 'high';
  /** Asked at the last moment; `undefined` when the device should not get it any more. */
  readonly message: () => string | undefined;
}

export interface PushSenderOptions {
  readonly services: Pick<PushServices, 'send'>;
  readonly limits: PushLimits;
  /** Encrypts a message for its device, and signs the request. */
  readonly requestOf: (device: PushDevice, push: WaitingPush, message: string) => Promise<PushRequest>;
  /** The push service does not know the subscription any more. */
  readonly onGone: (device: PushDevice) => void;
  readonly log: HostLog;
}

interface Lane {
  readonly device: PushDevice;
  readonly service: string;
  readonly waiting: WaitingPush[];
  isSending: boolean;
  /** A time of `performance.now()`. */
  notBefore: number;
  failures: number;
  /** The log has a line about it since it last worked. */
  isReported: boolean;
}

type Outcome = 'sent' | 'gone' | 'later' | 'never';

/** Sends messages: each device has a lane of its own, so that a push service that hangs or refuses delays only its devices. */
export class PushSender {
  readonly #options: PushSenderOptions;
  readonly #lanes = new Map<string, Lane>();
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #next: NodeJS.Immediate | undefined;
  readonly #outcomes = new Map<Outcome, number>();

  constructor(options: PushSenderOptions) {
    this.#options = options;
  }

  /** How often a push service took a message, or did not. */
  get outcomes(): ReadonlyMap<Outcome, number> {
    return this.#outcomes;
  }

  add(device: PushDevice, push: WaitingPush): void {
    if (this.#closing.signal.aborted) return;
    const lane = this.#laneOf(device);
    lane.waiting.push(push);
    if (lane.waiting.length > this.#options.limits.waiting) lane.waiting.shift();
    this.#soon();
  }

  /** Drops what has not left yet. */
  withdraw(deviceId: string, topic: string): void {
    const lane = this.#lanes.get(deviceId);
    const at = lane?.waiting.findIndex((push) => push.topic === topic) ?? -1;
    if (at >= 0) lane?.waiting.splice(at, 1);
  }

  /** Drops all that waits for a device. */
  forget(deviceId: string): void {
    this.#lanes.delete(deviceId);
  }

  dispose(): void {
    this.#closing.abort();
    clearTimeout(this.#timer);
    clearImmediate(this.#next);
    this.#lanes.clear();
  }

  #laneOf(device: PushDevice): Lane {
    const known = this.#lanes.get(device.id);
    // A device that subscribed again, with other keys or another token.
    if (known?.device.tokenMark === device.tokenMark && known.device.auth === device.auth) return known;
    const lane: Lane = {
      device,
      service: new URL(device.endpoint).origin,
      waiting: [],
      isSending: false,
      notBefore: 0,
      failures: 0,
      isReported: false,
    };
    this.#lanes.set(device.id, lane);
    return lane;
  }

  #soon(): void {
    this.#next ??= setImmediate(() => this.#step());
  }

  /** Begins one message at a time: to encrypt many at once would hold up everything else. */
  #step(): void {
    this.#next = undefined;
    clearTimeout(this.#timer);
    const now = performance.now();
    for (const [id, idle] of this.#lanes)
      if (!idle.isSending && idle.waiting.length === 0 && idle.notBefore <= now) this.#lanes.delete(id);
    const lane = this.#nextLane(now);
    if (lane) {
      // Behind all others, so that each has its turn.
      this.#lanes.delete(lane.device.id);
      this.#lanes.set(lane.device.id, lane);
      void this.#send(lane);
      this.#soon();
      return;
    }
    const times = [...this.#lanes.values()].filter(isReady).map(({ notBefore }) => notBefore);
    const later = times.filter((time) => time > now);
    if (later.length > 0) this.#timer = setTimeout(() => this.#step(), Math.min(...later) - now + 1).unref();
  }

  #nextLane(now: number): Lane | undefined {
    const { atOnce, atOncePerService, atOncePerToken } = this.#options.limits;
    const sending = [...this.#lanes.values()].filter(({ isSending }) => isSending);
    if (sending.length >= atOnce) return undefined;
    return [...this.#lanes.values()].find(
      (lane) =>
        isReady(lane) &&
        lane.notBefore <= now &&
        sending.filter(({ service }) => service === lane.service).length < atOncePerService &&
        sending.filter(({ device }) => device.tokenId === lane.device.tokenId).length < atOncePerToken,
    );
  }

  async #send(lane: Lane): Promise<void> {
    const { device, waiting } = lane;
    const { services, requestOf, limits } = this.#options;
    const push = waiting.shift();
    const message = push?.message();
    if (!push || message === undefined) {
      this.#soon();
      return;
    }
    lane.isSending = true;
    let answer: PushAnswer | undefined;
    let problem = '';
    try {
      answer = await services.send(await requestOf(device, push, message), this.#closing.signal);
      problem = `answered ${answer.status}`;
    } catch (error) {
      // An address that is forbidden now was a public one before: it is not tried again.
      if (error instanceof ForbiddenAddressError) answer = { status: 410 };
      problem = `could not be reached (${errorMessage(error)})`;
    }
    lane.isSending = false;
    if (this.#closing.signal.aborted) return;
    const outcome = outcomeOf(answer);
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
    lane.notBefore = performance.now() + limits.gapMs;
    if (outcome === 'sent') {
      lane.failures = 0;
      lane.isReported = false;
    } else if (outcome === 'gone') {
      this.forget(device.id);
      this.#options.onGone(device);
    } else this.#failed(lane, push, { isLater: outcome === 'later', problem, retryAfterMs: answer?.retryAfterMs });
    this.#soon();
  }

  #failed(
    lane: Lane,
    push: WaitingPush,
    { isLater, problem, retryAfterMs = 0 }: { isLater: boolean; problem: string; retryAfterMs?: number | undefined },
  ): void {
    const { attempts, firstDelayMs, maxDelayMs } = this.#options.limits;
    if (!lane.isReported) {
      lane.isReported = true;
      // Without the address itself: who knows it can send to the device.
      this.#options.log.warn(`a notification could not be pushed: ${lane.service} ${problem}`);
    }
    lane.failures++;
    const backoff = firstDelayMs * 2 ** Math.min(lane.failures - 1, 20);
    lane.notBefore = performance.now() + Math.min(Math.max(backoff, retryAfterMs), maxDelayMs);
    const isReplaced = lane.waiting.some(({ topic }) => topic === push.topic);
    if (isLater && lane.failures < attempts && !isReplaced) lane.waiting.unshift(push);
    else if (lane.failures >= attempts) lane.failures = 0;
  }
}

function isReady({ isSending, waiting }: Lane): boolean {
  return !isSending && waiting.length > 0;
}

function outcomeOf(answer: PushAnswer | undefined): Outcome {
  if (!answer) return 'later';
  const { status } = answer;
  if (status >= 200 && status < 300) return 'sent';
  if (status === 404 || status === 410) return 'gone';
  return status === 429 || status >= 500 ? 'later' : 'never';
}
