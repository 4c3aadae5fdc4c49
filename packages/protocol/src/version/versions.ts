/** The version that this code speaks. */
export const PROTOCOL_VERSION = 2;

/** The oldest version that this code still speaks. */
export const MIN_PROTOCOL_VERSION = 1;

/**
 * The version that two sides use: the lower of both. `undefined` where the other side's is older than any that we
 * still speak, or not a version at all; the host then answers `unsupportedProtocolVersion`.
 */
export function negotiateVersion(theirs: number): number | undefined {
  if (!Number.isSafeInteger(theirs) || theirs < MIN_PROTOCOL_VERSION) return undefined;
  return Math.min(theirs, PROTOCOL_VERSION);
}

/** Newest first. */
export function supportedVersions(): readonly number[] {
  return Array.from({ length: PROTOCOL_VERSION - MIN_PROTOCOL_VERSION + 1 }, (_, i) => PROTOCOL_VERSION - i);
}
