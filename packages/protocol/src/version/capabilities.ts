/** What a version of the protocol can do. A client looks here before it uses a feature. */
export interface ProtocolCapabilities {
  readonly sessions: true;
  readonly tools: true;
  readonly permissions: true;
  readonly reasoning?: true;
  readonly toolUpdates?: true;
  readonly pendingMessages?: true;
  readonly customizations?: true;
  readonly contentReferences?: true;
  readonly fork?: true;
  readonly agentInstallation?: true;
  readonly sessionFs?: true;
  readonly artifacts?: true;
  readonly import?: true;
  readonly modes?: true;
  /** Parts that are not in a turn's state any more can be fetched. */
  readonly earlierParts?: true;
  /** `initialize` and `reconnect` say in `failed` which sessions could not be loaded. */
  readonly failedSubscriptions?: true;
}

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

const V2: ProtocolCapabilities = { ...V1, modes: true, earlierParts: true, failedSubscriptions: true };

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
