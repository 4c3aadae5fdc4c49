import type { CreatePairingParams, FetchPairingResult, Role } from '@agenthost/protocol';
import type { DeviceToken } from './deviceToken.js';
import { checkNames, type NewDevice, plainName } from './deviceTokens.js';
import { keyOf, newCode, type OneTimeCodes } from './oneTimeCodes.js';

/** What a code is for. */
export interface PairingValue {
  readonly role: Role;
  /** That of the owner who made it; one of an older host has none. */
  readonly space?: string;
  /** Of the device that has opened the link. */
  readonly name?: string;
}

interface PairingsOptions {
  readonly codes: OneTimeCodes<PairingValue>;
  /** Makes the device's token; it counts when this resolves. */
  readonly add: (device: NewDevice) => Promise<{ readonly made: DeviceToken; readonly token: string }>;
}

/** What a device gets to see before it connects. */
export interface Offer {
  readonly role: Role;
  readonly validMs: number;
}

export interface PairedDevice {
  readonly token: string;
  readonly device: { readonly id: string; readonly name: string; readonly role: Role };
}

/** Why a code gives nothing. */
export type CodeRefusal = 'used' | 'expired' | 'unknown';

/** Devices that are let in by a code: it works once, within ten minutes, and stands for one role. */
export class Pairings {
  readonly #options: PairingsOptions;

  constructor(options: PairingsOptions) {
    this.#options = options;
  }

  async create({ role, replaces }: CreatePairingParams, space: string) {
    const { codes } = this.#options;
    if (replaces !== undefined) await codes.remove(replaces);
    const code = newCode();
    const { key, validMs } = await codes.put(code, { role, space });
    return { pairing: key, code, validMs };
  }

  async state(pairing: string): Promise<FetchPairingResult> {
    const found = await this.#options.codes.find(pairing);
    if (found.state === 'expired' || found.state === 'unknown') return { state: 'expired', validMs: 0 };
    const { name } = found.value;
    const state = found.state === 'used' ? 'connected' : name === undefined ? 'waiting' : 'scanned';
    const validMs = found.state === 'used' ? 0 : Math.ceil(found.validMs);
    return { state, ...(name !== undefined && { name }), validMs };
  }

  remove(pairing: string): Promise<void> {
    return this.#options.codes.remove(pairing);
  }

  /** A device shows the code and says its name. That does not use the code up. */
  async look(code: string, name: string | undefined): Promise<Offer | CodeRefusal> {
    const { codes } = this.#options;
    const named = name === undefined ? undefined : plainName(name).slice(0, MAX_SHOWN_NAME);
    const found = named
      ? await codes.change(keyOf(code), (value) => ({ ...value, name: named }))
      : await codes.find(keyOf(code));
    if (found.state !== 'waiting') return found.state;
    return { role: found.value.role, validMs: Math.ceil(found.validMs) };
  }

  /** Of any number of devices with one code, exactly one is let in. Throws a `DeviceTokenError` for a name that can't be one. */
  async redeem(
    code: string,
    given: { readonly name: string; readonly user?: string },
  ): Promise<PairedDevice | CodeRefusal> {
    const { codes, add } = this.#options;
    const name = plainName(given.name);
    const user = given.user === undefined ? undefined : plainName(given.user);
    const wanted = { name, role: 'viewer' as Role, ...(user && { user }) };
    // A wrong name must not use the code up.
    checkNames(wanted);
    const found = await codes.take(keyOf(code), (value) => ({ ...value, name }));
    if (found.state !== 'waiting') return found.state;
    const { role, space } = found.value;
    const { made, token } = await add({ ...wanted, role, ...(space !== undefined && { space }) });
    return { token, device: { id: made.id, name: made.name, role: made.role } };
  }
}

const MAX_SHOWN_NAME = 64;
