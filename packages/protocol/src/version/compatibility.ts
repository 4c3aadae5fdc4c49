import type { WireTypes } from '../types/wireTypes.js';
import type { AssertNone, Incompatible } from './compatible.js';
import type { WireTypesV1 } from './frozen/v1.js';

// Does not compile when a living type has left what a frozen version promised; the error names the type.

type KnownToV1 = WireTypesV1['Action']['type'] | WireTypesV1['Notification']['type'];

export type CompatibleWithV1 = AssertNone<Incompatible<WireTypesV1, WireTypes, KnownToV1>>;
