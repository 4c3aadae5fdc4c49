import type {
  AddDeviceParams,
  AddDeviceResult,
  CreatePairingParams,
  CreatePairingResult,
  FetchPairingResult,
  ListDevicesResult,
  ShareSessionParams,
  ShareSessionResult,
  UpdateDeviceParams,
  URI,
} from '@agenthost/protocol';

/** The client that administers devices. It sees those of its own space. */
export interface DeviceAdmin {
  /** The id of its credential. */
  readonly credentialId: string;
  readonly space: string;
}

/** The devices of a host, for clients that administer them. Rejects with an `RpcError` that says what to do. */
export interface Devices {
  list(asking: DeviceAdmin): Promise<ListDevicesResult>;
  /** Gives a client that came with the host's own token a token of its own. */
  add(params: AddDeviceParams, asking: DeviceAdmin): Promise<AddDeviceResult>;
  update(params: UpdateDeviceParams, asking: DeviceAdmin): Promise<void>;
  remove(device: string, asking: DeviceAdmin): Promise<void>;
  createPairing(params: CreatePairingParams, asking: DeviceAdmin): Promise<CreatePairingResult>;
  /** Makes a read-only link to a session that the client can see. */
  share(params: ShareSessionParams, asking: DeviceAdmin): Promise<ShareSessionResult>;
  /** Its links end: another session may be made under its name. */
  sessionRemoved(session: URI): Promise<void>;
  fetchPairing(pairing: string): Promise<FetchPairingResult>;
  removePairing(pairing: string): Promise<void>;
}
