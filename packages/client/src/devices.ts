import type {
  AddDeviceParams,
  AddDeviceResult,
  CreatePairingParams,
  CreatePairingResult,
  FetchAuditParams,
  FetchAuditResult,
  FetchPairingResult,
  ListDevicesResult,
  NoteExportParams,
  ShareSessionParams,
  ShareSessionResult,
  UpdateDeviceParams,
} from '@agenthost/protocol';
import type { CommandChannel, CommandOptions } from './connection/commandChannel.js';

/**
 * The devices that may reach a host, for clients with the role owner. A host of an older build has none (`capabilities.devices`).
 *
 * @example
 * ```ts
 * const { items } = await host.devices.list();
 * const { code } = await host.devices.createPairing({ role: 'approver' });
 * console.log(`${items.length} devices; the next one opens ${url}#pair=${code}`);
 * ```
 */
export class Devices {
  readonly #commands: CommandChannel;

  /** @internal A `HostClient` makes it. */
  constructor(commands: CommandChannel) {
    this.#commands = commands;
  }

  list(options?: CommandOptions): Promise<ListDevicesResult> {
    return this.#commands.request('listDevices', {}, options);
  }

  /** Who did what, when, from which device; the newest first. A page may be empty and have a next one. */
  fetchAudit(params: FetchAuditParams, options?: CommandOptions): Promise<FetchAuditResult> {
    return this.#commands.request('fetchAudit', params, options);
  }

  /** For the audit trail: a session is about to be exported. An older host, or one that refuses it, has no such entry. */
  async noteExport(params: NoteExportParams, options?: CommandOptions): Promise<void> {
    await this.#commands.request('noteExport', params, options).catch(() => undefined);
  }

  /** Gives a client that came with the host's own token a token of its own. */
  add(params: AddDeviceParams, options?: CommandOptions): Promise<AddDeviceResult> {
    return this.#commands.request('addDevice', params, options);
  }

  /** Changes its role or name. It takes effect at once: the device connects again. */
  async update(params: UpdateDeviceParams, options?: CommandOptions): Promise<void> {
    await this.#commands.request('updateDevice', params, options);
  }

  /** Revokes its token. Its connections end at once. */
  async remove(device: string, options?: CommandOptions): Promise<void> {
    await this.#commands.request('removeDevice', { device }, options);
  }

  /** Makes a code with which one other device gets a token of its own, within ten minutes. */
  createPairing(params: CreatePairingParams, options?: CommandOptions): Promise<CreatePairingResult> {
    return this.#commands.request('createPairing', params, options);
  }

  /** Makes a read-only link to one session, `<address>/#share=<token>`. It is in the list of devices until it ends. */
  share(params: ShareSessionParams, options?: CommandOptions): Promise<ShareSessionResult> {
    return this.#commands.request('shareSession', params, options);
  }

  fetchPairing(pairing: string, options?: CommandOptions): Promise<FetchPairingResult> {
    return this.#commands.request('fetchPairing', { pairing }, options);
  }

  /** Its code no longer works. */
  async removePairing(pairing: string, options?: CommandOptions): Promise<void> {
    await this.#commands.request('removePairing', { pairing }, options);
  }
}
