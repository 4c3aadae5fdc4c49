import type { ProtocolCapabilities } from '../types/handshake.js';

const V1: ProtocolCapabilities = {
  sessions: true,
  tools: true,
  permissions: true,
  reasoning: true,
  toolUpdates: true,
  pendingMessages: true,
  customizations: true,
  contentReferences: true,
  fork: true,
  agentInstallation: true,
  sessionFs: true,
  artifacts: true,
  import: true,
};

const V2: ProtocolCapabilities = {
  ...V1,
  modes: true,
  settings: true,
  earlierParts: true,
  failedSubscriptions: true,
  devices: true,
  logins: true,
  handOver: true,
  nativeSessions: true,
  clientTools: true,
  changes: true,
};

/** By version, index 0 being version 1. A version above the last has at least what the last one has. */
const CAPABILITIES: readonly ProtocolCapabilities[] = [V1, V2];

/**
 * What a host that speaks this version of the protocol can do.
 *
 * @example
 * ```ts
 * const capabilities = capabilitiesOf(PROTOCOL_VERSION);
 * ```
 */
export function capabilitiesOf(version: number): ProtocolCapabilities {
  const known = CAPABILITIES[Math.min(version, CAPABILITIES.length) - 1];
  if (!known) throw new RangeError(`protocol version ${version} does not exist`);
  return known;
}
