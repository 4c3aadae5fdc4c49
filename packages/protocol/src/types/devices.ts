// Generated from the schemas by `npm run schemas`. Do not edit.

import type { Role, SharedSession } from './handshake.js';

export interface AddDeviceParams {
  /** A number is appended where another device has the name. */
  readonly name: string;
  /** A token that the client has from before: if it is that of a device with the same role, none is made. */
  readonly known?: string;
}

export interface AddDeviceResult {
  readonly device: Device;
  /** The new token, or `known`. Absent where the token of this connection is a device token itself. */
  readonly token?: string;
}

export interface CreatePairingParams {
  /** Of the device that uses the code. */
  readonly role: Role;
  /** A pairing whose code must no longer work. */
  readonly replaces?: string;
}

export interface CreatePairingResult {
  readonly pairing: string;
  /** For the fragment of the link, after `#pair=`. */
  readonly code: string;
  /** Shown on both sides, so that people can tell hosts apart. */
  readonly words: string;
  readonly validMs: number;
  /** Where other machines reach the host, if it knows. */
  readonly address?: string;
}

/** A browser, a phone or a program with a token of its own. */
export interface Device {
  readonly id: string;
  readonly name: string;
  /** Who uses it, as others see it beside what is done there. */
  readonly user?: string;
  readonly role: Role;
  readonly createdAt: number;
  /** When it connected or disconnected last; absent if it never did. */
  readonly lastSeenAt?: number;
  /** To the host that answers. */
  readonly isConnected?: true;
  /** Of a read-only link: what it shows. Its role is `viewer`. */
  readonly shared?: SharedSession;
  /** Of a program that reads `/metrics` of the host and is let in nowhere else. Its role is `viewer`. */
  readonly only?: 'metrics';
}

export interface FetchPairingResult {
  /** `scanned`: a device has opened the link and has not confirmed yet. */
  readonly state: 'waiting' | 'scanned' | 'connected' | 'expired';
  /** Of the device. */
  readonly name?: string;
  readonly validMs: number;
}

export type ListDevicesParams = Readonly<Record<string, never>>;

export interface ListDevicesResult {
  /** Oldest first. */
  readonly items: readonly Device[];
  /** The device that asks; absent where it uses the host's own token. */
  readonly own?: string;
}

export interface PairingParams {
  readonly pairing: string;
}

export interface RemoveDeviceParams {
  readonly device: string;
}

export interface ShareSessionParams {
  readonly session: string;
  /** How long the link works. */
  readonly validMs: number;
  /** For the list of devices: the title, say. */
  readonly name?: string;
}

export interface ShareSessionResult {
  readonly device: Device;
  /** For the fragment of the link, after `#share=`. It is not told again. */
  readonly token: string;
  readonly endsAt: number;
  /** Where other machines reach the host, if it knows. */
  readonly address?: string;
}

export interface UpdateDeviceParams {
  readonly device: string;
  readonly role?: Role;
  readonly name?: string;
}
