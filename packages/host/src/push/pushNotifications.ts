import { ECDH } from 'node:crypto';
import { ERROR_CODE, type SetPushSubscriptionParams } from '@agenthost/protocol';
import { DEFAULT_SPACE, dropOldest } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { HostLog } from '../hostLog.js';
import type { SessionChange } from '../sessions/sessionServices.js';
import { deviceKey } from '../state/publisher.js';
import { type Attention, attentionOf, type ClosedQuestion, type Question } from './attention.js';
import { PushDevices, type PushToken, tokenMark } from './pushDevices.js';
import { DEFAULT_PUSH_LIMITS, type PushLimits, type PushOptions } from './pushLimits.js';
import { closedMessage, endMessage, endTag, questionMessage, questionTag } from './pushMessage.js';
import { PushSender } from './pushSender.js';
import { PushServices } from './pushService.js';
import type { PushDevice, PushStore } from './pushStore.js';
import { VapidSigner } from './vapidSigner.js';

/** How long a push service keeps a message for a device that is off. */
const QUESTION_TTL_SECONDS = 24 * 60 * 60;
const END_TTL_SECONDS = 4 * 60 * 60;
/** Changes that wait for the host to listen: of the sessions that an earlier run left at work. */
const MAX_EARLY = 100;

interface PushNotificationsOptions extends PushOptions {
  readonly store: PushStore;
  readonly log: HostLog;
}

/** A token that opens the host; without a space it sees `default`. */
interface AcceptedToken {
  readonly credential: Omit<PushToken, 'mark' | 'space'> & { readonly space?: string };
  readonly digest: Buffer;
}

/** Who may hear of a session, and who sees it anyway. */
type Audience = Pick<SessionChange, 'space' | 'lookers'>;

/** A point of the curve: `web-push` finds that out only when it encrypts. */
function isPublicKey(p256dh: string): boolean {
  try {
    ECDH.convertKey(p256dh, 'prime256v1', 'base64url');
    return true;
  } catch {
    return false;
  }
}

/** Push notifications of the sessions that this host owns. Here, and only here, it is decided who is told of what. */
export class PushNotifications {
  readonly #devices: PushDevices;
  readonly #services: PushServices;
  readonly #signer: VapidSigner;
  readonly #sender: PushSender;
  readonly #limits: PushLimits;
  readonly #log: HostLog;
  /** By the tag of an open question, the devices that were told of it. */
  readonly #told = new Map<string, Set<string>>();
  #working: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isOverloaded = false;

  constructor({ store, limits, allowLoopback = false, log }: PushNotificationsOptions) {
    this.#log = log;
    this.#limits = { ...DEFAULT_PUSH_LIMITS, ...limits };
    this.#services = new PushServices({ allowLoopback, timeoutMs: this.#limits.timeoutMs });
    this.#devices = new PushDevices(store, this.#limits, (error) =>
      log.error('the push subscriptions could not be stored', error),
    );
    this.#signer = new VapidSigner(store);
    this.#sender = new PushSender({
      services: this.#services,
      limits: this.#limits,
      requestOf: (device, push, message) => this.#signer.requestOf(device, push, message),
      onGone: (device) => this.#remove(device),
      log,
    });
  }

  /** The tokens that open the host from now on. `lookAgain` reads them once more. */
  setTokens(tokens: readonly AcceptedToken[], lookAgain: () => Promise<void>): void {
    this.#devices.setTokens(
      tokens.map(({ credential: { id, role, space = DEFAULT_SPACE }, digest }) => ({
        ...{ id, role, space },
        mark: tokenMark(digest),
      })),
      lookAgain,
    );
  }

  get outcomes(): PushSender['outcomes'] {
    return this.#sender.outcomes;
  }

  async publicKey(): Promise<{ readonly publicKey: string }> {
    const { publicKey } = await this.#signer.keys();
    return { publicKey };
  }

  async subscribe(tokenId: string, params: SetPushSubscriptionParams): Promise<{ readonly id: string }> {
    const refusal = isPublicKey(params.keys.p256dh)
      ? await this.#services.refusal(params.endpoint)
      : 'keys.p256dh is not a public key of the curve P-256';
    if (refusal !== undefined) throw new RpcError(ERROR_CODE.permissionDenied, refusal);
    return { id: await this.#devices.put(tokenId, params) };
  }

  async unsubscribe(tokenId: string, endpoint: string): Promise<void> {
    const removed = await this.#devices.removeOf(tokenId, endpoint);
    if (removed !== undefined) this.#sender.forget(removed);
  }

  /** Called after each change of a session. What nobody has to know of costs next to nothing. */
  changed({ before, after, space, lookers }: SessionChange): void {
    const attention = attentionOf(before, after);
    if (!attention) return;
    // Who watched a turn is who watched its end, not who looks when the devices are known.
    const isWatched = attention.ended !== undefined && lookers().anybody;
    const { knowsTokens } = this.#devices;
    if (this.#waiting >= (knowsTokens ? this.#limits.changes : MAX_EARLY)) {
      if (!this.#isOverloaded && knowsTokens)
        this.#log.warn('more happens than can be pushed: some notifications are left out');
      this.#isOverloaded = true;
      return;
    }
    this.#waiting++;
    this.#working = this.#working
      .then(() => this.#tell(attention, after.summary, { space, lookers }, isWatched))
      .catch((error: unknown) => this.#log.error('notifications could not be pushed', error))
      .finally(() => {
        this.#waiting--;
        if (this.#waiting === 0) this.#isOverloaded = false;
      });
  }

  dispose(): void {
    this.#sender.dispose();
  }

  async #tell(
    { opened, closed, ended }: Attention,
    summary: SessionChange['after']['summary'],
    audience: Audience,
    isWatched: boolean,
  ): Promise<void> {
    const devices = (await this.#devices.all()).filter(
      (device) => this.#devices.roleOf(device, audience.space) !== undefined,
    );
    for (const question of closed) this.#close(summary, question, devices, audience);
    for (const question of opened) this.#ask(summary, question, devices, audience);
    if (!ended || isWatched || ended.state === 'cancelled') return;
    for (const device of devices.filter(({ notify }) => notify === 'needsInputAndFinished')) {
      this.#sender.withdraw(device.id, endTag(summary));
      this.#sender.add(device, {
        topic: endTag(summary),
        ttlSeconds: END_TTL_SECONDS,
        urgency: 'normal',
        message: () => (this.#mayTell(device, audience) ? endMessage(summary, ended) : undefined),
      });
    }
  }

  #ask(
    summary: SessionChange['after']['summary'],
    question: Question,
    devices: readonly PushDevice[],
    audience: Audience,
  ): void {
    const topic = questionTag(summary, question);
    const told = new Set<string>();
    this.#told.set(topic, told);
    dropOldest(this.#told, this.#limits.questions);
    for (const device of devices) {
      this.#sender.add(device, {
        topic,
        ttlSeconds: QUESTION_TTL_SECONDS,
        urgency: 'high',
        message: () => {
          const role = this.#devices.roleOf(device, audience.space);
          if (role === undefined || !this.#mayTell(device, audience)) return undefined;
          told.add(device.id);
          return questionMessage(summary, question, role);
        },
      });
    }
  }

  /** Whoever was told of the question is told that it is closed; the others never hear of it. */
  #close(
    summary: SessionChange['after']['summary'],
    question: ClosedQuestion,
    devices: readonly PushDevice[],
    audience: Audience,
  ): void {
    const topic = questionTag(summary, question);
    const told = this.#told.get(topic);
    this.#told.delete(topic);
    for (const device of devices) {
      this.#sender.withdraw(device.id, topic);
      // The question of an earlier run of the host: who was told of it is not known any more.
      if (told && !told.has(device.id)) continue;
      this.#sender.add(device, {
        topic,
        ttlSeconds: QUESTION_TTL_SECONDS,
        urgency: 'normal',
        message: () => (this.#mayTell(device, audience) ? closedMessage(summary, question) : undefined),
      });
    }
  }

  /** Never to a device that looks at the session, nor to one whose token is gone or sees another space. */
  #mayTell(device: PushDevice, { space, lookers }: Audience): boolean {
    const isLooking = lookers().devices.includes(deviceKey(device.tokenId, device.id));
    return !isLooking && this.#devices.roleOf(device, space) !== undefined;
  }

  #remove(device: PushDevice): void {
    this.#log.info('a device has ended its push subscription');
    this.#devices
      .end(device)
      .catch((error: unknown) => this.#log.error('a push subscription could not be removed', error));
  }
}
