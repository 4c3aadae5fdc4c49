/**
 * The versions of the public protocol that the gateway names when it refuses a client, best first. One vocabulary (0.9.0)
 * serves them all; `downlevel.ts` has the differences. Compatible versions are spoken too.
 */
export const AHP_VERSIONS = [
  '1.1.0',
  '1.0.0',
  '0.10.0',
  '0.9.1',
  '0.9.0',
  '0.8.0',
  '0.7.0',
  '0.6.0',
  '0.5.2',
  '0.5.1',
  '0.5.0',
] as const;

export type AhpVersion = (typeof AHP_VERSIONS)[number];

/** What distinguishes a version from others. */
export interface VersionTraits {
  /** `workingDirectories[]`; earlier only `workingDirectory`. */
  readonly hasFolderList: boolean;
  /** An error is a part of the response; earlier only the field `error`. */
  readonly hasErrorPart: boolean;
  /** Questions are parts of the response; earlier they are `chat.inputRequests`. */
  readonly hasInputPart: boolean;
  /** A chat without a title has its session's. Earlier a chat must have one. */
  readonly hasOptionalTitle: boolean;
  /** Files of a changeset can be marked as reviewed. */
  readonly hasReviews: boolean;
  /** The name of a failed creation in `lifecycle`. */
  readonly failedLifecycle: 'failed' | 'creationFailed';
}

/** The version that both sides speak, as the client offered it, and its traits. */
export interface SpokenVersion {
  readonly version: string;
  readonly traits: VersionTraits;
}

const CURRENT: VersionTraits = {
  hasFolderList: true,
  hasErrorPart: true,
  hasInputPart: true,
  hasOptionalTitle: true,
  hasReviews: true,
  failedLifecycle: 'failed',
};
/** VS Code 1.135 speaks a 1.0.0 that is older than 0.9.0. */
const EARLY_1_0: VersionTraits = { ...CURRENT, hasErrorPart: false, hasOptionalTitle: false };
const BEFORE_0_9: VersionTraits = { ...EARLY_1_0, failedLifecycle: 'creationFailed' };
const BEFORE_0_8: VersionTraits = { ...BEFORE_0_9, hasInputPart: false };
const BEFORE_0_7: VersionTraits = { ...BEFORE_0_8, hasFolderList: false };
const BEFORE_0_6: VersionTraits = { ...BEFORE_0_7, hasReviews: false };

/** For 0.x the minor number decides compatibility, later the major one. */
const TRAITS: ReadonlyMap<string, VersionTraits> = new Map([
  ['1', CURRENT],
  ['0.10', CURRENT],
  ['0.9', CURRENT],
  ['0.8', BEFORE_0_9],
  ['0.7', BEFORE_0_8],
  ['0.6', BEFORE_0_7],
  ['0.5', BEFORE_0_6],
]);

/**
 * The highest offered version that is compatible with one of ours, as the client wrote it. The order of the offers doesn't
 * matter: 1.0.0 came before 0.9.0, and clients list both. What is no version is no offer.
 */
export function chooseVersion(offers: readonly string[]): SpokenVersion | undefined {
  const spoken = offers.flatMap((version) => {
    const numbers = numbersOf(version);
    const traits = numbers && TRAITS.get(rangeOf(numbers));
    return traits ? [{ version, numbers, traits }] : [];
  });
  const [best] = spoken.sort((a, b) => compare(b.numbers, a.numbers));
  if (!best) return undefined;
  const { version, traits } = best;
  // All other clients that offer 1.0.0 offer a 0.9 too.
  const isEarly = version === '1.0.0' && offers.includes('0.8.0') && !offers.some((offer) => offer.startsWith('0.9.'));
  return { version, traits: isEarly ? EARLY_1_0 : traits };
}

type Numbers = readonly [major: number, minor: number, patch: number];

function numbersOf(version: string): Numbers | undefined {
  const [, ...numbers] = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/.exec(version) ?? [];
  const [major, minor, patch] = numbers.map(Number);
  return major === undefined || minor === undefined || patch === undefined ? undefined : [major, minor, patch];
}

function rangeOf([major, minor]: Numbers): string {
  return major === 0 ? `0.${minor}` : `${major}`;
}

function compare(a: Numbers, b: Numbers): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
