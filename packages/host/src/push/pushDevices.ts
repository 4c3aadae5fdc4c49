import { createHash } from 'node:crypto';
import { ERROR_CODE, type Role, type SetPushSubscriptionParams } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import type { PushLimits } from './pushLimits.js';
import type { PushDevice, PushStore } from './pushStore.js';

/** How old a list may be that other hosts change too. */
const MAX_AGE_MS = 1_000;

/** A token that opens the host, as far as pushing needs it. */
export interface PushToken {
  readonly id: string;
  readonly role: Role;
  readonly space: string;
  /** Changes when the token is rotated. */
  readonly mark: string;
}

/** Tells two tokens apart without giving one away. */
export function tokenMark(digest: Buffer): string {
  return createHash('sha256').update(digest).digest('base64url').slice(0, 22);
}

/** The subscriptions of the devices, each bound to a token and gone with it. */
export class PushDevices {
  readonly #store: PushStore;
  readonly #limits: PushLimits;
  readonly #onError: (error: unknown) => void;
  #tokens: ReadonlyMap<string, PushToken> | undefined;
  #lookAgain: () => Promise<void> = async () => {};
  readonly #tokensKnown = Promise.withResolvers<void>();
  /** Being removed: they get nothing more, however long that takes to store. */
  readonly #ending = new Set<string>();
  #listed: { readonly at: number; readonly devices: Promise<readonly PushDevice[]> } | undefined;

  constructor(store: PushStore, limits: PushLimits, onError: (error: unknown) => void) {
    this.#store = store;
    this.#limits = limits;
    this.#onError = onError;
  }

  /** The tokens that open the host from now on. Subscriptions of others get nothing more, and are removed. */
  setTokens(tokens: readonly PushToken[], lookAgain: () => Promise<void>): void {
    const before = this.#tokens;
    this.#lookAgain = lookAgain;
    this.#tokens = new Map(tokens.map((token) => [token.id, token]));
    this.#tokensKnown.resolve();
    const marks = new Set(tokens.map(({ mark }) => mark));
    const revoked = new Set([...(before?.values() ?? [])].map(({ mark }) => mark).filter((mark) => !marks.has(mark)));
    // Another host may know tokens that this one has not heard of yet: of a shared list only what was revoked here is removed.
    const isGone = ({ tokenMark }: PushDevice) =>
      revoked.has(tokenMark) || (!this.#store.isShared && !marks.has(tokenMark));
    if (revoked.size === 0 && (before !== undefined || this.#store.isShared)) return;
    this.#change((devices) => (devices.some(isGone) ? devices.filter((device) => !isGone(device)) : devices)).catch(
      this.#onError,
    );
  }

  /** What the device's token may do in that space; `undefined` when the token is gone, or sees another one. */
  roleOf(device: PushDevice, space: string): Role | undefined {
    const token = this.#tokenOf(device);
    return token?.space === space ? token.role : undefined;
  }

  get knowsTokens(): boolean {
    return this.#tokens !== undefined;
  }

  /** Those whose tokens open the host. Waits until the host has read its tokens. */
  async all(): Promise<readonly PushDevice[]> {
    await this.#tokensKnown.promise;
    const now = performance.now();
    if (!this.#listed || (this.#store.isShared && now - this.#listed.at > MAX_AGE_MS)) {
      const devices = this.#store.list();
      this.#listed = { at: now, devices };
      devices.catch(() => {
        if (this.#listed?.devices === devices) this.#listed = undefined;
      });
    }
    const listed = await this.#listed.devices;
    // Another host may have let a device in a moment ago.
    if (this.#store.isShared && listed.some(({ tokenId }) => !this.#tokens?.has(tokenId))) await this.#lookAgain();
    return listed.filter((device) => this.#tokenOf(device) !== undefined);
  }

  /** Adds a subscription, or changes what it is told of. Returns its id. */
  async put(tokenId: string, { endpoint, keys, notify }: SetPushSubscriptionParams): Promise<string> {
    const token = this.#tokens?.get(tokenId);
    if (!token) {
      const message = 'this connection has no token of its own: connect with a token to get notifications';
      throw new RpcError(ERROR_CODE.permissionDenied, message);
    }
    const id = idOf(endpoint);
    const device = { id, tokenId, tokenMark: token.mark, endpoint, ...keys, notify, createdAt: Date.now() };
    await this.#change((devices) => {
      const known = devices.find((one) => one.id === id);
      // The same browser may have got another token; somebody else who knows the address does not have its keys.
      if (known && known.tokenMark !== token.mark && (known.auth !== keys.auth || known.p256dh !== keys.p256dh)) {
        throw new RpcError(ERROR_CODE.permissionDenied, 'this subscription belongs to another device');
      }
      const others = devices.filter((one) => one.id !== id);
      if (others.length >= this.#limits.total) {
        const message = `${this.#limits.total} devices get notifications already: turn them off on another device`;
        throw new RpcError(ERROR_CODE.tooManyRequests, message);
      }
      const own = others.filter((one) => one.tokenMark === token.mark);
      const tooMany = new Set(own.slice(0, Math.max(0, own.length + 1 - this.#limits.perToken)));
      return [...others.filter((one) => !tooMany.has(one)), device];
    });
    // Revoked while it was stored: nothing of it may stay.
    if (this.#tokenOf(device) === undefined) await this.#remove((one) => one.id === id);
    return id;
  }

  /** The push service does not know it any more. */
  async end({ id, auth }: PushDevice): Promise<void> {
    this.#ending.add(id + auth);
    await this.#remove((device) => device.id === id && device.auth === auth).finally(() =>
      this.#ending.delete(id + auth),
    );
  }

  #tokenOf({ id, auth, tokenId, tokenMark }: PushDevice): PushToken | undefined {
    if (this.#ending.has(id + auth)) return undefined;
    const token = this.#tokens?.get(tokenId);
    return token?.mark === tokenMark ? token : undefined;
  }

  async #remove(isGone: (device: PushDevice) => boolean): Promise<void> {
    await this.#change((devices) => (devices.some(isGone) ? devices.filter((device) => !isGone(device)) : devices));
  }

  /** Removes a subscription of that token. Returns its id; `undefined` when the token has none at this address. */
  async removeOf(tokenId: string, endpoint: string): Promise<string | undefined> {
    const id = idOf(endpoint);
    let removed: string | undefined;
    await this.#remove((device) => {
      const isWanted = device.id === id && device.tokenId === tokenId;
      if (isWanted) removed = id;
      return isWanted;
    });
    return removed;
  }

  async #change(change: Parameters<PushStore['change']>[0]): Promise<void> {
    try {
      await this.#store.change(change);
    } finally {
      this.#listed = undefined;
    }
  }
}

/** The endpoint itself is a secret: who knows it can send to the device. */
function idOf(endpoint: string): string {
  return createHash('sha256').update(endpoint).digest('base64url').slice(0, 22);
}
