import { createHash } from 'node:crypto';
import {
  type Attachment,
  type ContentRef,
  INLINE_MESSAGE_LIMIT,
  type SessionAction,
  type UserMessage,
} from '@agenthost/protocol';
import { isLarge, pastedHash } from '../content/pastedContent.js';

/** Enough that two actions of one client don't share it by chance, and still an exact number. */
const BYTES = 6;

/**
 * A short hash of what a client asked for. It is the same for the action as it came and as it was stored: without the time, the
 * author and a turn's model, which the host sets, and with the hash of content that the host stores elsewhere.
 */
export function actionFingerprint(action: SessionAction): number {
  const stamps = { at: undefined, by: undefined };
  const message = 'userMessage' in action && { userMessage: messageIdentity(action.userMessage) };
  const turn = action.type === 'session/turnStarted' && { model: undefined };
  const asked = canonical({ ...action, ...stamps, ...message, ...turn });
  return createHash('sha256').update(asked).digest().readUIntBE(0, BYTES);
}

function messageIdentity({ text, textRef, attachments, ...rest }: UserMessage): object {
  return { ...rest, text: textIdentity(text, textRef), attachments: attachments?.map(attachmentIdentity) };
}

function textIdentity(text: string, textRef: ContentRef | undefined): string {
  if (textRef) return refIdentity(textRef);
  return Buffer.byteLength(text) > INLINE_MESSAGE_LIMIT ? hashOf(Buffer.from(text)) : text;
}

function attachmentIdentity({ data, ref, ...rest }: Attachment): object {
  // Of both, the data is what was sent.
  if (data === undefined) return { ...rest, data: ref && refIdentity(ref) };
  return { ...rest, data: isLarge(data) ? hashOf(Buffer.from(data, rest.kind === 'image' ? 'base64' : 'utf8')) : data };
}

function refIdentity({ uri }: ContentRef): string {
  const hash = pastedHash(uri);
  return hash === undefined ? uri : `sha256:${hash}`;
}

function hashOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** JSON whose keys are sorted. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
