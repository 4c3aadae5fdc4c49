import {
  type AddDeviceParams,
  type AddDeviceResult,
  type CreatePairingParams,
  type CreatePairingResult,
  type Device,
  ERROR_CODE,
  type ListDevicesResult,
  type ShareSessionParams,
  type ShareSessionResult,
  type UpdateDeviceParams,
} from '@agenthost/protocol';
import { DEFAULT_SPACE, type ErrorData } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { DeviceAdmin, Devices } from '../../connection/devices.js';
import type { HostLog } from '../../hostLog.js';
import type { Authenticator } from './authenticator.js';
import { type DeviceToken, DeviceTokenError } from './deviceToken.js';
import { type DeviceTokens, linkName, type NewDevice, plainName } from './deviceTokens.js';
import type { HostTokens } from './hostTokens.js';
import { hostWords } from './hostWords.js';
import { OneTimeCodes } from './oneTimeCodes.js';
import { Pairings } from './pairings.js';
import type { TokenSource } from './tokenSource.js';

export interface HostDevicesOptions {
  readonly store: DeviceTokens;
  readonly source: TokenSource;
  readonly tokens: HostTokens;
  readonly authenticator: Authenticator;
  /** The ids of the credentials that are connected to this host. */
  readonly connected: () => ReadonlySet<string>;
  /** Where other machines reach the host, if that is known. */
  readonly address: () => string | undefined;
  readonly log: HostLog;
}

/** How often, and how far apart, a change is tried again while a command changes the same file. */
const ATTEMPTS = 40;
const BETWEEN_MS = 50;

/** What clients see and change of the device tokens. One change after the other: the file takes no two at once. */
export class HostDevices implements Devices {
  readonly pairings: Pairings;
  readonly #options: HostDevicesOptions;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: HostDevicesOptions) {
    this.#options = options;
    this.pairings = new Pairings({
      codes: new OneTimeCodes(options.source.codes),
      add: (device) => this.#addNumbered(device),
    });
  }

  /** The fingerprint of the host, for people. */
  get words(): string {
    return hostWords(this.#options.tokens.owner);
  }

  async list({ credentialId, space: own }: DeviceAdmin): Promise<ListDevicesResult> {
    const all = await this.#tell(this.#options.store.list());
    const tokens = all.filter(({ space = DEFAULT_SPACE }) => space === own);
    const [seen, connected] = [await this.#options.source.use.all(), this.#options.connected()];
    const items = tokens.map((token) => deviceOf(token, seen.get(token.id), connected.has(token.id)));
    return { items, ...(items.some(({ id }) => id === credentialId) && { own: credentialId }) };
  }

  async add({ name, known }: AddDeviceParams, asking: DeviceAdmin): Promise<AddDeviceResult> {
    const { items, own } = await this.list(asking);
    const find = (id: string | undefined) => items.find((device) => device.id === id);
    const itself = find(own);
    if (itself) return { device: itself };
    const before = known === undefined ? undefined : find(this.#options.authenticator.identifyToken(known)?.id);
    if (known !== undefined && before?.role === 'owner') return { device: before, token: known };
    const added = this.#addNumbered({ name: plainName(name), role: 'owner', space: asking.space });
    const { made, token } = await this.#tell(added);
    return { device: deviceOf(made, undefined, false), token };
  }

  async update({ device: id, role, name }: UpdateDeviceParams, { space }: DeviceAdmin): Promise<void> {
    const changes = { ...(role !== undefined && { role }), ...(name !== undefined && { name: plainName(name) }) };
    await this.#tell(this.#change((store) => store.update({ id, space }, changes)));
  }

  async remove(id: string, { space }: DeviceAdmin): Promise<void> {
    await this.#tell(this.#change((store) => store.removeById({ id, space })));
  }

  async createPairing(params: CreatePairingParams, { space }: DeviceAdmin): Promise<CreatePairingResult> {
    const address = this.#options.address();
    const made = await this.pairings.create(params, space);
    return { ...made, words: this.words, ...(address !== undefined && { address }) };
  }

  async share({ session, validMs, name }: ShareSessionParams, { space }: DeviceAdmin): Promise<ShareSessionResult> {
    const address = this.#options.address();
    const endsAt = Date.now() + validMs;
    const link = { name: linkName(name), role: 'viewer', space, shared: { session, endsAt } } as const;
    const { made, token } = await this.#tell(this.#addNumbered(link));
    return { device: deviceOf(made, undefined, false), token, endsAt, ...(address !== undefined && { address }) };
  }

  async sessionRemoved(session: string): Promise<void> {
    if (!this.#options.tokens.hasLink(session)) return;
    await this.#change((store) => store.removeLinks(session)).catch((error: unknown) =>
      this.#options.log.error(`the links to ${session}, which was removed, could not be removed`, error),
    );
  }

  fetchPairing(pairing: string) {
    return this.pairings.state(pairing);
  }

  removePairing(pairing: string): Promise<void> {
    return this.pairings.remove(pairing);
  }

  async #addNumbered(device: NewDevice) {
    const added = await this.#change((store) => store.addNumbered(device));
    const { name, role, shared } = added.made;
    const what = shared
      ? `there is a read-only link to ${shared.session}`
      : `${name} has a token of its own now, as ${role}`;
    this.#options.log.info(what);
    return added;
  }

  /** Resolves when the change counts: a new token opens this host, and a revoked one is out. */
  #change<T>(change: (store: DeviceTokens) => Promise<T>): Promise<T> {
    const changed = this.#changing.then(async () => {
      const result = await this.#attempt(change);
      await this.#options.tokens.reread();
      return result;
    });
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  async #attempt<T>(change: (store: DeviceTokens) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await change(this.#options.store);
      } catch (error) {
        const isBusy = error instanceof DeviceTokenError && error.code === 'busy';
        if (!isBusy || attempt === ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
      }
    }
  }

  async #tell<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof DeviceTokenError)) throw error;
      const data: ErrorData = { whatToDo: error.whatToDo };
      throw new RpcError(CODES[error.code], error.message, { data, cause: error });
    }
  }
}

const CODES: Readonly<Record<DeviceTokenError['code'], number>> = {
  damagedFile: ERROR_CODE.internalError,
  invalidName: ERROR_CODE.invalidParams,
  invalidSpace: ERROR_CODE.invalidParams,
  nameTaken: ERROR_CODE.alreadyExists,
  tooManyTokens: ERROR_CODE.tooManyRequests,
  busy: ERROR_CODE.tooManyRequests,
  notFound: ERROR_CODE.notFound,
  lastOwner: ERROR_CODE.permissionDenied,
  readOnlyLink: ERROR_CODE.invalidParams,
  onlyMetrics: ERROR_CODE.invalidParams,
};

function deviceOf(
  { id, name, user, role, createdAt, shared, only }: DeviceToken,
  seenAt: number | undefined,
  isConnected: boolean,
): Device {
  return {
    id,
    name,
    ...(user !== undefined && { user }),
    role,
    createdAt,
    ...(seenAt !== undefined && { lastSeenAt: seenAt }),
    ...(isConnected && { isConnected: true as const }),
    ...(shared && { shared }),
    ...(only && { only }),
  };
}
