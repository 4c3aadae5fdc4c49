import { ROLES } from '@agenthost/protocol';
import { isSpaceName, MAX_URI_LENGTH } from '@agenthost/protocol/internal';
import * as z from 'zod';

/** Of a device that names itself, with room for a number. */
export const MAX_NAME = 60;
/** Caps device tokens: enough for several people's devices, not for daily rotation. */
export const MAX_TOKENS = 200;
/** Caps read-only links that have not ended. */
export const MAX_LINKS = 100;
/** Letters and digits of any script, with separators; never a slash, which separates a name from a client's id. */
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._'()@+-]{0,62}[\p{L}\p{M}\p{N}.)])?$/u;

/** `owner` is the host's own. */
export function isDeviceName(text: string): boolean {
  return NAME.test(text) && text.toLowerCase() !== 'owner';
}

/** A token as it is stored: without the token itself, so that reading the file doesn't give access. */
const deviceToken = z.object({
  id: z.string().min(1).max(64),
  name: z.string().regex(NAME, 'not a name'),
  user: z.string().regex(NAME, 'not a name').exactOptional(),
  role: z.enum(ROLES),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'not a hash'),
  createdAt: z.number(),
  space: z.string().refine(isSpaceName, 'not the name of a space').exactOptional(),
  /** Of a read-only link. */
  shared: z.object({ session: z.string().min(1).max(MAX_URI_LENGTH), endsAt: z.number() }).exactOptional(),
  /** Of a program that reads metrics. Its role is viewer, and it is let in nowhere else. */
  only: z.literal('metrics').exactOptional(),
});
/** What a file of them has. */
export const deviceTokensSchema = z.object({ tokens: z.array(deviceToken).max(MAX_TOKENS) });

export type DeviceToken = Readonly<z.infer<typeof deviceToken>>;

/** Of a link that has ended nothing is left but its row. */
export function hasEnded({ shared }: Pick<DeviceToken, 'shared'>, now = Date.now()): boolean {
  return shared !== undefined && shared.endsAt <= now;
}

type DeviceTokenErrorCode =
  | 'damagedFile'
  | 'invalidName'
  | 'invalidSpace'
  | 'nameTaken'
  | 'tooManyTokens'
  | 'busy'
  | 'notFound'
  | 'lastOwner'
  | 'readOnlyLink'
  | 'onlyMetrics';

/** An error about tokens (a name that is taken or unknown, an unreadable file): what happened, and what to do. */
export class DeviceTokenError extends Error {
  readonly code: DeviceTokenErrorCode;
  readonly whatToDo: string;

  constructor(code: DeviceTokenErrorCode, what: string, whatToDo: string, options?: ErrorOptions) {
    super(what, options);
    this.name = 'DeviceTokenError';
    this.code = code;
    this.whatToDo = whatToDo;
  }
}

/** Where device tokens are kept. */
export interface DeviceTokenStore {
  /** Where that is, for messages. */
  readonly path: string;
  list(): Promise<readonly DeviceToken[]>;
  /** Replaces them by what `change` makes of them. Of two changes at once, one comes after the other or fails. */
  change(change: (tokens: readonly DeviceToken[]) => readonly DeviceToken[]): Promise<void>;
}
