import type { HostPush } from '@agenthost/client';
import type { PushNotify } from '@agenthost/protocol';
import { type Observable, observable } from '@agenthost/sessions';
import { askForNotifications } from '../app/notifications.js';
import type { PageHost } from '../app/pagePlace.js';
import { problemText } from '../app/problemText.js';
import type { NotifyMode, SettingsStore } from '../app/settings.js';
import { loadToken } from '../app/tokens.js';
import { forgetDevice, saveDevice } from './deviceStore.js';
import { workerRegistration } from './workerRegistration.js';

/** How notifications reach this device. */
export type PushDelivery =
  | { readonly by: 'nothing' }
  /** Through the push service of the browser, also while the page is closed. `subscription`: the host's id of it. */
  | { readonly by: 'push'; readonly subscription: string }
  /** Only while the page is open, and why. */
  | { readonly by: 'page'; readonly reason: string };

interface PushDeviceOptions {
  readonly hosts: { readonly all: Observable<readonly PageHost[]> };
  readonly settings: SettingsStore;
  readonly deviceName: string;
}

const NO_PUSH = 'This browser has no push, or the page was not opened over HTTPS.';

/** Notifications of this device: what the user wants, and the push subscription that the browser has for it. */
export class PushDevice {
  readonly delivery: Observable<PushDelivery>;
  readonly #delivery = observable<PushDelivery>({ by: 'nothing' });
  readonly #options: PushDeviceOptions;
  #working: Promise<unknown> = Promise.resolve();

  constructor(options: PushDeviceOptions) {
    this.#options = options;
    this.delivery = this.#delivery;
    let followed: PageHost | undefined;
    const follow = (all: readonly PageHost[]) => {
      const own = all.find(({ isOwn }) => isOwn);
      if (!own || own.connection === followed?.connection) return;
      followed = own;
      // The host may have lost the subscription, or have other keys now; the token may be another one.
      const connected = () => {
        if (own.connection.value.state === 'connected' && followed === own) void this.renew();
      };
      own.connection.subscribe(connected);
      connected();
    };
    options.hosts.all.subscribe(follow);
    follow(options.hosts.all.value);
  }

  /** Returns false when the browser does not allow notifications. */
  async set(mode: NotifyMode): Promise<boolean> {
    const isAllowed = mode === 'off' || (await askForNotifications());
    this.#options.settings.update({ notifications: isAllowed ? mode : 'off' });
    await this.renew();
    return isAllowed;
  }

  /** Brings the browser and the host in line with the setting. */
  renew(): Promise<void> {
    const next = this.#working.then(() => this.#renew());
    this.#working = next;
    return next;
  }

  async #renew(): Promise<void> {
    const { notifications: mode } = this.#options.settings.value.value;
    const own = this.#options.hosts.all.value.find(({ isOwn }) => isOwn);
    if (!own) return;
    try {
      if (mode === 'off') await this.#end(own.push);
      else this.#delivery.set(await this.#begin(own, mode));
    } catch (error) {
      // The browser's own words have no subject: "Registration failed - push service error".
      const isBrowsers = error instanceof DOMException;
      const reason = isBrowsers ? `The browser can't use its push service (${error.message}).` : problemText(error);
      this.#delivery.set({ by: 'page', reason });
    }
  }

  async #begin({ push, url }: PageHost, notify: PushNotify): Promise<PushDelivery> {
    const registration = await workerRegistration();
    if (!registration?.pushManager) return { by: 'page', reason: NO_PUSH };
    if (Notification.permission !== 'granted')
      return { by: 'page', reason: "This browser doesn't allow notifications for this page." };
    const key = await push.publicKey();
    const { endpoint, keys } = (await subscriptionFor(registration.pushManager, key)).toJSON();
    const { p256dh, auth } = keys ?? {};
    if (endpoint === undefined || p256dh === undefined || auth === undefined) return { by: 'page', reason: NO_PUSH };
    const subscription = await push.subscribe({ endpoint, keys: { p256dh, auth }, notify });
    const { userName } = this.#options.settings.value.value;
    const { deviceName } = this.#options;
    await saveDevice({ token: loadToken(url) ?? '', userName: userName || 'Somebody', deviceName, subscription });
    return { by: 'push', subscription };
  }

  async #end(push: HostPush): Promise<void> {
    this.#delivery.set({ by: 'nothing' });
    const registration = await workerRegistration();
    const subscription = await registration?.pushManager?.getSubscription();
    if (!subscription) return;
    await forgetDevice();
    await subscription.unsubscribe();
    await push.unsubscribe(subscription.endpoint);
  }
}

/** The one that the browser has, if it is for this key; a subscription belongs to one key. */
async function subscriptionFor(manager: PushManager, key: string): Promise<PushSubscription> {
  const known = await manager.getSubscription();
  if (known && base64Url(known.options.applicationServerKey) === key) return known;
  await known?.unsubscribe();
  return manager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}

function base64Url(bytes: ArrayBuffer | null): string {
  const text = String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer()));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
