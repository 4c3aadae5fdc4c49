/** The versions of the public protocol that are in the field, best first. One vocabulary (0.9.0) serves them all; `downlevel.ts` has the rest. */
export const AHP_VERSIONS = ['1.0.0', '0.10.0', '0.9.0', '0.8.0', '0.7.0', '0.6.0', '0.5.2', '0.5.1', '0.5.0'] as const;

export type AhpVersion = (typeof AHP_VERSIONS)[number];

/** What a version has that older ones lack, or the other way round. */
export interface VersionTraits {
  /** `workingDirectories[]`; before it only `workingDirectory`. */
  readonly hasFolderList: boolean;
  /** An error is a part of the response; before it only the field `error`. */
  readonly hasErrorPart: boolean;
  /** Questions are parts of the response; before it they are `chat.inputRequests`. */
  readonly hasInputPart: boolean;
  /** What a failed creation is called in `lifecycle`. */
  readonly failedLifecycle: 'failed' | 'creationFailed';
}

const CURRENT: VersionTraits = {
  hasFolderList: true,
  hasErrorPart: true,
  hasInputPart: true,
  failedLifecycle: 'failed',
};
const BEFORE_0_9: VersionTraits = { ...CURRENT, hasErrorPart: false, failedLifecycle: 'creationFailed' };
const BEFORE_0_8: VersionTraits = { ...BEFORE_0_9, hasInputPart: false };
const BEFORE_0_7: VersionTraits = { ...BEFORE_0_8, hasFolderList: false };

export const VERSION_TRAITS: Readonly<Record<AhpVersion, VersionTraits>> = {
  '1.0.0': CURRENT,
  '0.10.0': CURRENT,
  '0.9.0': CURRENT,
  '0.8.0': BEFORE_0_9,
  '0.7.0': BEFORE_0_8,
  '0.6.0': BEFORE_0_7,
  '0.5.2': BEFORE_0_7,
  '0.5.1': BEFORE_0_7,
  '0.5.0': BEFORE_0_7,
};

/** The best version that the client offers too. Its own order counts for nothing: 1.0.0 came before 0.9.0, and clients list both. */
export function chooseVersion(offers: readonly string[]): AhpVersion | undefined {
  return AHP_VERSIONS.find((version) => offers.includes(version));
}
